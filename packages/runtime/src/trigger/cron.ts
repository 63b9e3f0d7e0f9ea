/** Cron schedules: parsed and evaluated by croner, which the cron source and operators share. */
import { Cron } from "croner";

/**
 * The times of a cron expression.
 *
 * @example
 * const isDue = (schedule: CronSchedule, last: number, now: number) => (schedule.next(last) ?? Infinity) <= now;
 */
export interface CronSchedule {
  /** The first time after a moment, both in milliseconds since 1970; undefined if there is none. */
  next(after: number): number | undefined;
}

/** Parses an expression; throws croner's error if it is invalid. Without a time zone, that of the process counts. */
export function cronSchedule(expression: string, timeZone: string | undefined): CronSchedule {
  const pattern = new Cron(expression, timeZone === undefined ? {} : { timezone: timeZone });
  return { next: (after) => pattern.nextRun(new Date(after))?.getTime() };
}

/**
 * Parses a cron expression with five fields, or a name such as `@daily`, in UTC. Returns undefined if it is invalid: a schedule in the spec
 * of an object is checked by the operator.
 *
 * @example
 * controller(Memcached, {}, ({ log }) => {
 *   const next = parseCron("0 3 * * *")?.next(Date.parse("2026-11-18T12:00:00Z"));
 *   log.info("the next backup is due", { next });
 * });
 */
export function parseCron(expression: string): CronSchedule | undefined {
  try {
    // Kubernetes permits `3/6`: from 3 on, every sixth.
    const pattern = new Cron(expression, { timezone: "UTC", mode: "5-part", sloppyRanges: true });
    return { next: (after) => pattern.nextRun(new Date(after))?.getTime() };
  } catch {
    return undefined;
  }
}
