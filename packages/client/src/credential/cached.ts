/** Keeps an identity for as long as it holds and fetches a new one once, however many requests wait for it. */
import { singleFlight } from "../abort/single-flight.ts";
import type { WhenUnawaited } from "../abort/single-flight.ts";
import type { Clock } from "../host/clock.ts";
import { isSameIdentity } from "./credential.ts";
import type { Credential, Identity } from "./credential.ts";

/** An identity and until when it holds, in milliseconds since 1970. */
export interface Issued {
  readonly identity: Identity;
  readonly expiresAt?: number | undefined;
}

/** A credential that is fetched when it is first needed, when it has expired and when the server refuses it. */
export function cached(
  clock: Clock,
  fetch: (signal: AbortSignal) => Promise<Issued>,
  whenUnawaited: WhenUnawaited = "cancel",
): Credential {
  let issued: Issued | undefined;
  const wait = singleFlight(async (signal) => keep(await fetch(signal)), whenUnawaited);

  /** What proves the same is the same: a server that refused it is not asked with it again. */
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
