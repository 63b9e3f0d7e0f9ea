/** A request as the server sees it, whichever door it came through. */
import type { Duplex } from "node:stream";
import type { UserInfo } from "./authenticate/user.ts";

/** Header names in lower case, as node gives them. */
export type Headers = { readonly [name: string]: string | readonly string[] | undefined };

/** One request. Doors are HTTP/1.1, HTTP/2 and a call in process; none of them is visible from here on. */
export interface Call {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  readonly headers: Headers;
  /** Reads the whole body; refuses with 413 above the limit. */
  body(): Promise<Uint8Array>;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
  /** The address of the client, for the request log. */
  readonly remoteAddress: string;
  /** Who is calling, where the door knows already: a call in process. */
  readonly user?: UserInfo;
  /** The certificate that the client proved to own, if any (DER). */
  readonly certificate?: Uint8Array | undefined;
  /** The raw connection, when the client asked for an upgrade. */
  upgrade?(): Duplex;
}

/** The call that is named when something goes wrong on the server's own account: nobody called. */
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

/** The same call with other headers. */
export function withHeaders(call: Call, headers: Headers): Call {
  return {
    method: call.method,
    url: call.url,
    headers,
    body: () => call.body(),
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

/** Whether a client wants its connection to become a WebSocket. */
export function asksForWebSocket(call: Call): boolean {
  const isUpgrade = (headerOf(call, "connection") ?? "").toLowerCase().includes("upgrade");
  return isUpgrade && (headerOf(call, "upgrade") ?? "").toLowerCase() === "websocket";
}

/** One header as a string; repeated headers are joined. */
export function headerOf(call: Call, name: string): string | undefined {
  const value = call.headers[name];
  return value === undefined || typeof value === "string" ? value : value.join(", ");
}

/** The address by which the client knows the server. */
export function hostOf(call: Call): string {
  return headerOf(call, "host") ?? headerOf(call, ":authority") ?? "127.0.0.1";
}
