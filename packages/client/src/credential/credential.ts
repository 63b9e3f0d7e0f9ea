/** The identity of requests: headers and an optional certificate, renewed when they expire. */
import { ApiError } from "../error/api-error.ts";

/** What authenticates a request. */
export interface Identity {
  readonly headers: Readonly<Record<string, string>>;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** A source of identities. */
export interface Credential {
  /** The current identity, synchronously if available. The signal ends the wait. */
  current(signal?: AbortSignal): Identity | Promise<Identity>;
  /** Called when the server rejected an identity (401). Returns the same one if there is no other. */
  renew(refused: Identity, signal?: AbortSignal): Promise<Identity>;
}

/** Anonymous, or identified by a client certificate only. */
export const anonymous: Identity = { headers: {} };

/** The identity of a bearer token; `from` names its source in errors. */
export function bearer(token: string, from: string): Identity {
  const problem = token === "" ? "is empty" : VISIBLE.test(token) ? undefined : "has characters that no token has";
  if (problem === undefined) return { headers: { authorization: `Bearer ${token}` } };
  const cure = "Log in again, or correct what writes it.";
  throw new ApiError({ code: "CredentialsFailed", message: `Cannot use the token of ${from}: it ${problem}. ${cure}` });
}

/** The characters a header may carry: a token must not inject lines. */
const VISIBLE = /^[\x21-\x7e]+$/u;

/** Whether two identities are equal for a server. */
export function isSameIdentity(one: Identity, other: Identity): boolean {
  const { headers, cert, key } = one;
  return headers["authorization"] === other.headers["authorization"] && cert === other.cert && key === other.key;
}

/** An identity that never changes. */
export function fixed(identity: Identity): Credential {
  return { current: () => identity, renew: async () => identity };
}
