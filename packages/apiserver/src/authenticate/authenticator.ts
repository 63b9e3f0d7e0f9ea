/** Finds out who a request comes from: the first form of credentials that is recognised decides. */
import type { Call } from "../call.ts";
import type { UserInfo } from "./user.ts";

/** What one form of credentials says about a call. */
export type Authentication =
  /** These credentials are good. `audiences` are those that the token was meant for. */
  | { readonly type: "user"; readonly user: UserInfo; readonly audiences?: readonly string[] }
  /** There are credentials of this form and they are bad: 401 unless another form accepts. */
  | { readonly type: "rejected"; readonly reason: string }
  /** There are no credentials of this form; what only looks like some may deserve a warning. */
  | { readonly type: "none"; readonly warning?: string };

/** One form of credentials: a client certificate, a static token, a service account token. */
export interface Authenticator {
  readonly name: string;
  authenticate(call: Call): Authentication | Promise<Authentication>;
}

/** Asks each form in order. The first that knows the user wins; bad credentials only count when nobody accepts. */
export function authenticateWith(authenticators: readonly Authenticator[]): Authenticator {
  return {
    name: "union",
    async authenticate(call) {
      let rejected: Authentication | undefined;
      let none: Authentication = { type: "none" };
      for (const one of authenticators) {
        const result = await one.authenticate(call);
        if (result.type === "user") return result;
        if (result.type === "rejected") rejected ??= result;
        if (result.type === "none" && result.warning !== undefined) none = result;
      }
      return rejected ?? none;
    },
  };
}
