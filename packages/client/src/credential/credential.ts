/** Who a request comes from: headers and perhaps a certificate, renewed when they no longer hold. */
import { ApiError } from "../error/api-error.ts";

/** What proves who we are. */
export interface Identity {
  readonly headers: Readonly<Record<string, string>>;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** A source of identities. */
export interface Credential {
  /** The identity to use now: at once where it is at hand. Who is no longer interested says so by the signal. */
  current(signal?: AbortSignal): Identity | Promise<Identity>;
  /** The server did not accept this one (401): get another. Answers the same one where there is no other. */
  renew(refused: Identity, signal?: AbortSignal): Promise<Identity>;
}

/** Somebody unknown, or known by a client certificate alone. */
export const anonymous: Identity = { headers: {} };

/** The identity of a bearer token, which comes from somewhere. */
export function bearer(token: string, from: string): Identity {
  const problem = token === "" ? "is empty" : VISIBLE.test(token) ? undefined : "has characters that no token has";
  if (problem === undefined) return { headers: { authorization: `Bearer ${token}` } };
  const cure = "Log in again, or correct what writes it.";
  throw new ApiError({ code: "CredentialsFailed", message: `Cannot use the token of ${from}: it ${problem}. ${cure}` });
}

/** What a header can carry: nobody may add lines to a request by a token. */
const VISIBLE = /^[\x21-\x7e]+$/u;

/** Whether two identities prove the same to a server. */
export function isSameIdentity(one: Identity, other: Identity): boolean {
  const { headers, cert, key } = one;
  return headers["authorization"] === other.headers["authorization"] && cert === other.cert && key === other.key;
}

/** An identity that never changes. */
export function fixed(identity: Identity): Credential {
  return { current: () => identity, renew: async () => identity };
}
