/** Timestamps of objects: RFC 3339 in UTC, to the second (Time) or the microsecond (MicroTime). */
import { quoteBytes } from "./go-text.ts";
import { ParseError } from "./parse-error.ts";

/** A point in time: whole seconds since 1970 and the nanoseconds within the second, so that conversion is lossless. */
export interface Instant {
  readonly seconds: number;
  readonly nanoseconds: number;
}

/** The layout that Go names in its messages. */
const timeLayout = "2006-01-02T15:04:05Z07:00";
const microTimeLayout = "2006-01-02T15:04:05.000000Z07:00";

/** A JavaScript time as a timestamp of seconds: `2026-11-15T10:30:00Z`. */
export function formatTime(milliseconds: number): string {
  return formatInstant(fromMilliseconds(milliseconds));
}

/** A JavaScript time as a timestamp of microseconds: `2026-11-15T10:30:00.123000Z`. */
export function formatMicroTime(milliseconds: number): string {
  return formatMicroInstant(fromMilliseconds(milliseconds));
}

/** Milliseconds since 1970 as an instant. */
export function fromMilliseconds(milliseconds: number): Instant {
  const seconds = Math.floor(milliseconds / 1000);
  return { seconds, nanoseconds: Math.round((milliseconds - seconds * 1000) * 1e6) };
}

/** An instant as JavaScript time. */
export function toMilliseconds({ seconds, nanoseconds }: Instant): number {
  return seconds * 1000 + nanoseconds / 1e6;
}

/** An instant to the second; finer parts are dropped. */
export function formatInstant({ seconds }: Instant): string {
  return `${dateTime(seconds)}Z`;
}

/** An instant to the microsecond; finer parts are dropped. */
export function formatMicroInstant({ seconds, nanoseconds }: Instant): string {
  const micros = Math.floor(nanoseconds / 1000);
  return `${dateTime(seconds)}.${String(micros).padStart(6, "0")}Z`;
}

function dateTime(seconds: number): string {
  const iso = new Date(seconds * 1000).toISOString();
  // Years before 0 and after 9999 have a sign and six digits.
  const year = iso.startsWith("-") || iso.startsWith("+") ? String(Number(iso.slice(0, 7))) : iso.slice(0, 4);
  return `${year.padStart(4, "0")}${iso.slice(-20, -5)}`;
}

/** Parses a Time; throws a {@link ParseError} with Go's message. */
export function parseTime(text: string): Instant {
  return parseCanonical(text) ?? new Reader(text, timeLayout).read();
}

/** The form that servers write, parsed in one step; out-of-range values are left to the parser, which has their messages. */
function parseCanonical(text: string): Instant | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)Z$/.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  const isInRange = month >= 1 && month <= 12 && day >= 1 && day <= 28 && hour < 24 && minute < 60 && second < 60;
  return isInRange ? { seconds: epochSeconds([year, month, day, hour, minute, second]), nanoseconds: 0 } : undefined;
}

/** Parses a MicroTime: it must have exactly six digits after the point. */
export function parseMicroTime(text: string): Instant {
  return new Reader(text, microTimeLayout).read();
}

/** Parses a text from left to right against a layout; each error names the remaining text and the expected element. */
class Reader {
  private readonly text: string;
  private readonly layout: string;
  private rest: string;

  constructor(text: string, layout: string) {
    this.text = text;
    this.layout = layout;
    this.rest = text;
  }

  read(): Instant {
    const year = this.digits(4, "2006");
    this.literal("-");
    const month = this.within(this.digits(2, "01"), [1, 12], "month");
    this.literal("-");
    const day = this.digits(2, "02");
    this.literal("T");
    const hour = this.within(this.digits(2, "15", true), [0, 23], "hour");
    this.literal(":");
    const minute = this.within(this.digits(2, "04"), [0, 59], "minute");
    this.literal(":");
    const second = this.within(this.digits(2, "05"), [0, 59], "second");
    const nanoseconds = this.fraction();
    const offset = this.zone();
    if (this.rest !== "") this.refuse(`: extra text: ${quoteBytes(this.rest)}`);
    if (day < 1 || day > daysIn(year, month)) this.refuse(": day out of range");
    return { seconds: epochSeconds([year, month, day, hour, minute, second]) - offset, nanoseconds };
  }

  /** A number with a fixed count of digits; the hour may have one digit, as in Go. */
  private digits(width: number, element: string, short = false): number {
    const form = short ? /^[0-9]{1,2}/ : width === 4 ? /^[0-9]{4}/ : /^[0-9]{2}/;
    const match = form.exec(this.rest);
    if (match === null) return this.cannotParse(element);
    this.rest = this.rest.slice(match[0].length);
    return Number(match[0]);
  }

  private literal(char: string): void {
    if (!this.rest.startsWith(char)) this.cannotParse(char);
    this.rest = this.rest.slice(1);
  }

  private within(value: number, [low, high]: readonly [number, number], name: string): number {
    if (value < low || value > high) this.refuse(`: ${name} out of range`);
    return value;
  }

  private fraction(): number {
    if (this.layout === microTimeLayout) return this.sixDigits();
    const match = /^[.,]([0-9]+)/.exec(this.rest);
    if (match === null) return 0;
    this.rest = this.rest.slice(match[0].length);
    return Number((match[1] ?? "").slice(0, 9).padEnd(9, "0"));
  }

  /** Go parses the six characters as an integer, so the first of them may be a sign. */
  private sixDigits(): number {
    const match = /^[.,]([0-9]{6}|[+-][0-9]{5})/.exec(this.rest);
    if (match === null) return this.cannotParse(".000000");
    this.rest = this.rest.slice(7);
    if (Number(match[1]) < 0) this.refuse(": fractional second out of range");
    return Number(match[1]) * 1000;
  }

  /** The offset of the zone from UTC in seconds. */
  private zone(): number {
    if (this.rest.startsWith("Z")) {
      this.rest = this.rest.slice(1);
      return 0;
    }
    const match = /^([+-])([0-9]{2}):([0-9]{2})/.exec(this.rest);
    if (match === null) return this.cannotParse("Z07:00");
    const [matched, sign, hours, minutes] = match;
    this.rest = this.rest.slice(matched.length);
    if (Number(hours) > 24) this.refuse(": time zone offset hour out of range");
    if (Number(minutes) > 60) this.refuse(": time zone offset minute out of range");
    return (sign === "-" ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60);
  }

  private cannotParse(element: string): never {
    this.refuse(`as ${quoteBytes(this.layout)}: cannot parse ${quoteBytes(this.rest)} as ${quoteBytes(element)}`);
  }

  private refuse(reason: string): never {
    const separator = reason.startsWith(":") ? "" : " ";
    throw new ParseError("InvalidTime", this.text, `parsing time ${quoteBytes(this.text)}${separator}${reason}`);
  }
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
}

function epochSeconds([year, month, day, hour, minute, second]: readonly [
  number,
  number,
  number,
  number,
  number,
  number,
]): number {
  // Date.UTC takes years below 100 for the twentieth century, so this counts in a cycle of 400 years.
  const cycle = 146_097 * 86_400;
  const shifted = Date.UTC(year + 400, month - 1, day, hour, minute, second) / 1000;
  return shifted - cycle;
}
