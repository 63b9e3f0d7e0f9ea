/** A request, independent of its transport. */
import type { Duplex } from "node:stream";
import type { UserInfo } from "./authenticate/user.ts";

/** Header names in lower case, as in Node. */
export type Headers = { readonly [name: string]: string | readonly string[] | undefined };

/** One request. Its transport is HTTP/1.1, HTTP/2 or an in-process call; handlers do not see which one. */
export interface Call {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  readonly headers: Headers;
  /** Reads the whole body; throws 413 above the limit. */
  body(): Promise<Uint8Array>;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** The address of the client, for the request log. */
  readonly remoteAddress: string;
  /** The user, if the transport already knows it: an in-process call. */
  readonly user?: UserInfo;
  /** The certificate that the client proved to own, if any (DER). */
  readonly certificate?: Uint8Array | undefined;
  /** The raw connection, if the client asked for an upgrade. */
  upgrade?(): Duplex;
}

/** A call for errors of the server's own work, which no client requested. */
export function ownCall(url: string): Call {
  return {
    method: "GET",
    url,
    headers: {},
    body: async () => new Uint8Array(),
    signal: new AbortController().signal,
    remoteAddress: "in-process",
  };
}

/** The call with other headers. */
export function withHeaders(call: Call, headers: Headers): Call {
  return changed(call, { headers, body: () => call.body() });
}

/** The call with another source of its body. */
export function withBody(call: Call, body: () => Promise<Uint8Array>): Call {
  return changed(call, { headers: call.headers, body });
}

function changed(call: Call, { headers, body }: Pick<Call, "headers" | "body">): Call {
  return {
    method: call.method,
    url: call.url,
    headers,
    body,
    get signal() {
      return call.signal;
    },
    get remoteAddress() {
      return call.remoteAddress;
    },
    get certificate() {
      return call.certificate;
    },
    ...(call.user === undefined ? {} : { user: call.user }),
    ...(call.upgrade === undefined ? {} : { upgrade: call.upgrade.bind(call) }),
  };
}

/** Whether a client asks for a WebSocket. */
export function asksForWebSocket(call: Call): boolean {
  const isUpgrade = (headerOf(call, "connection") ?? "").toLowerCase().includes("upgrade");
  return isUpgrade && (headerOf(call, "upgrade") ?? "").toLowerCase() === "websocket";
}

/** One header as a string; repeated headers are joined. */
export function headerOf(call: Call, name: string): string | undefined {
  const value = call.headers[name];
  return value === undefined || typeof value === "string" ? value : value.join(", ");
}

/** The address at which the client reached the server. */
export function hostOf(call: Call): string {
  return headerOf(call, "host") ?? headerOf(call, ":authority") ?? "127.0.0.1";
}
