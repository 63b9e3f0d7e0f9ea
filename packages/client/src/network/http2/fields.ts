/** Headers as HTTP/2 wants them: names in lower case, nothing about the connection (RFC 9113, sections 8.2.1 and 8.2.2). */
import type { Headers } from "./hpack-encoder.ts";

/** Names of HTTP/1.1 that a server must answer with a reset; the host stands in `:authority`. */
const ofConnection: ReadonlySet<string> = new Set([
  "connection",
  "host",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
]);

/** The fields of a request. What the client writes itself needs no change, and costs no copy. */
export function toFields(headers: Headers): Headers {
  for (const name in headers) {
    if (needsChange(name)) return changed(headers);
  }
  return headers;
}

function needsChange(name: string): boolean {
  return /[A-Z]/u.test(name) || ofConnection.has(name);
}

/** Of two names that differ only in case the later one counts, as in HTTP/1.1. */
function changed(headers: Headers): Headers {
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(lower.filter(([name]) => !ofConnection.has(name)));
}
