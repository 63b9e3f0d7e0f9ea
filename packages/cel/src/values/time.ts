/** Durations and timestamps: parsing, printing and their parts. */

import { formatFixed, MAX_INT, MIN_INT, parseDigits } from "./number.ts";
import { spend } from "../work.ts";
import type { CelResult } from "./value.ts";
import { CelDuration, CelTimestamp, fail } from "./value.ts";

const NANOS_PER_SECOND = 1_000_000_000n;
const MIN_SECONDS = -62135596800n;
const MAX_SECONDS = 253402300799n;

/** The duration, or the overflow error. */
export function toDuration(nanos: bigint): CelResult {
  return nanos > MAX_INT || nanos < MIN_INT ? fail("duration overflow") : new CelDuration(nanos);
}

/** The instant, or the overflow error outside the years 1 to 9999. */
export function toTimestamp(nanos: bigint, offsetSeconds = 0): CelResult {
  const seconds = floorDivide(nanos, NANOS_PER_SECOND);
  if (seconds < MIN_SECONDS || seconds > MAX_SECONDS) return fail("timestamp overflow");
  return new CelTimestamp(nanos, offsetSeconds);
}

export function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value % by < 0n ? quotient - 1n : quotient;
}

const UNITS: Record<string, bigint> = {
  ns: 1n,
  us: 1000n,
  "\u00b5s": 1000n,
  "\u03bcs": 1000n,
  ms: 1_000_000n,
  s: NANOS_PER_SECOND,
  m: 60n * NANOS_PER_SECOND,
  h: 3600n * NANOS_PER_SECOND,
};

/** Digits beyond these are worth less than a nanosecond of the largest unit. */
const FRACTION_DIGITS = 40;

const PART = /([0-9]*)(?:\.([0-9]*))?(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y;

/** Parses a duration such as `1h30m` as Go does; undefined when it is invalid. */
export function parseDuration(text: string): CelDuration | undefined {
  const [, sign = "", body = ""] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (body === "0") return new CelDuration(0n);
  const size = body === "" ? undefined : sumOfParts(body);
  if (size === undefined) return undefined;
  const nanos = sign === "-" ? -size : size;
  return nanos > MAX_INT ? undefined : new CelDuration(nanos);
}

function sumOfParts(body: string): bigint | undefined {
  let total = 0n;
  PART.lastIndex = 0;
  while (PART.lastIndex < body.length) {
    const [, whole = "", fraction = "", unit = ""] = PART.exec(body) ?? [];
    if (whole === "" && fraction === "") return undefined;
    const scale = UNITS[unit] ?? 1n;
    const amount = parseDigits(whole);
    if (amount === undefined) return undefined;
    const digits = fraction.slice(0, FRACTION_DIGITS);
    total += amount * scale + (BigInt(digits || "0") * scale) / 10n ** BigInt(digits.length);
    if (total > MAX_INT + 1n) return undefined;
  }
  return total;
}

/** A duration in seconds with an `s`, as the language converts it to a string. */
export function formatDuration(duration: CelDuration): string {
  return `${formatFixed(durationSeconds(duration))}s`;
}

export function durationSeconds(duration: CelDuration): number {
  const whole = duration.nanos / NANOS_PER_SECOND;
  return Number(whole) + Number(duration.nanos % NANOS_PER_SECOND) / 1e9;
}

/** Go takes an hour of one digit, too. */
const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d{1,2}):(\d\d):(\d\d)(?:[.,](\d+))?(Z|[+-]\d\d:\d\d)$/;
const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Parses an RFC 3339 instant; undefined when it is invalid, an error when it is out of range. */
export function parseTimestamp(text: string): CelResult | undefined {
  const parts = RFC3339.exec(text);
  if (!parts) return undefined;
  const [year = 0, month = 0, day = 0, ...clock] = parts.slice(1, 7).map(Number);
  const offset = parseOffset(parts[8] ?? "Z");
  const secondOfDay = readClock(clock);
  const isDay = month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
  if (!isDay || secondOfDay === undefined || offset === undefined) return undefined;
  const seconds = BigInt(epochDay(year, month, day)) * 86400n + BigInt(secondOfDay - offset);
  const fraction = (parts[7] ?? "").slice(0, 9).padEnd(9, "0");
  return toTimestamp(seconds * NANOS_PER_SECOND + BigInt(fraction), offset);
}

function readClock([hour = 0, minute = 0, second = 0]: readonly number[]): number | undefined {
  return hour > 23 || minute > 59 || second > 59 ? undefined : hour * 3600 + minute * 60 + second;
}

function parseOffset(text: string): number | undefined {
  if (text === "Z") return 0;
  const hours = Number(text.slice(1, 3));
  const minutes = Number(text.slice(4, 6));
  if (hours > 24 || minutes > 60) return undefined;
  const seconds = hours * 3600 + minutes * 60;
  return text.startsWith("-") ? -seconds : seconds;
}

function daysIn(year: number, month: number): number {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return month === 2 && leap ? 29 : (DAYS_IN_MONTH[month - 1] ?? 31);
}

function epochDay(year: number, month: number, day: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return Math.floor(date.getTime() / 86_400_000);
}

/** What a clock on the wall shows. */
export interface WallTime {
  readonly date: Date;
  readonly nanosOfSecond: number;
}

/** The instant as a wall clock shows it that is `offsetSeconds` east of Greenwich; read it with the UTC getters. */
export function wallTime(timestamp: CelTimestamp, offsetSeconds: number): WallTime {
  const seconds = floorDivide(timestamp.nanos, NANOS_PER_SECOND);
  const nanosOfSecond = Number(timestamp.nanos - seconds * NANOS_PER_SECOND);
  return { date: new Date((Number(seconds) + offsetSeconds) * 1000 + Math.floor(nanosOfSecond / 1e6)), nanosOfSecond };
}

/** RFC 3339 with as many digits as are needed, in the offset that the timestamp was written in. */
export function formatTimestamp(timestamp: CelTimestamp): string {
  const { date, nanosOfSecond } = wallTime(timestamp, timestamp.offsetSeconds);
  const year = date.getUTCFullYear().toString().padStart(4, "0");
  const head = `${year}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`;
  const clock = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`;
  const nanos = nanosOfSecond.toString().padStart(9, "0").replace(/0+$/, ""); // linear: 9 digits
  const fraction = nanosOfSecond === 0 ? "" : `.${nanos}`;
  return `${head}T${clock}${fraction}${formatOffset(timestamp.offsetSeconds)}`;
}

function formatOffset(seconds: number): string {
  if (seconds === 0) return "Z";
  const minutes = Math.floor(Math.abs(seconds) / 60);
  return `${seconds < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

function two(value: number): string {
  return value.toString().padStart(2, "0");
}

/** How far east of Greenwich a named zone or an offset such as `-08:00` is at an instant, in seconds. */
export function zoneOffset(timestamp: CelTimestamp, zone: string): number | CelResult {
  const colon = zone.indexOf(":");
  if (colon === -1) return namedZoneOffset(timestamp, zone);
  const hours = parseClock(zone.slice(0, colon));
  const minutes = parseClock(zone.slice(colon + 1));
  if (hours === undefined) return fail(`strconv.Atoi: parsing ${JSON.stringify(zone.slice(0, colon))}: invalid syntax`);
  if (minutes === undefined)
    return fail(`strconv.Atoi: parsing ${JSON.stringify(zone.slice(colon + 1))}: invalid syntax`);
  return (zone.startsWith("-") ? hours * 60 - minutes : hours * 60 + minutes) * 60;
}

function parseClock(text: string): number | undefined {
  return /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
}

/** The work of a time zone lookup, and of loading a zone. */
const ZONE_WORK = 500;
const NEW_ZONE_WORK = 20_000;
const zoneFormats = new Map<string, Intl.DateTimeFormat>();

/** There are some hundreds of zones; each is learned once. */
function zoneFormat(zone: string): Intl.DateTimeFormat {
  spend(ZONE_WORK);
  const known = zoneFormats.get(zone);
  if (known) return known;
  spend(NEW_ZONE_WORK);
  const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset", year: "numeric" });
  zoneFormats.set(zone, format);
  return format;
}

function namedZoneOffset(timestamp: CelTimestamp, zone: string): number | CelResult {
  if (zone === "" || zone === "UTC") return 0;
  const seconds = Number(floorDivide(timestamp.nanos, NANOS_PER_SECOND));
  try {
    const format = zoneFormat(zone);
    const name =
      format.formatToParts(new Date(seconds * 1000)).find((part) => part.type === "timeZoneName")?.value ?? "GMT";
    const match = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(name);
    const size = Number(match?.[2] ?? 0) * 3600 + Number(match?.[3] ?? 0) * 60 + Number(match?.[4] ?? 0);
    return match?.[1] === "-" ? -size : size;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return fail(`unknown time zone ${zone}`);
  }
}
