/** The bearer token of a call: in its header, or in the sub-protocol of a WebSocket that cannot set headers. */
import { type Call, headerOf } from "../call.ts";

const protocolPrefix = "base64url.bearer.authorization.k8s.io.";

export function bearerTokenOf(call: Call): string | undefined {
  const header = /^bearer +(\S+)\s*$/i.exec(headerOf(call, "authorization") ?? "");
  if (header) return header[1];
  const protocols = (headerOf(call, "sec-websocket-protocol") ?? "").split(",").map((one) => one.trim());
  const encoded = protocols.find((one) => one.startsWith(protocolPrefix))?.slice(protocolPrefix.length);
  return encoded === undefined ? undefined : Buffer.from(encoded, "base64url").toString("utf8");
}
