/** Requests with a method that Node's parser does not know. kube-apiserver authorizes them before it answers that they are not allowed. */
import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";
import type { Call, Headers } from "../call.ts";

/** The parts of a request that are before its body. */
export interface RequestHead {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
}

/** Headers that occur once: the first value counts. */
const single: ReadonlySet<string> = new Set(["authorization", "content-type", "host", "user-agent"]);

/** The head at the start of a packet; `undefined` if it is not complete or malformed, or if Node knows the method. */
export function readHead(packet: Buffer | undefined): RequestHead | undefined {
  const text = packet?.toString("latin1") ?? "";
  const end = text.indexOf("\r\n\r\n");
  const [first = "", ...lines] = text.slice(0, Math.max(end, 0)).split("\r\n");
  const { METHODS } = process.getBuiltinModule("node:http");
  const found = /^(?<method>[\w!#$%&'*+.^`|~-]+) (?<url>\S+) HTTP\/1\.1$/.exec(first)?.groups;
  if (found === undefined || METHODS.includes(found["method"] ?? "")) return undefined;
  const headers = readHeaders(lines);
  return headers === undefined ? undefined : { method: found["method"] ?? "", url: found["url"] ?? "", headers };
}

function readHeaders(lines: readonly string[]): Headers | undefined {
  const headers: { [name: string]: string | string[] } = {};
  for (const line of lines) {
    const found = /^(?<name>[\w!#$%&'*+.^`|~-]+):(?<value>[\t\x20-\x7e\x80-\xff]*)$/.exec(line)?.groups;
    const name = found?.["name"]?.toLowerCase();
    if (name === undefined || name === "__proto__") return undefined;
    addHeader(headers, name, found?.["value"]?.trim() ?? "");
  }
  return headers;
}

function addHeader(headers: { [name: string]: string | string[] }, name: string, value: string): void {
  const before = headers[name];
  if (before === undefined) headers[name] = name.startsWith("impersonate-") ? [value] : value;
  else if (Array.isArray(before)) before.push(value);
  else if (!single.has(name)) headers[name] = `${before}, ${value}`;
}

/** Such a request as a call. Its body is not read: no such method has one. */
export function toCall(head: RequestHead, socket: Duplex): Call {
  const abort = new AbortController();
  socket.once("close", () => abort.abort());
  const isTls = socket instanceof TLSSocket;
  return {
    ...head,
    body: async () => new Uint8Array(),
    signal: abort.signal,
    remoteAddress: isTls ? (socket.remoteAddress ?? "") : "",
    certificate: isTls && socket.authorized ? socket.getPeerCertificate().raw : undefined,
  };
}
