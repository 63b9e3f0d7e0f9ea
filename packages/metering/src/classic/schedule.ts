/** The periods of classic schedules, in UTC. */
import { Cron } from "croner";
import { MeterError } from "../error.ts";
import type { ClassicSchedule } from "./objects.ts";

const days: { readonly [name: string]: number } = {
  sun: 0,
  mon: 1,
  tue: 2,
  tues: 2,
  wed: 3,
  weds: 3,
  thu: 4,
  thur: 4,
  thurs: 4,
  fri: 5,
  sat: 6,
};

/** The first tick after an instant. */
export function nextTick(schedule: ClassicSchedule, after: number): number {
  const next = new Cron(expressionOf(schedule), { timezone: "UTC" }).nextRun(new Date(after));
  if (next === null) throw new MeterError("BadInput", "the schedule has no next time");
  return next.getTime();
}

function expressionOf(schedule: ClassicSchedule): string {
  const { period, cron } = schedule;
  const part = (name: "second" | "minute" | "hour", limit: number): number => {
    const value = schedule.at[name] ?? 0;
    if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= limit) return value;
    throw new MeterError("BadInput", `invalid ${name}: ${JSON.stringify(value)}; it must be 0 to ${limit}`);
  };
  switch (period.toLowerCase()) {
    case "cron": {
      if (cron === undefined || cron === "")
        throw new MeterError("BadInput", "spec.schedule.cron.expression must be specified");
      return cron;
    }
    case "hourly":
      return `${part("second", 59)} ${part("minute", 59)} * * * *`;
    case "daily":
      return `${part("second", 59)} ${part("minute", 59)} ${part("hour", 23)} * * *`;
    case "weekly":
      return `${part("second", 59)} ${part("minute", 59)} ${part("hour", 23)} * * ${dayOf(schedule.at.dayOfWeek)}`;
    case "monthly":
      return `${part("second", 59)} ${part("minute", 59)} ${part("hour", 23)} ${dayOfMonth(schedule.at.dayOfMonth)} * *`;
    default:
      throw new MeterError(
        "BadInput",
        `invalid Report.spec.schedule.period: ${period}; it must be hourly, daily, weekly, monthly or cron`,
      );
  }
}

function dayOf(name: unknown): number {
  if (name === undefined) return 0;
  const word = typeof name === "string" ? name.toLowerCase() : "";
  const found = days[word] ?? (word.endsWith("day") ? days[word.slice(0, 3)] : undefined);
  if (found === undefined) throw new MeterError("BadInput", `invalid day of week: ${JSON.stringify(name)}`);
  return found;
}

function dayOfMonth(value: unknown): number {
  if (value === undefined) return 1;
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= 31) return value;
  throw new MeterError("BadInput", `invalid dayOfMonth: ${JSON.stringify(value)}; it must be 1 to 31`);
}
