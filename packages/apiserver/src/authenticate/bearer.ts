/** The bearer token of a call: in its header, or in the sub-protocol of a WebSocket, which cannot set headers. */
import { isUtf8 } from "node:buffer";
import { asksForWebSocket, type Call, headerOf, type Headers } from "../call.ts";

const protocolHeader = "sec-websocket-protocol";
const protocolPrefix = "base64url.bearer.authorization.k8s.io.";

/** Whether a sub-protocol carries a token. */
export function isBearerProtocol(protocol: string): boolean {
  return protocol.startsWith(protocolPrefix);
}

/** A token, an unreadable token, or none; in the last case perhaps with a warning about a malformed one. */
export type Bearer =
  | { readonly type: "token"; readonly token: string }
  | { readonly type: "rejected"; readonly reason: string }
  | { readonly type: "none"; readonly warning?: string };

const extraSpace = "the provided Authorization header contains extra space before the bearer token, and is ignored";

/** The bearer token of an Authorization header; `other` for another scheme. */
export function bearerIn(header: string): Bearer | { readonly type: "other" } {
  const [scheme = "", token, rest] = header.trim().split(" ");
  if (token === undefined || scheme.toLowerCase() !== "bearer") return { type: "other" };
  if (token !== "") return { type: "token", token };
  return rest === undefined ? { type: "none" } : { type: "none", warning: extraSpace };
}

export function bearerOf(call: Call): Bearer {
  const bearer = bearerIn(headerOf(call, "authorization") ?? "");
  if (bearer.type !== "other") return bearer;
  return asksForWebSocket(call) ? bearerAmong(protocolsIn(call.headers)) : { type: "none" };
}

/** The bearer token among WebSocket sub-protocols. There must be another protocol that can be selected once the token is removed. */
function bearerAmong(protocols: readonly string[]): Bearer {
  const [encoded, second] = protocols.filter(isBearerProtocol).map((one) => one.slice(protocolPrefix.length));
  if (encoded === undefined) return { type: "none" };
  if (second !== undefined) return rejected("multiple base64.bearer.authorization tokens specified");
  if (!/^[\w-]*$/.test(encoded) || encoded.length % 4 === 1) {
    return rejected("invalid base64.bearer.authorization token encoding");
  }
  const bytes = Buffer.from(encoded, "base64url");
  if (!isUtf8(bytes)) return rejected("invalid base64.bearer.authorization token");
  if (bytes.length === 0) return { type: "none" };
  if (protocols.every(isBearerProtocol)) return rejected("missing additional subprotocol");
  return { type: "token", token: bytes.toString("utf8") };
}

function rejected(reason: string): Bearer {
  return { type: "rejected", reason };
}

/** The headers without a token among the sub-protocols: after authentication, no handler and no other server sees it. */
export function withoutBearerProtocol(headers: Headers): Headers {
  const protocols = protocolsIn(headers);
  if (!protocols.some(isBearerProtocol)) return headers;
  const { [protocolHeader]: _offered, ...kept } = headers;
  const others = protocols.filter((one) => !isBearerProtocol(one));
  return others.length === 0 ? kept : { ...kept, [protocolHeader]: others.join(",") };
}

function protocolsIn(headers: Headers): readonly string[] {
  const offered = [headers[protocolHeader] ?? []].flat();
  return offered.flatMap((value) => value.split(",")).map((one) => one.trim());
}
