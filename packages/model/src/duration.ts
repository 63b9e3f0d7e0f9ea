/** Durations in Go's syntax (`1h30m`, `250ms`), exact to the nanosecond. */
import { quoteBytes } from "./go-text.ts";
import { ParseError } from "./parse-error.ts";

const nanosecondsOf: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  "\u00b5s": 1_000n,
  "\u03bcs": 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const limit = 2n ** 63n;

/** Parses a duration as nanoseconds; throws a {@link ParseError} with Go's message. */
export function parseDuration(text: string): bigint {
  const negative = text.startsWith("-");
  let rest = /^[-+]/.test(text) ? text.slice(1) : text;
  if (rest === "0") return 0n;
  if (rest === "") throw invalid(text);
  let total = 0n;
  while (rest !== "") {
    const [value, used] = parsePart(rest, text);
    total += value;
    if (total > limit) throw invalid(text);
    rest = rest.slice(used);
  }
  if (!negative && total === limit) throw invalid(text);
  return negative ? -total : total;
}

/** One number with its unit, and its length in characters. */
function parsePart(rest: string, text: string): [bigint, number] {
  const [number = "", integer = "", fraction = ""] = /^([0-9]*)(?:\.([0-9]*))?/.exec(rest) ?? [];
  const whole = BigInt(integer);
  if ((integer === "" && fraction === "") || whole > limit) throw invalid(text);
  const unit = /^[^.0-9]*/.exec(rest.slice(number.length))?.[0] ?? "";
  const scale = scaleOf(unit, text);
  const value = whole * scale + fractionOf(fraction, scale);
  if (value > limit) throw invalid(text);
  return [value, number.length + unit.length];
}

function scaleOf(unit: string, text: string): bigint {
  if (unit === "") throw refusal(text, `time: missing unit in duration ${quoteBytes(text)}`);
  const scale = Object.hasOwn(nanosecondsOf, unit) ? nanosecondsOf[unit] : undefined;
  if (scale === undefined)
    throw refusal(text, `time: unknown unit ${quoteBytes(unit)} in duration ${quoteBytes(text)}`);
  return scale;
}

/** Go computes the fraction in floating point; more digits than an int64 holds are ignored. */
function fractionOf(fraction: string, scale: bigint): bigint {
  let [digits, power] = [0n, 1];
  for (const digit of fraction) {
    const next = digits * 10n + BigInt(digit);
    if (next > limit) break;
    [digits, power] = [next, power * 10];
  }
  return digits === 0n ? 0n : BigInt(Math.trunc(Number(digits) * (Number(scale) / power)));
}

/** The duration as Go prints it: `1h30m0s`, `1.5s`, `250ms`, `0s`. */
export function formatDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return "0s";
  const magnitude = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  return `${nanoseconds < 0n ? "-" : ""}${magnitude < 1_000_000_000n ? formatShort(magnitude) : formatLong(magnitude)}`;
}

function formatShort(magnitude: bigint): string {
  if (magnitude < 1_000n) return `${magnitude}ns`;
  if (magnitude < 1_000_000n) return `${decimal(magnitude, 3)}\u00b5s`;
  return `${decimal(magnitude, 6)}ms`;
}

function formatLong(magnitude: bigint): string {
  const seconds = `${decimal(magnitude % 60_000_000_000n, 9)}s`;
  const minutes = magnitude / 60_000_000_000n;
  if (minutes === 0n) return seconds;
  const hours = minutes / 60n;
  return hours === 0n ? `${minutes}m${seconds}` : `${hours}h${minutes % 60n}m${seconds}`;
}

/** A number with some of its digits after the point, trailing zeros dropped. */
function decimal(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, "0");
  // linear: at most nine digits
  const fraction = digits.slice(-places).replace(/0+$/, "");
  return `${digits.slice(0, -places)}${fraction === "" ? "" : `.${fraction}`}`;
}

/** A duration in milliseconds, as timers take it; finer parts are dropped. */
export function durationToMilliseconds(nanoseconds: bigint): number {
  return Number(nanoseconds / 1_000_000n);
}

function invalid(text: string): ParseError {
  return refusal(text, `time: invalid duration ${quoteBytes(text)}`);
}

function refusal(input: string, message: string): ParseError {
  return new ParseError("InvalidDuration", input, message);
}
