/** How long a key waits after a failure: each kind of failure has its own curve, and only a retry that was due advances it. */
import type { Random } from "../clock.ts";

/** The kinds of failure that wait differently. */
export type Failure = "conflict" | "throttled" | "unavailable" | "rejected" | "error";

/** A curve: the first wait, the longest, and the factor between one and the next. `D` is milliseconds, or a `Duration` where users write it. */
export interface Curve<D = number> {
  readonly first: D;
  readonly longest: D;
  readonly factor: number;
}

/** One curve for each kind of failure. */
export type Curves<D = number> = { readonly [F in Failure]: Curve<D> };

/**
 * What is usual: a conflict is over at once, an overloaded or absent server wants rest, a rejected object is only cured by somebody
 * changing something, and an error of unknown kind starts quickly and ends slowly.
 */
export const usualCurves: Curves = {
  conflict: { first: 5, longest: 1_000, factor: 2 },
  throttled: { first: 1_000, longest: 60_000, factor: 2 },
  unavailable: { first: 500, longest: 30_000, factor: 2 },
  rejected: { first: 5_000, longest: 600_000, factor: 2 },
  error: { first: 5, longest: 1_000_000, factor: 2 },
};

/** How far a key has gone down its curves. */
export interface Retries {
  readonly failure: Failure;
  /** How often it failed in a row, in whatever way. */
  readonly attempts: number;
  /** How often in each way: failures that take turns get further down their curves all the same. */
  readonly waits: { readonly [F in Failure]?: number };
  /** When the retry is due. */
  readonly due: number;
}

/** What one failure is measured by. */
export interface FailureSeen {
  readonly failure: Failure;
  readonly now: number;
  /** How long the server asked to wait, in milliseconds. */
  readonly atLeast?: number | undefined;
}

/**
 * The next entry after a failure. A run that an event caused before the retry was due tells nothing new about how long to wait: it
 * keeps the entry as it was.
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
    // However often events come in between, the retry comes when it was due: only the server may put it off.
    due: Math.max(now + atLeast, Math.min(now + jittered, pending)),
  };
}
