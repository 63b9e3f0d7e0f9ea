/** The bearer token of a call: in its header, or in the sub-protocol of a WebSocket that cannot set headers. */
import { type Call, headerOf } from "../call.ts";

const protocolPrefix = "base64url.bearer.authorization.k8s.io.";

/** Whether a sub-protocol is no protocol but a token. */
export function isBearerProtocol(protocol: string): boolean {
  return protocol.startsWith(protocolPrefix);
}

/** A token, or none, and then perhaps why what looks like one is not taken. */
export type Bearer =
  | { readonly type: "token"; readonly token: string }
  | { readonly type: "none"; readonly warning?: string };

const extraSpace = "the provided Authorization header contains extra space before the bearer token, and is ignored";

/** What an Authorization header bears; `other` when it is not about bearers. */
export function bearerIn(header: string): Bearer | { readonly type: "other" } {
  const [scheme = "", token, rest] = header.trim().split(" ");
  if (token === undefined || scheme.toLowerCase() !== "bearer") return { type: "other" };
  if (token !== "") return { type: "token", token };
  return rest === undefined ? { type: "none" } : { type: "none", warning: extraSpace };
}

/** What a call bears. */
export function bearerOf(call: Call): Bearer {
  const bearer = bearerIn(headerOf(call, "authorization") ?? "");
  if (bearer.type !== "other") return bearer;
  const protocols = (headerOf(call, "sec-websocket-protocol") ?? "").split(",").map((one) => one.trim());
  const encoded = protocols.find(isBearerProtocol)?.slice(protocolPrefix.length);
  return encoded === undefined
    ? { type: "none" }
    : { type: "token", token: Buffer.from(encoded, "base64url").toString("utf8") };
}
