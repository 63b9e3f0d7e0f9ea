/** Who may do what, and whose a token is: for reviews, for rules that grant rights, and for issuing tokens. */
import { createPrivateKeyPem, toJwtKey, type JwtKey } from "@capstan/pki";
import type { Authentication, Authenticator } from "./authenticate/authenticator.ts";
import { bearerOf } from "./authenticate/bearer.ts";
import { checkToken, type TokenAuthority } from "./authenticate/service-account.ts";
import { withEverybody, type UserInfo } from "./authenticate/user.ts";
import type { Authorizer } from "./authorize/authorizer.ts";

/** What a request may ask about rights and identities. */
export interface Access {
  readonly authorizer: Authorizer;
  /** Issues and checks the tokens of service accounts. The key is made when the first token is seen: most tests have none. */
  tokens(): TokenAuthority;
  /** What verifies those tokens. */
  key(): JwtKey;
  /** Whose a token is, if it is meant for one of these audiences; without any, for the server itself. */
  authenticate(token: string, audiences: readonly string[]): Authentication;
}

/** What access is made from. */
export interface AccessParts extends Omit<TokenAuthority, "privateKeyPem"> {
  readonly authorizer: Authorizer;
  /** Tokens that were agreed on. */
  readonly known: ReadonlyMap<string, UserInfo>;
  /** Signs tokens; one is made when there is none. */
  readonly privateKeyPem?: string | undefined;
}

/** Puts access together. */
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

/** Accepts bearer tokens: those that were agreed on and those of service accounts. */
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
