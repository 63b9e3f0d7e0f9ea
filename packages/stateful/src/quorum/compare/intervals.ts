/** Intervals of requests that make members read all their data. */

/** The cause may be fixed meanwhile. */
export const retryInterval = 60_000;
/** A finding of this age is still good enough. */
export const reuseInterval = 600_000;
const longInterval = 1_800_000;
/** Interval of comparisons while the cluster is healthy. */
export const hourlyInterval = 3_600_000;

interface LastAttempt {
  readonly at: number;
}

/** A time in the future was written before the clock was set back: its age is unknown. */
export function isOlder(
  former: LastAttempt | undefined,
  { now, than }: { readonly now: number; readonly than: number },
): boolean {
  return former === undefined || former.at > now || now - former.at >= than;
}

/**
 * Delay after a failed attempt: it grows with the time without success. A member continues to read its data after the request has timed
 * out.
 */
export function nextInterval({ at }: LastAttempt, since: number, most: number = longInterval): number {
  return Math.min(Math.max(at - since, retryInterval), most);
}
