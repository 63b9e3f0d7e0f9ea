/** Maintenance windows: weekdays and times of the day in a time zone, and when the next one begins. */

/** A time of the week. A window whose end is not after its begin ends on the next day. */
export interface Window {
  /** Days on which it begins; 0 is Sunday. */
  readonly days: ReadonlySet<number>;
  /** Minutes since midnight. */
  readonly from: number;
  readonly to: number;
  readonly zone: string;
  readonly text: string;
}

const names = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const WEEK = 7;
const HOUR = 60;
const DAY = 24 * HOUR;
const MINUTE = 60_000;

/** Windows separated by semicolons, each `[DAYS] HH:MM-HH:MM [TIME ZONE]`; undefined if one of them is something else. */
export function parseWindows(text: string): readonly Window[] | undefined {
  const windows = text.split(";").map((each) => parseWindow(each.trim()));
  const read = windows.filter((each) => each !== undefined);
  return read.length === windows.length ? read : undefined;
}

const form = /^(?:(?<days>[A-Za-z,-]+)\s+)?(?<from>\d{1,2}:\d{2})-(?<to>\d{1,2}:\d{2})(?:\s+(?<zone>[\w/+-]+))?$/u;

function parseWindow(text: string): Window | undefined {
  const groups = form.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const days = groups["days"] === undefined ? new Set(names.keys()) : parseDays(groups["days"]);
  const from = parseTime(groups["from"] ?? "");
  const to = parseTime(groups["to"] ?? "");
  const zone = groups["zone"] ?? "UTC";
  if (days === undefined || from === undefined || to === undefined || from === DAY || !isZone(zone)) return undefined;
  return { days, from, to, zone, text };
}

function parseDays(text: string): ReadonlySet<number> | undefined {
  const days = new Set<number>();
  for (const part of text.toLowerCase().split(",")) {
    const [first = "", last = first, ...more] = part.split("-");
    const [from, to] = [names.indexOf(first), names.indexOf(last)];
    if (from < 0 || to < 0 || more.length > 0) return undefined;
    for (let day = from; ; day = (day + 1) % WEEK) {
      days.add(day);
      if (day === to) break;
    }
  }
  return days;
}

function parseTime(text: string): number | undefined {
  const [hours = 0, minutes = 0] = text.split(":").map(Number);
  const time = hours * HOUR + minutes;
  return minutes < HOUR && time <= DAY ? time : undefined;
}

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: zone }).resolvedOptions().timeZone !== "";
  } catch {
    // The runtime does not know the time zone.
    return false;
  }
}

/** Whether upgrades may begin, and until or from when. Times are in milliseconds since 1970. */
export type Opening =
  | { readonly isOpen: true; readonly until: number; readonly window: Window }
  | { readonly isOpen: false; readonly next: number; readonly window: Window };

/** The opening of windows at a time. There is at least one window. */
export function openingAt([first, ...others]: readonly [Window, ...Window[]], now: number): Opening {
  return others.reduce((best, each) => better(best, openingOf(each, now)), openingOf(first, now));
}

function better(one: Opening, other: Opening): Opening {
  if (one.isOpen && other.isOpen) return other.until > one.until ? other : one;
  if (one.isOpen || other.isOpen) return one.isOpen ? one : other;
  return other.next < one.next ? other : one;
}

/** Every window begins within eight days, also across a change of the clocks. */
function openingOf(window: Window, now: number): Opening {
  const today = localDay(now, window.zone);
  const length = ((window.to - window.from + DAY) % DAY || DAY) * MINUTE;
  for (let offset = -1; offset <= WEEK + 1; offset++) {
    const day = today + offset * DAY * MINUTE;
    if (!window.days.has(new Date(day).getUTCDay())) continue;
    const begin = instantOf(day + window.from * MINUTE, window.zone);
    const end = begin + length;
    if (now < begin) return { isOpen: false, next: begin, window };
    if (now < end) return { isOpen: true, until: end, window };
  }
  return { isOpen: false, next: now + WEEK * DAY * MINUTE, window };
}

/** The local midnight before a time, as if the time zone were UTC. */
function localDay(now: number, zone: string): number {
  const local = now + offsetAt(now, zone);
  return local - (((local % (DAY * MINUTE)) + DAY * MINUTE) % (DAY * MINUTE));
}

/** The time of a local time. One that a change of the clocks skips is the time after the gap. */
function instantOf(local: number, zone: string): number {
  const guess = local - offsetAt(local, zone);
  return local - offsetAt(guess, zone);
}

function offsetAt(time: number, zone: string): number {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(time);
  const part = (type: string): number => Number(parts.find((each) => each.type === type)?.value ?? 0);
  const local = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
  return local - Math.floor(time / 1000) * 1000;
}
