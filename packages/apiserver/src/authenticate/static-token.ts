/** Tokens that were agreed on when the server was started. */
import type { Authenticator } from "./authenticator.ts";
import { bearerTokenOf } from "./bearer.ts";
import { authenticatedGroup, type UserInfo } from "./user.ts";

export function staticTokenAuthenticator(tokens: ReadonlyMap<string, UserInfo>): Authenticator {
  return {
    name: "static-token",
    authenticate(call) {
      const token = bearerTokenOf(call);
      if (token === undefined) return { type: "none" };
      const user = tokens.get(token);
      if (user === undefined) return { type: "rejected", reason: "invalid bearer token" };
      return { type: "user", user: withEverybody(user) };
    },
  };
}

/** Whoever has a token is somebody. */
export function withEverybody(user: UserInfo): UserInfo {
  return { ...user, groups: [...user.groups.filter((group) => group !== authenticatedGroup), authenticatedGroup] };
}
