/** Keeps an identity for as long as it holds and fetches a new one once, however many requests wait for it. */
import type { Clock } from "../host/clock.ts";
import type { Credential, Identity } from "./credential.ts";

/** An identity and until when it holds, in milliseconds since 1970. */
export interface Issued {
  readonly identity: Identity;
  readonly expiresAt?: number | undefined;
}

/** A credential that is fetched when it is first needed, when it has expired and when the server refuses it. */
export function cached(clock: Clock, fetch: () => Promise<Issued>): Credential {
  let issued: Issued | undefined;
  let fetching: Promise<Identity> | undefined;

  function fetchOnce(): Promise<Identity> {
    fetching ??= fetch()
      .then((fresh) => {
        issued = fresh;
        return fresh.identity;
      })
      .finally(() => (fetching = undefined));
    return fetching;
  }

  return {
    current() {
      if (issued === undefined) return fetchOnce();
      const { identity, expiresAt } = issued;
      return expiresAt === undefined || clock.wall() < expiresAt ? identity : fetchOnce();
    },
    renew: async (refused) => (issued === undefined || issued.identity === refused ? fetchOnce() : issued.identity),
  };
}
