/** Which times of a schedule have passed without a Job. Pure. */
import type { Schedule } from "./schedule.ts";

/** The span in which times count. */
export interface Span {
  readonly from: number;
  readonly now: number;
}

/** What has passed. */
export interface Missed {
  /** The last time before now. */
  readonly last: number | undefined;
  /** How many there are about, judged by the distance of the first two: counting decades of them would take for ever. */
  readonly count: number;
}

/** Looks for times that have passed. */
export function missedIn(schedule: Schedule, { from, now }: Span): Missed {
  const first = schedule.after(from);
  if (first === undefined || now < first) return { last: undefined, count: 0 };
  const second = schedule.after(first);
  if (second === undefined || now < second) return { last: first, count: 0 };
  const distance = Math.max(1, Math.round((second - first) / 1000)) * 1000;
  const count = Math.floor((now - first) / distance) + 1;
  return { last: lastFrom(schedule, first + (count - 2) * distance, now), count };
}

/** One step back from where the last one should be: distances are not always the same. */
function lastFrom(schedule: Schedule, from: number, now: number): number | undefined {
  let last: number | undefined;
  for (let time = schedule.after(from); time !== undefined && time <= now; time = schedule.after(time)) last = time;
  return last;
}

/** When to look again: the time after the last one that counted. */
export function nextAfter(schedule: Schedule, { from, now }: Span): number | undefined {
  const { last, count } = missedIn(schedule, { from, now });
  return schedule.after(last ?? (count === 0 ? from : now));
}
