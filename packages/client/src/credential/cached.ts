/** Keeps an identity for as long as it holds and fetches a new one once, however many requests wait for it. */
import type { Clock } from "../host/clock.ts";
import { isSameIdentity } from "./credential.ts";
import type { Credential, Identity } from "./credential.ts";

/** An identity and until when it holds, in milliseconds since 1970. */
export interface Issued {
  readonly identity: Identity;
  readonly expiresAt?: number | undefined;
}

/** A fetch that is under way, and how many wait for it. */
interface Fetching {
  readonly fresh: Promise<Identity>;
  readonly end: AbortController;
  waiting: number;
}

/** A credential that is fetched when it is first needed, when it has expired and when the server refuses it. */
export function cached(clock: Clock, fetch: (signal: AbortSignal) => Promise<Issued>): Credential {
  let issued: Issued | undefined;
  let fetching: Fetching | undefined;

  function begin(): Fetching {
    const end = new AbortController();
    const fresh = fetch(end.signal).then(keep);
    const begun: Fetching = { fresh, end, waiting: 0 };
    const forget = (): void => {
      if (fetching === begun) fetching = undefined;
    };
    fresh.then(forget, forget);
    return begun;
  }

  /** What proves the same is the same: a server that refused it is not asked with it again. */
  function keep(fresh: Issued): Identity {
    const known = issued?.identity;
    const identity = known !== undefined && isSameIdentity(known, fresh.identity) ? known : fresh.identity;
    issued = { ...fresh, identity };
    return identity;
  }

  /** Waits for the fetch that is under way. When nobody waits for it any more, it ends. */
  async function wait(signal: AbortSignal | undefined): Promise<Identity> {
    signal?.throwIfAborted();
    const joined = (fetching ??= begin());
    joined.waiting++;
    const aborted = Promise.withResolvers<never>();
    const onAbort = (): void => aborted.reject(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return await Promise.race([joined.fresh, aborted.promise]);
    } finally {
      signal?.removeEventListener("abort", onAbort);
      if (--joined.waiting === 0 && signal?.aborted === true) {
        if (fetching === joined) fetching = undefined;
        joined.end.abort(signal.reason);
      }
    }
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
