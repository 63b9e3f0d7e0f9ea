/** The headers that go on when a request or an answer is passed to a pod, a kubelet, an aggregated server or a client. */
import { withoutBearerProtocol } from "../authenticate/bearer.ts";
import { withHeaders, type Call, type Headers } from "../call.ts";

/** Headers that concern one connection only (RFC 9110, 7.6.1), as Go's reverse proxy knows them, and the pseudo headers of HTTP/2. */
const hopByHop = /^(?::.*|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|http2-settings)$/;

/** Headers that say who asks, or prove it. Only the API server itself may say so to another server. */
const credentials = /^(?:authorization|impersonate-.*|x-remote-.*)$/;

/** Headers without those of the connection. */
export function endToEndHeaders(headers: Headers): { [name: string]: string | string[] } {
  const named = namedIn(headers["connection"]);
  const kept: { [name: string]: string | string[] } = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || hopByHop.test(name) || named.has(name)) continue;
    kept[name] = typeof value === "string" ? value : [...value];
  }
  return kept;
}

/** The headers of a request for another server: neither those of the connection nor credentials. */
export function forwardedHeaders(headers: Headers): { [name: string]: string | string[] } {
  const kept = Object.entries(endToEndHeaders(withoutBearerProtocol(headers)));
  return Object.fromEntries(kept.filter(([name]) => !credentials.test(name)));
}

/** A call for another server that may take the connection over: it still says which protocol the client wants to change to. */
export function forwardedCall(call: Call, connection: "kept" | "closed"): Call {
  const { upgrade } = call.headers;
  const kept = forwardedHeaders(call.headers);
  return withHeaders(
    call,
    upgrade === undefined || connection === "closed" ? kept : { ...kept, connection: "Upgrade", upgrade },
  );
}

/** What the value of a `Connection` header names. */
function namedIn(connection: Headers[string]): ReadonlySet<string> {
  const names = [connection ?? []].flat().flatMap((value) => value.split(","));
  return new Set(names.map((name) => name.trim().toLowerCase()));
}
