/** The few requests that this tool itself makes to an API server, in plain JSON. */

import { request } from "node:https";
import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";

import { KubernetesToolError } from "./errors.ts";
import type { Credentials } from "./kubeconfig.ts";

/** One request; `body` is sent as JSON. */
export interface ApiRequest {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
}

/** The status and parsed body of a response; a body that is not JSON is returned as text. */
export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Sends a request and returns the response, whatever its status. */
export async function askApi(credentials: Credentials, wanted: ApiRequest): Promise<ApiAnswer> {
  const response = await openApi(credentials, wanted);
  const answer = await text(response);
  return { status: response.statusCode ?? 0, body: parseBody(answer) };
}

/** Sends a request that must succeed. */
export async function callApi(credentials: Credentials, wanted: ApiRequest): Promise<unknown> {
  const { status, body } = await askApi(credentials, wanted);
  if (status >= 200 && status < 300) return body;
  const said = typeof body === "string" ? body : JSON.stringify(body);
  throw new KubernetesToolError(
    "api-request",
    `${wanted.method ?? "GET"} ${wanted.path} was answered with ${status}: ${said.slice(0, 400)}`,
  );
}

/** Sends a request and returns the streaming response, for watches. */
export async function openApi(credentials: Credentials, wanted: ApiRequest): Promise<IncomingMessage> {
  const { method = "GET", path, body, contentType = "application/json", signal } = wanted;
  const { server, ca, cert, key } = credentials;
  return new Promise((resolve, reject) => {
    const headers = { accept: "application/json", ...(body !== undefined && { "content-type": contentType }) };
    const options = { method, ca, cert, key, headers, agent: false, ...(signal && { signal }) } as const;
    const sent = request(new URL(path, server), options, resolve);
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function parseBody(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch {
    return answer;
  }
}
