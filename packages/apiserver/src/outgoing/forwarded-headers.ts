/** The headers that are forwarded when a request or response passes to a pod, a kubelet, an aggregated server or a client. */
import { withoutBearerProtocol } from "../authenticate/bearer.ts";
import { withHeaders, type Call, type Headers } from "../call.ts";

/** Hop-by-hop headers (RFC 9110, 7.6.1), as in Go's reverse proxy, and the pseudo headers of HTTP/2. */
const hopByHop = /^(?::.*|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|http2-settings)$/;

/** Headers that carry identities or credentials. Only the API server itself may set them for another server. */
const credentials = /^(?:authorization|impersonate-.*|x-remote-.*)$/;

/** Headers without the hop-by-hop ones. */
export function endToEndHeaders(headers: Headers): { [name: string]: string | string[] } {
  const named = namedIn(headers["connection"]);
  const kept: { [name: string]: string | string[] } = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || hopByHop.test(name) || named.has(name)) continue;
    kept[name] = typeof value === "string" ? value : [...value];
  }
  return kept;
}

/** The headers of a forwarded request: without hop-by-hop headers and without credentials. */
export function forwardedHeaders(headers: Headers): { [name: string]: string | string[] } {
  const kept = Object.entries(endToEndHeaders(withoutBearerProtocol(headers)));
  return Object.fromEntries(kept.filter(([name]) => !credentials.test(name)));
}

/** A forwarded call. If the other server may take over the connection, the upgrade header is kept. */
export function forwardedCall(call: Call, connection: "kept" | "closed"): Call {
  const { upgrade } = call.headers;
  const kept = forwardedHeaders(call.headers);
  return withHeaders(
    call,
    upgrade === undefined || connection === "closed" ? kept : { ...kept, connection: "Upgrade", upgrade },
  );
}

/** The header names in a `Connection` header. */
function namedIn(connection: Headers[string]): ReadonlySet<string> {
  const names = [connection ?? []].flat().flatMap((value) => value.split(","));
  return new Set(names.map((name) => name.trim().toLowerCase()));
}
