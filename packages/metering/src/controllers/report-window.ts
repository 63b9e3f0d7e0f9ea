/** The periods of reports: one window, or from tick to tick of a schedule in a time zone. */
import { Cron } from "croner";
import { MeterError } from "../error.ts";
import type { Window } from "../engine/rate.ts";
import type { UsageReportSpec } from "../kinds/usage-report.ts";
import { parsePeriod, parseTime } from "../time/instant.ts";
import type { Zone } from "../time/zone.ts";
import { zoneOf } from "../time/zone.ts";

/** What of a report decides about its periods. */
export interface Periods {
  readonly spec: Pick<UsageReportSpec, "from" | "to" | "period" | "schedule">;
  readonly zone: Zone;
  /** When the report was created. */
  readonly created: number;
  /** The end of the last period that was reported. */
  readonly last: number | undefined;
}

/** The next period of a scheduled report, however long ago it was; undefined after its end. */
export function nextWindow({ spec, zone, created, last }: Periods): Window | undefined {
  const { schedule, from, to } = spec;
  if (schedule === undefined) return onlyWindow(spec, zone);
  const pattern = cronOf(schedule.cron, schedule.timeZone === undefined ? zone : zoneOf(schedule.timeZone));
  const next = (after: number): number | undefined => pattern.nextRun(new Date(after))?.getTime();
  const begin = last ?? (from === undefined ? next(created) : instantOf("from", from, zone));
  const end = to === undefined ? Number.MAX_SAFE_INTEGER : instantOf("to", to, zone);
  const tick = begin === undefined || begin >= end ? undefined : next(begin);
  return begin === undefined || tick === undefined ? undefined : { from: begin, to: Math.min(tick, end) };
}

function onlyWindow({ from = "", to = "", period }: Periods["spec"], zone: Zone): Window {
  if (period !== undefined) return parsePeriod(period, zone);
  const window = { from: instantOf("from", from, zone), to: instantOf("to", to, zone) };
  if (window.to <= window.from) throw new MeterError("BadInput", `spec.to ${to} is not after spec.from ${from}`);
  return window;
}

function instantOf(field: string, text: string, zone: Zone): number {
  const instant = parseTime(text, zone);
  if (instant !== undefined) return instant;
  throw new MeterError(
    "BadInput",
    `spec.${field} ${JSON.stringify(text)} is not a time; write 2026-03-01 or 2026-03-01T12:00:00Z`,
  );
}

function cronOf(expression: string, zone: Zone): Cron {
  try {
    return new Cron(expression, { timezone: zone.name, mode: "5-part", sloppyRanges: true });
  } catch (cause) {
    throw new MeterError(
      "BadInput",
      `spec.schedule.cron ${JSON.stringify(expression)} is not a schedule of five fields, such as 0 0 1 * *`,
      { cause },
    );
  }
}
