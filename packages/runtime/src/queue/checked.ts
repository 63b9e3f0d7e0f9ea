/** Checks numeric settings where they are declared: an invalid value would otherwise show as a hot loop or as silence. */
import type { HotLoopLimit } from "../apply/breaker.ts";
import { RuntimeError, toMilliseconds } from "../errors.ts";
import type { Duration } from "../errors.ts";
import { plainJson } from "../report/plain-json.ts";
import type { Curve, Curves, Failure } from "./backoff.ts";
import type { Rate } from "./bucket.ts";

/** A count of at least one; `what` names the setting in error messages. */
export function checkedCount(count: number, what: string): number {
  return Number.isInteger(count) && count >= 1 ? count : refuse(count, what, "use 1 or more");
}

/** A duration of at least `least` milliseconds. */
export function checkedDuration(duration: Duration, what: string, least = 1): number {
  const milliseconds = toMilliseconds(duration);
  return milliseconds >= least ? milliseconds : refuse(duration, what, `use ${least} milliseconds or more`);
}

/** A rate with a positive frequency and burst. */
export function checkedRate(rate: Rate, what: string): Rate {
  if (isPositive(rate.perSecond) && isPositive(rate.burst) && rate.burst >= 1) return rate;
  return refuse(rate, what, "use more than 0 reconciles per second, and a burst of 1 or more");
}

/** Backoff curves that rise from one delay to another. */
export function checkedBackoff(curves: Curves<Duration>, what: string): Curves {
  const checked = (failure: Failure): Curve => checkedCurve(curves[failure], `${what} for "${failure}"`);
  return {
    conflict: checked("conflict"),
    throttled: checked("throttled"),
    unavailable: checked("unavailable"),
    rejected: checked("rejected"),
    error: checked("error"),
  };
}

function checkedCurve(curve: Curve<Duration>, what: string): Curve {
  const first = millisecondsOf(curve.first);
  const longest = millisecondsOf(curve.longest);
  const { factor } = curve;
  const rises = isPositive(first) && isPositive(longest) && isPositive(factor) && longest >= first && factor >= 1;
  if (rises) return { first, longest, factor };
  return refuse(curve, what, "use a `first` above 0, a `longest` not below it, and a `factor` of 1 or more");
}

/** A number that is not a duration is rejected together with the whole setting. */
function millisecondsOf(duration: Duration): number {
  return typeof duration === "string" ? toMilliseconds(duration) : duration;
}

/** A limit that allows at least one write. */
export function checkedLimit(limit: HotLoopLimit<Duration>, what: string): HotLoopLimit {
  const { writes } = limit;
  const within = millisecondsOf(limit.within);
  if (writes >= 1 && isPositive(writes) && isPositive(within)) return { writes, within };
  return refuse(limit, what, "use 1 write or more within more than 0 milliseconds");
}

function isPositive(number: number): boolean {
  return Number.isFinite(number) && number > 0;
}

function refuse(value: unknown, what: string, cure: string): never {
  const text = typeof value === "object" ? plainJson(value) : String(value as number | string);
  throw new RuntimeError("BadSetting", `Cannot use ${text} as the ${what}: ${cure}.`);
}
