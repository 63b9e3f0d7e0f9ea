/** Which scheduled times passed without a Job. Pure. */
import type { Schedule } from "./schedule.ts";

/** The time span to check. */
export interface Span {
  readonly from: number;
  readonly now: number;
}

/** The missed times of a span. */
export interface Missed {
  /** The last scheduled time before now. */
  readonly last: number | undefined;
  /** The approximate count, estimated from the distance of the first two times: iterating over decades would take too long. */
  readonly count: number;
}

/** Finds the scheduled times in a span. */
export function missedIn(schedule: Schedule, { from, now }: Span): Missed {
  const first = schedule.after(from);
  if (first === undefined || now < first) return { last: undefined, count: 0 };
  const second = schedule.after(first);
  if (second === undefined || now < second) return { last: first, count: 0 };
  const distance = Math.max(1, Math.round((second - first) / 1000)) * 1000;
  const count = Math.floor((now - first) / distance) + 1;
  return { last: lastFrom(schedule, first + (count - 2) * distance, now), count };
}

/** Searches from one step before the estimated last time, because distances vary. */
function lastFrom(schedule: Schedule, from: number, now: number): number | undefined {
  let last: number | undefined;
  for (let time = schedule.after(from); time !== undefined && time <= now; time = schedule.after(time)) last = time;
  return last;
}

/** When to check again: the next scheduled time after the last one. */
export function nextAfter(schedule: Schedule, { from, now }: Span): number | undefined {
  const { last, count } = missedIn(schedule, { from, now });
  return schedule.after(last ?? (count === 0 ? from : now));
}
