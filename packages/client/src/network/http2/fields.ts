/** Header fields for HTTP/2: lower-case names, no connection headers (RFC 9113, sections 8.2.1 and 8.2.2). */
import type { Headers } from "./hpack-encoder.ts";

/** HTTP/1.1 headers of a connection: a server must reset a request that has one. The host is in `:authority`. */
const ofConnection: ReadonlySet<string> = new Set([
  "connection",
  "host",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
]);

/** The fields of a request. Headers that need no change are not copied. */
export function toFields(headers: Headers): Headers {
  for (const name in headers) {
    if (needsChange(name)) return changed(headers);
  }
  return headers;
}

function needsChange(name: string): boolean {
  return /[A-Z]/u.test(name) || ofConnection.has(name);
}

/** Of two names that differ only in case the last one wins, as in HTTP/1.1. */
function changed(headers: Headers): Headers {
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(lower.filter(([name]) => !ofConnection.has(name)));
}
