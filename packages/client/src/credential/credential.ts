/** Who a request comes from: headers and perhaps a certificate, renewed when they no longer hold. */

/** What proves who we are. */
export interface Identity {
  readonly headers: Readonly<Record<string, string>>;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** A source of identities. */
export interface Credential {
  /** The identity to use now: at once where it is at hand. */
  current(): Identity | Promise<Identity>;
  /** The server did not accept this one (401): get another. Answers the same one where there is no other. */
  renew(refused: Identity): Promise<Identity>;
}

/** Somebody unknown, or known by a client certificate alone. */
export const anonymous: Identity = { headers: {} };

/** The identity of a bearer token. */
export function bearer(token: string): Identity {
  return { headers: { authorization: `Bearer ${token}` } };
}

/** An identity that never changes. */
export function fixed(identity: Identity): Credential {
  return { current: () => identity, renew: async () => identity };
}
