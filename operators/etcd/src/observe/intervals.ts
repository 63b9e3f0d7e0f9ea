/** How often something is asked for that everybody has to read all data for. */

/** Somebody may be mending it. */
export const retryInterval = 60_000;
/** What was found a moment ago will do. */
export const reuseInterval = 600_000;
const longInterval = 1_800_000;
/** So often everybody is compared while all is well. */
export const hourlyInterval = 3_600_000;

/** What was done, and when. */
interface LastAttempt {
  readonly at: number;
}

/** What was written by a clock that has been put back since is of nobody knows when. */
export function isOlder(
  former: LastAttempt | undefined,
  { now, than }: { readonly now: number; readonly than: number },
): boolean {
  return former === undefined || former.at > now || now - former.at >= than;
}

/**
 * How long to wait after something was tried in vain: the longer it could not be had, the longer. A member goes on reading when nobody
 * waits for it any more.
 */
export function nextInterval({ at }: LastAttempt, since: number, most = longInterval): number {
  return Math.min(Math.max(at - since, retryInterval), most);
}
