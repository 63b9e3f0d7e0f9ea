/** Authentication of a request: the first authenticator that recognises its credentials decides. */
import type { Call } from "../call.ts";
import type { UserInfo } from "./user.ts";

/** The result of one authenticator for a call. */
export type Authentication =
  /** The credentials are valid. `audiences` are those that the token is for. */
  | { readonly type: "user"; readonly user: UserInfo; readonly audiences?: readonly string[] }
  /** The credentials of this form are invalid: 401 unless another authenticator accepts them. */
  | { readonly type: "rejected"; readonly reason: string }
  /** There are no credentials of this form. A malformed attempt may come with a warning. */
  | { readonly type: "none"; readonly warning?: string };

/** One form of credentials: a client certificate, a static token, a service account token. */
export interface Authenticator {
  readonly name: string;
  authenticate(call: Call): Authentication | Promise<Authentication>;
}

/** Runs the authenticators in order. The first one that returns a user wins; a rejection counts only if none accepts. */
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
