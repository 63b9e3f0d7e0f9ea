/** Settings that are numbers, checked where they are written: what makes no sense would otherwise show as a loop or as silence. */
import type { WriteBudget } from "./apply/breaker.ts";
import { RuntimeError, toMilliseconds } from "./errors.ts";
import type { Duration } from "./errors.ts";
import { plainJson } from "./plain-json.ts";
import type { Curves } from "./queue/backoff.ts";
import type { Rate } from "./queue/bucket.ts";

/** A count of at least one; `what` is how users know the setting. */
export function checkedCount(count: number, what: string): number {
  return Number.isInteger(count) && count >= 1 ? count : refuse(count, what, "use 1 or more");
}

/** A duration of at least so many milliseconds. */
export function checkedDuration(duration: Duration, what: string, least = 1): number {
  const milliseconds = toMilliseconds(duration);
  return milliseconds >= least ? milliseconds : refuse(duration, what, `use ${least} milliseconds or more`);
}

/** A rate at which something ever happens. */
export function checkedRate(rate: Rate, what: string): Rate {
  if (isPositive(rate.perSecond) && isPositive(rate.burst) && rate.burst >= 1) return rate;
  return refuse(rate, what, "use more than 0 turns per second, and a burst of 1 or more");
}

/** Curves that rise from one wait to another. */
export function checkedBackoff(curves: Curves, what: string): Curves {
  for (const [failure, { first, longest, factor }] of Object.entries(curves)) {
    const rises = isPositive(first) && isPositive(longest) && isPositive(factor) && longest >= first && factor >= 1;
    const cure = "use a `first` above 0, a `longest` not below it, and a `factor` of 1 or more";
    if (!rises) refuse({ first, longest, factor }, `${what} for "${failure}"`, cure);
  }
  return curves;
}

/** A budget that lets something be written. */
export function checkedBudget(budget: WriteBudget, what: string): WriteBudget {
  if (budget.writes >= 1 && isPositive(budget.writes) && isPositive(budget.within)) return budget;
  return refuse(budget, what, "use 1 write or more within more than 0 milliseconds");
}

function isPositive(number: number): boolean {
  return Number.isFinite(number) && number > 0;
}

function refuse(value: unknown, what: string, cure: string): never {
  const text = typeof value === "object" ? plainJson(value) : String(value as number | string);
  throw new RuntimeError("BadSetting", `Cannot use ${text} as the ${what}: ${cure}.`);
}
