/** Time zones: local dates and hours of instants, and the instants at which local days, weeks, months and hours start. */
import { MeterError } from "../error.ts";

/** A local date and time. */
export interface Local {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

/** A time zone with its IANA name. */
export interface Zone {
  readonly name: string;
  /** Milliseconds that the local clock is ahead of UTC. */
  offsetAt(instant: number): number;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const zones = new Map<string, Zone>();

/** The zone of an IANA name. */
export function zoneOf(name: string): Zone {
  const known = zones.get(name);
  if (known !== undefined) return known;
  const zone = name === "UTC" ? { name, offsetAt: () => 0 } : createZone(name);
  zones.set(name, zone);
  return zone;
}

function createZone(name: string): Zone {
  const format = formatOf(name);
  const known = new Map<number, number>();
  const exact = (instant: number): number => {
    const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
    const local = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
    return local - Math.floor(instant / 1000) * 1000;
  };
  // Offsets change at quarter hours at most: one calculation serves 15 minutes.
  const offsetAt = (instant: number): number => {
    const slot = Math.floor(instant / (15 * minute));
    const found = known.get(slot) ?? exact(slot * 15 * minute);
    if (known.size > 200_000) known.clear();
    known.set(slot, found);
    return found;
  };
  return { name, offsetAt };
}

function formatOf(name: string): Intl.DateTimeFormat {
  try {
    if (!/^[A-Za-z]/.test(name)) throw new RangeError(name);
    return new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      calendar: "iso8601",
      numberingSystem: "latn",
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch (cause) {
    throw new MeterError(
      "BadInput",
      `${JSON.stringify(name)} is not a time zone; use an IANA name such as Europe/Berlin`,
      {
        cause,
      },
    );
  }
}

/** The local date and time of an instant. */
export function localOf(zone: Zone, instant: number): Local {
  const date = new Date(instant + zone.offsetAt(instant));
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
  };
}

/** The first instant of a local date: where midnight does not exist, the instant at which the day starts. */
export function startOfDate(zone: Zone, year: number, month: number, dayOfMonth: number): number {
  const wall = Date.UTC(year, month - 1, dayOfMonth);
  const offsets = new Set([-day, 0, day].map((shift) => zone.offsetAt(wall + shift)));
  const candidates = [...offsets].map((offset) => wall - offset).filter((at) => at + zone.offsetAt(at) === wall);
  return candidates.length > 0 ? Math.min(...candidates) : firstAtOrAfter(zone, wall);
}

/** The transition into a day without midnight: the first instant with a local time at or after it. */
function firstAtOrAfter(zone: Zone, wall: number): number {
  let low = wall - day;
  let high = wall + day;
  while (high - low > minute) {
    const middle = low + Math.floor((high - low) / 2 / minute) * minute;
    if (middle + zone.offsetAt(middle) >= wall) high = middle;
    else low = middle;
  }
  return high;
}
