/** Buckets of reports and rating periods: hours, days, ISO weeks and months of a time zone, with their names. */
import { type Local, type Zone, localOf, startOfDate } from "./zone.ts";

/** The lengths of buckets. */
export const bucketKinds = ["hour", "day", "week", "month", "total"] as const;

/** The length of a bucket. */
export type BucketKind = (typeof bucketKinds)[number];

/** A piece of time with a name, cut to the window. */
export interface Bucket {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const two = (value: number): string => String(value).padStart(2, "0");

/** The start of the bucket that an instant lies in, and the start of the next one. */
export function boundsOf(kind: Exclude<BucketKind, "total">, zone: Zone, instant: number): readonly [number, number] {
  const local = localOf(zone, instant);
  switch (kind) {
    case "hour":
      return hourBounds(zone, instant);
    case "day":
      return [dateStart(zone, local, 0), dateStart(zone, local, 1)];
    case "week": {
      const monday = -((new Date(Date.UTC(local.year, local.month - 1, local.day)).getUTCDay() + 6) % 7);
      return [dateStart(zone, local, monday), dateStart(zone, local, monday + 7)];
    }
    case "month":
      return [
        startOfDate(zone, local.year, local.month, 1),
        local.month === 12
          ? startOfDate(zone, local.year + 1, 1, 1)
          : startOfDate(zone, local.year, local.month + 1, 1),
      ];
  }
}

function dateStart(zone: Zone, { year, month, day: dayOfMonth }: Local, days: number): number {
  const date = new Date(Date.UTC(year, month - 1, dayOfMonth + days));
  return startOfDate(zone, date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate());
}

/** Local hours; where the offset changes inside one, it is cut there. */
function hourBounds(zone: Zone, instant: number): readonly [number, number] {
  const offset = zone.offsetAt(instant);
  let start = Math.floor((instant + offset) / hour) * hour - offset;
  let end = start + hour;
  while (zone.offsetAt(start) !== offset) start += minute;
  for (let at = start; at < end; at += minute) if (zone.offsetAt(at) !== offset) end = at;
  return [start, end];
}

/** The name of the bucket that starts at an instant. */
export function nameOf(kind: BucketKind, zone: Zone, start: number): string {
  const local = localOf(zone, start);
  const date = `${String(local.year).padStart(4, "0")}-${two(local.month)}-${two(local.day)}`;
  switch (kind) {
    case "hour":
      return `${date}T${two(local.hour)}:${two(local.minute)}${offsetName(zone.offsetAt(start))}`;
    case "day":
      return date;
    case "week":
      return weekName(local);
    case "month":
      return date.slice(0, 7);
    case "total":
      return "total";
  }
}

function offsetName(offset: number): string {
  const absolute = Math.abs(offset) / minute;
  return `${offset < 0 ? "-" : "+"}${two(Math.floor(absolute / 60))}:${two(Math.floor(absolute % 60))}`;
}

function weekName({ year, month, day: dayOfMonth }: Local): string {
  const date = Date.UTC(year, month - 1, dayOfMonth);
  const weekday = (new Date(date).getUTCDay() + 6) % 7;
  const thursday = new Date(date + (3 - weekday) * day);
  const first = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  const week = Math.floor((thursday.getTime() - first) / (7 * day)) + 1;
  return `${thursday.getUTCFullYear()}-W${two(week)}`;
}

/** The window in buckets. */
export function bucketsOf(
  kind: BucketKind,
  zone: Zone,
  window: { readonly from: number; readonly to: number },
): Bucket[] {
  if (kind === "total") return [{ name: "total", start: window.from, end: window.to }];
  const buckets: Bucket[] = [];
  for (let at = window.from; at < window.to;) {
    const [start, end] = boundsOf(kind, zone, at);
    buckets.push({ name: nameOf(kind, zone, Math.min(start, at)), start: at, end: Math.min(end, window.to) });
    at = end;
  }
  return buckets;
}
