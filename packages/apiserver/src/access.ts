/** Authorization and token authentication for access reviews, RBAC escalation checks, and TokenRequest. */
import { createPrivateKeyPem, toJwtKey, type JwtKey } from "@capstan/pki";
import type { Authentication, Authenticator } from "./authenticate/authenticator.ts";
import { bearerOf } from "./authenticate/bearer.ts";
import { checkToken, type TokenAuthority } from "./authenticate/service-account.ts";
import { withEverybody, type UserInfo } from "./authenticate/user.ts";
import type { Authorizer } from "./authorize/authorizer.ts";

/** Authorizer and token functions that request handlers use. */
export interface Access {
  readonly authorizer: Authorizer;
  /** Issues and checks service account tokens. The key is generated at the first use, because most tests have no tokens. */
  tokens(): TokenAuthority;
  /** The public key that verifies those tokens. */
  key(): JwtKey;
  /** Authenticates a token for one of these audiences. Without audiences, the token must be for the server itself. */
  authenticate(token: string, audiences: readonly string[]): Authentication;
}

export interface AccessParts extends Omit<TokenAuthority, "privateKeyPem"> {
  readonly authorizer: Authorizer;
  /** Static tokens and their users. */
  readonly known: ReadonlyMap<string, UserInfo>;
  /** Signs service account tokens. Default: a generated key. */
  readonly privateKeyPem?: string | undefined;
}

export function openAccess({ authorizer, known, privateKeyPem, ...rest }: AccessParts): Access {
  let made: TokenAuthority | undefined;
  let verifying: JwtKey | undefined;
  const tokens = (): TokenAuthority => (made ??= { ...rest, privateKeyPem: privateKeyPem ?? createPrivateKeyPem() });
  const key = (): JwtKey => (verifying ??= toJwtKey(tokens().privateKeyPem));
  return {
    authorizer,
    tokens,
    key,
    authenticate(token, audiences) {
      const user = known.get(token);
      const wanted = audiences.length === 0 ? rest.audiences : audiences;
      if (user === undefined) return checkToken(token, wanted, tokens(), key());
      const shared = rest.audiences.filter((audience) => wanted.includes(audience));
      if (shared.length === 0) return { type: "none" };
      return { type: "user", user: withEverybody(user), audiences: shared };
    },
  };
}

/** Accepts bearer tokens: static tokens and service account tokens. */
export function tokenAuthenticator(access: Access): Authenticator {
  return {
    name: "token",
    authenticate(call) {
      const bearer = bearerOf(call);
      if (bearer.type !== "token") return bearer;
      const found = access.authenticate(bearer.token, []);
      return found.type === "none" ? { type: "rejected", reason: "invalid bearer token" } : found;
    },
  };
}
