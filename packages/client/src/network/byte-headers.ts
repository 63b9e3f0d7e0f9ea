/** Encodes headers for Node's HTTP/1.1, which writes one byte per character: as UTF-8, like HTTP/2 and Go. */
import type { RequestHeaders } from "../transport/transport.ts";

/** Headers with one character per byte. */
export function toByteHeaders(headers: RequestHeaders): RequestHeaders {
  const values = Object.values(headers).flat();
  if (values.every(isAscii)) return headers;
  const bytes = Object.entries(headers).map(([name, value]) => [name, toBytes(value)] as const);
  return Object.fromEntries(bytes);
}

function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/u.test(text);
}

function toBytes(value: string | readonly string[]): string | readonly string[] {
  return typeof value === "string"
    ? Buffer.from(value, "utf8").toString("latin1")
    : value.map((one) => String(toBytes(one)));
}
