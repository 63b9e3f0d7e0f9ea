/** Indexes of an indexed job, written as `1,3-5,7`. */
import { parseInt64, quote } from "@capstan/model";

/** An interval of indexes, both ends included. */
type Interval = readonly [first: number, last: number];

/** The number of indexes in a text, or the error. */
export function countIndexes(text: string, completions: number): number | string {
  if (text === "") return 0;
  let total = 0;
  let previous: number | undefined;
  for (const part of text.split(",")) {
    const interval = parseInterval(part, completions);
    if (typeof interval === "string") return interval;
    const [first, last] = interval;
    if (previous !== undefined && previous >= first) {
      return `non-increasing order, previous: ${previous}, current: ${first}`;
    }
    total += last - first + 1;
    previous = last;
  }
  return total;
}

function parseInterval(text: string, completions: number): Interval | string {
  const [low = "", high, ...more] = text.split("-");
  if (more.length > 0) {
    return `the fragment ${quote(text)} violates the requirement that an index interval can have at most two parts separated by '-'`;
  }
  const first = parseIndex(low, completions);
  if (typeof first === "string") return first;
  if (high === undefined) return [first, first];
  const last = parseIndex(high, completions);
  if (typeof last === "string") return last;
  return first >= last ? `non-increasing order, previous: ${first}, current: ${last}` : [first, last];
}

function parseIndex(text: string, completions: number): number | string {
  if (!/^[+-]?[0-9]+$/.test(text) || parseInt64(text) === undefined) {
    return `cannot convert string to integer for index: ${quote(text)}`;
  }
  const index = Number(text);
  return index >= completions ? `too large index: ${quote(text)}` : index;
}

/** The first index that both texts contain; malformed intervals are ignored. */
export function firstOverlap(completed: string, failed: string, completions: number): number | undefined {
  if (completed === "" || failed === "") return undefined;
  const left = soundIntervals(completed, completions);
  const right = soundIntervals(failed, completions);
  for (let i = 0, j = 0; i < left.length && j < right.length;) {
    const [a = [0, 0], b = [0, 0]] = [left[i], right[j]];
    if (a[0] <= b[1] && b[0] <= a[1]) return Math.max(a[0], b[0]);
    if (a[0] <= b[0]) i++;
    else j++;
  }
  return undefined;
}

function soundIntervals(text: string, completions: number): Interval[] {
  return text
    .split(",")
    .map((part) => parseInterval(part, completions))
    .filter((interval) => typeof interval !== "string");
}
