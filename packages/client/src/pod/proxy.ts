/** HTTP requests to pods, services and nodes through the API server. */
import { pathOf } from "../call/path.ts";
import { attemptOf } from "../call/read.ts";
import { noRetry } from "../call/retry.ts";
import type { CallOptions, Opened, Sender } from "../call/send.ts";
import type { AnyKind } from "../call/target.ts";
import { bodyOfChunks } from "../transport/body.ts";
import type { Body, ResponseHeaders } from "../transport/transport.ts";

/** The target behind the API server. */
export type ProxyTarget =
  | { readonly to: "pods" | "services"; readonly namespace: string; readonly name: string }
  | { readonly to: "nodes"; readonly name: string; readonly namespace?: never };

/** The options of a proxied request. */
export interface ProxyOptions extends CallOptions {
  /** A port number or name. */
  readonly port?: number | string | undefined;
  readonly scheme?: "http" | "https" | undefined;
  readonly method?: string | undefined;
  /** With query; starts with a slash. */
  readonly path?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | undefined;
}

/** The response of the target. */
export interface ProxyResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Body;
}

const kinds: Readonly<Record<ProxyTarget["to"], AnyKind>> = {
  pods: { group: "", version: "v1", kind: "Pod", plural: "pods", scope: "Namespaced" },
  services: { group: "", version: "v1", kind: "Service", plural: "services", scope: "Namespaced" },
  nodes: { group: "", version: "v1", kind: "Node", plural: "nodes", scope: "Cluster" },
};

/** Sends a request through the API server. A status of 300 or more throws an error. */
export async function proxy(sender: Sender, target: ProxyTarget & ProxyOptions): Promise<ProxyResponse> {
  const { to, name, namespace, method = "GET", path = "/", headers, body } = target;
  const kind = kinds[to];
  const attempt = attemptOf("connect", kind, { namespace, name, subresource: "proxy" });
  const url = pathOf(kind, { namespace, name: nameWithPort(target), subresource: "proxy" }) + path;
  const options = { ...target, retry: target.retry ?? noRetry };
  const opened = await sender.open({ attempt, method, path: url, headers, body, options });
  const { status, headers: received, body: answer } = opened.response;
  return { status, headers: received, body: bodyOfChunks(untilRead(opened), () => answer.cancel()) };
}

async function* untilRead({ response, end }: Opened): AsyncGenerator<Uint8Array> {
  try {
    yield* response.body;
  } finally {
    end();
  }
}

/** `https:name:port`, with optional parts. */
function nameWithPort({ name, scheme, port }: ProxyTarget & ProxyOptions): string {
  if (scheme === undefined && port === undefined) return name;
  return `${scheme === undefined ? "" : `${scheme}:`}${name}:${port ?? ""}`;
}
