/** The backoff of a key after a failure: each kind of failure has its own curve, and only a retry that was due advances it. */
import type { Random } from "../clock.ts";

/** The kinds of failure with different backoffs. */
export type Failure = "conflict" | "throttled" | "unavailable" | "rejected" | "error";

/** A curve: the first delay, the longest, and the factor between them. `D` is milliseconds, or a `Duration` where users write it. */
export interface Curve<D = number> {
  readonly first: D;
  readonly longest: D;
  readonly factor: number;
}

/** One curve for each kind of failure. */
export type Curves<D = number> = { readonly [F in Failure]: Curve<D> };

/**
 * The defaults: a conflict is resolved at once, an overloaded or absent server needs time, a rejected object is only fixed by a change,
 * and an unknown error starts quickly and ends slowly.
 */
export const usualCurves: Curves = {
  conflict: { first: 5, longest: 1_000, factor: 2 },
  throttled: { first: 1_000, longest: 60_000, factor: 2 },
  unavailable: { first: 500, longest: 30_000, factor: 2 },
  rejected: { first: 5_000, longest: 600_000, factor: 2 },
  error: { first: 5, longest: 1_000_000, factor: 2 },
};

/** The position of a key on its curves. */
export interface Retries {
  readonly failure: Failure;
  /** The number of consecutive failures of any kind. */
  readonly attempts: number;
  /** The number of failures of each kind: alternating failures still advance on their curves. */
  readonly waits: { readonly [F in Failure]?: number };
  readonly due: number;
}

/** One failure. */
export interface FailureSeen {
  readonly failure: Failure;
  readonly now: number;
  /** The server's Retry-After in milliseconds. */
  readonly atLeast?: number | undefined;
}

/**
 * The next entry after a failure. If an event caused the run before the retry was due, the failure does not advance the backoff: the
 * entry stays the same.
 */
export function nextRetry(previous: Retries | undefined, seen: FailureSeen, curves: Curves, random: Random): Retries {
  const { failure, now, atLeast = 0 } = seen;
  const pending = previous !== undefined && now < previous.due ? previous.due : Infinity;
  const isDue = pending === Infinity;
  if (!isDue && previous?.failure === failure && now + atLeast <= pending) return previous;
  const waits = Math.max(1, (previous?.waits[failure] ?? 0) + (isDue ? 1 : 0));
  const curve = curves[failure];
  const full = Math.min(curve.longest, curve.first * curve.factor ** (waits - 1));
  const jittered = full * (0.8 + 0.2 * random());
  return {
    failure,
    attempts: (previous?.attempts ?? 0) + (isDue ? 1 : 0),
    waits: { ...previous?.waits, [failure]: waits },
    // However many events arrive in between, the retry runs when it was due: only Retry-After may delay it.
    due: Math.max(now + atLeast, Math.min(now + jittered, pending)),
  };
}
