/** Caches an identity until it expires, and fetches a new one once for all waiting requests. */
import { singleFlight } from "../abort/single-flight.ts";
import type { WhenUnawaited } from "../abort/single-flight.ts";
import type { Clock } from "../host/clock.ts";
import { isSameIdentity } from "./credential.ts";
import type { Credential, Identity } from "./credential.ts";

/** An identity and its expiry in milliseconds since 1970. */
export interface Issued {
  readonly identity: Identity;
  readonly expiresAt?: number | undefined;
}

/** A credential that is fetched on first use, after expiry, and after the server rejects it. */
export function cached(
  clock: Clock,
  fetch: (signal: AbortSignal) => Promise<Issued>,
  whenUnawaited: WhenUnawaited = "cancel",
): Credential {
  let issued: Issued | undefined;
  const wait = singleFlight(async (signal) => keep(await fetch(signal)), whenUnawaited);

  /** Keeps the old object when the new identity is equal, so that a rejected identity is not sent again. */
  function keep(fresh: Issued): Identity {
    const known = issued?.identity;
    const identity = known !== undefined && isSameIdentity(known, fresh.identity) ? known : fresh.identity;
    issued = { ...fresh, identity };
    return identity;
  }

  return {
    current(signal) {
      if (issued === undefined) return wait(signal);
      const { identity, expiresAt } = issued;
      return expiresAt === undefined || clock.wall() < expiresAt ? identity : wait(signal);
    },
    renew: async (refused, signal) =>
      issued === undefined || issued.identity === refused ? await wait(signal) : issued.identity,
  };
}
