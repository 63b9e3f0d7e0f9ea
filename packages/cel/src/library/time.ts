/** The parts of timestamps and durations: `getHours()` and its siblings. */

import type { FunctionDeclaration, Implementation, Overload } from "../check/declarations.ts";
import { member } from "../check/declarations.ts";
import { DURATION, INT, STRING, TIMESTAMP } from "../type.ts";
import type { WallTime } from "../values/time.ts";
import { durationSeconds, wallTime, zoneOffset } from "../values/time.ts";
import type { CelValue } from "../values/value.ts";
import { CelDuration, CelError, CelTimestamp, noSuchOverload } from "../values/value.ts";

type Part = (time: WallTime) => number;

function partOf(part: Part): Implementation {
  return (timestamp, zone) => {
    if (!(timestamp instanceof CelTimestamp)) return noSuchOverload();
    const offset = typeof zone === "string" ? zoneOffset(timestamp, zone) : 0;
    if (typeof offset !== "number") return offset instanceof CelError ? offset : noSuchOverload();
    return BigInt(part(wallTime(timestamp, offset)));
  };
}

const SUFFIXES: Record<string, string> = { seconds: "seconds_tz" };

function timePart(name: string, suffix: string, part: Part, more: readonly Overload[] = []): FunctionDeclaration {
  const implementation = partOf(part);
  const withZone = `timestamp_to_${SUFFIXES[suffix] ?? `${suffix}_with_tz`}`;
  return {
    name,
    overloads: [
      member(`timestamp_to_${suffix}`, [TIMESTAMP], INT, implementation),
      member(withZone, [TIMESTAMP, STRING], INT, implementation),
      ...more,
    ],
  };
}

function durationPart(name: string, unitSeconds: number): Overload {
  const implementation = (duration: CelValue): bigint | CelError => {
    if (!(duration instanceof CelDuration)) return noSuchOverload();
    if (unitSeconds < 1) return duration.nanos / 1_000_000n;
    return BigInt(Math.trunc(durationSeconds(duration) / unitSeconds));
  };
  return member(`duration_to_${name}`, [DURATION], INT, implementation as Implementation);
}

function dayOfYear(date: Date): number {
  const start = new Date(0);
  start.setUTCFullYear(date.getUTCFullYear(), 0, 1);
  return Math.floor((date.getTime() - start.getTime()) / 86_400_000);
}

export const TIME_FUNCTIONS: readonly FunctionDeclaration[] = [
  timePart("getFullYear", "year", ({ date }) => date.getUTCFullYear()),
  timePart("getMonth", "month", ({ date }) => date.getUTCMonth()),
  timePart("getDayOfYear", "day_of_year", ({ date }) => dayOfYear(date)),
  timePart("getDayOfMonth", "day_of_month", ({ date }) => date.getUTCDate() - 1),
  timePart("getDate", "day_of_month_1_based", ({ date }) => date.getUTCDate()),
  timePart("getDayOfWeek", "day_of_week", ({ date }) => date.getUTCDay()),
  timePart("getHours", "hours", ({ date }) => date.getUTCHours(), [durationPart("hours", 3600)]),
  timePart("getMinutes", "minutes", ({ date }) => date.getUTCMinutes(), [durationPart("minutes", 60)]),
  timePart("getSeconds", "seconds", ({ date }) => date.getUTCSeconds(), [durationPart("seconds", 1)]),
  timePart("getMilliseconds", "milliseconds", ({ nanosOfSecond }) => Math.floor(nanosOfSecond / 1e6), [
    durationPart("milliseconds", 0.001),
  ]),
];
