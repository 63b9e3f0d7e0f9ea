/** `"...".format([...])`: values written into a text. */

import { Type } from "../type.ts";
import { compareText, decodeUtf8, encodeUtf8, quote, toHex } from "../values/text.ts";
import { formatDouble, formatFixed } from "../values/number.ts";
import { formatDuration, formatTimestamp } from "../values/time.ts";
import type { CelResult, CelValue } from "../values/value.ts";
import { CelDuration, CelList, CelMap, CelTimestamp, CelUint, fail, typeOfValue } from "../values/value.ts";
import type { Verb } from "./format-clause.ts";
import { clauseError, eachPart, FormatError } from "./format-clause.ts";
import { spend } from "../work.ts";

/** localized: numbers as an American reads them, which Kubernetes has; plain: as Go prints them. */
export type FormatStyle = "localized" | "plain";

const DEFAULT_PRECISION = 6;

export function formatString(format: string, args: CelList, style: FormatStyle): CelResult {
  let text = "";
  try {
    eachPart(format, args.size, (part, index) => {
      text += part.kind === "text" ? part.text : formatClause(part, args.at(index) as CelValue, style);
    });
    return text;
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return fail(error.message);
  }
}

interface Clause {
  readonly verb: Verb;
  readonly precision: number | undefined;
}

function formatClause(clause: Clause, value: CelValue, style: FormatStyle): string {
  const text = style === "plain" ? plainClause(clause, value) : localizedClause(clause, value);
  if (text === undefined) throw clauseError(clause.verb, typeOfValue(value).name);
  return text;
}

function plainClause(clause: Clause, value: CelValue): string | undefined {
  const { verb, precision = DEFAULT_PRECISION } = clause;
  const number = toNumber(value);
  switch (verb) {
    case "s":
      return plainText(value);
    case "d":
      return typeof value === "number" ? plainDouble(value) : inBase(value, 10);
    case "f":
      return number === undefined ? undefined : (special(number, "Infinity") ?? toFixed(number, precision));
    case "e":
      return number === undefined ? undefined : (special(number, "Infinity") ?? toScientific(number, precision));
    default:
      return otherClause(verb, value);
  }
}

function toNumber(value: CelValue): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  return value instanceof CelUint ? Number(value.value) : undefined;
}

function localizedClause(clause: Clause, value: CelValue): string | undefined {
  const { verb, precision = DEFAULT_PRECISION } = clause;
  switch (verb) {
    case "s":
      return localizedText(value);
    case "d":
      return inBase(value, 10);
    case "f": {
      const number = doubleOf(value);
      return number === undefined ? undefined : (special(number, "\u221e") ?? grouped(toFixed(number, precision)));
    }
    case "e": {
      const number = doubleOf(value);
      return number === undefined
        ? undefined
        : (special(number, "\u221e")?.padStart(precision) ?? localizedScientific(number));
    }
    default:
      return otherClause(verb, value);
  }
}

/** Doubles, and the three doubles that JSON writes as strings. */
function doubleOf(value: CelValue): number | undefined {
  if (typeof value === "number") return value;
  if (value === "NaN") return Number.NaN;
  if (value === "Infinity") return Infinity;
  return value === "-Infinity" ? -Infinity : undefined;
}

function special(value: number, infinity: string): string | undefined {
  if (Number.isNaN(value)) return "NaN";
  if (Number.isFinite(value)) return undefined;
  return value > 0 ? infinity : `-${infinity}`;
}

function otherClause(verb: Verb, value: CelValue): string | undefined {
  switch (verb) {
    case "b":
      return typeof value === "boolean" ? String(Number(value)) : inBase(value, 2);
    case "o":
      return inBase(value, 8);
    default: {
      const hex = hexOf(value);
      return verb === "X" ? hex?.toUpperCase() : hex;
    }
  }
}

function hexOf(value: CelValue): string | undefined {
  if (typeof value === "string") return toHex(encodeUtf8(value));
  return value instanceof Uint8Array ? toHex(value) : inBase(value, 16);
}

function inBase(value: CelValue, base: number): string | undefined {
  if (typeof value === "bigint") return value.toString(base);
  return value instanceof CelUint ? value.value.toString(base) : undefined;
}

/** A double has no more decimal places; those after them are zeros. */
const MOST_PLACES = 1074;
/** The largest number of digits that the platform rounds to itself. */
const MOST_BUILT_IN = 100;

/** Decimal digits of the exact value, rounded half to even. */
export function toFixed(value: number, precision: number): string {
  const negative = value < 0 || Object.is(value, -0);
  const { mantissa, exponent } = decompose(Math.abs(value));
  const places = Math.min(precision, MOST_PLACES);
  spend(precision);
  const scaled = mantissa * 10n ** BigInt(places);
  const rounded = exponent >= 0 ? scaled << BigInt(exponent) : divideHalfEven(scaled, 1n << BigInt(-exponent));
  const digits = rounded.toString().padStart(places + 1, "0") + "0".repeat(precision - places);
  const whole = digits.slice(0, digits.length - precision);
  return `${negative ? "-" : ""}${whole}${precision === 0 ? "" : `.${digits.slice(-precision)}`}`;
}

function divideHalfEven(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  const twice = (a % b) * 2n;
  if (twice < b || (twice === b && quotient % 2n === 0n)) return quotient;
  return quotient + 1n;
}

function decompose(value: number): { readonly mantissa: bigint; readonly exponent: number } {
  let mantissa = value;
  let exponent = 0;
  while (!Number.isInteger(mantissa)) {
    mantissa *= 2;
    exponent--;
  }
  return { mantissa: BigInt(mantissa), exponent };
}

function toScientific(value: number, precision: number): string {
  const [mantissa = "0", exponent = "0"] = toExponential(value, precision).split("e");
  return `${mantissa}e${exponent.startsWith("-") ? "-" : "+"}${exponent.replace(/^[+-]/, "").padStart(2, "0")}`;
}

/** `toExponential` for any precision: beyond its own limit, all digits of the exact value are rounded half to even. */
function toExponential(value: number, precision: number): string {
  if (precision <= MOST_BUILT_IN || value === 0) {
    const text = value.toExponential(Math.min(precision, MOST_BUILT_IN));
    if (precision <= MOST_BUILT_IN) return text;
    spend(precision);
    return text.replace("e", `${"0".repeat(precision - MOST_BUILT_IN)}e`);
  }
  spend(precision);
  const exponent = Number(value.toExponential(MOST_BUILT_IN).split("e")[1]);
  const digits = toFixed(Math.abs(value), MOST_PLACES).replace(".", "").replace(/^0+/, "");
  const kept = BigInt(digits.slice(0, precision + 1));
  const rest = digits.slice(precision + 1);
  const unit = 10n ** BigInt(rest.length);
  const rounded = rest === "" ? kept : divideHalfEven(kept * unit + BigInt(rest), unit);
  const [first = "", ...others] = rounded.toString().padEnd(precision + 1, "0");
  return `${value < 0 ? "-" : ""}${first}.${others.join("")}e${exponent}`;
}

const SUPERSCRIPT = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079";

/** Kubernetes' version of the extension takes the precision of `%e` for a width, so that six digits always follow the point. */
function localizedScientific(value: number): string {
  const [mantissa = "0", exponent = "0"] = toScientific(value, DEFAULT_PRECISION).split("e");
  const digits = exponent.slice(1).replaceAll(/\d/g, (digit) => SUPERSCRIPT[Number(digit)] ?? "");
  return `${mantissa}\u00d710${exponent.startsWith("-") ? "\u207b" : ""}${digits}`;
}

function grouped(text: string): string {
  const [whole = "", fraction] = text.split(".");
  const groups = whole.replaceAll(/\B(?=(\d{3})+(?!\d))/g, ","); // linear: a number has at most 309 digits before its point
  return fraction === undefined ? groups : `${groups}.${fraction}`;
}

/** `%s` outside a container. */
function localizedText(value: CelValue): string | undefined {
  spendOnText(value);
  if (value instanceof CelList || value instanceof CelMap) return quotedText(value);
  if (typeof value === "number") return formatDouble(value);
  if (value instanceof Uint8Array) return decodeOrFail(value);
  return scalarText(value);
}

function decodeOrFail(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes);
  if (text !== undefined) return text;
  const reason = 'could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string';
  throw new FormatError(`error during formatting: ${reason}`);
}

function scalarText(value: CelValue): string | undefined {
  if (value === null) return "null";
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (value instanceof CelUint) return value.value.toString();
  if (value instanceof CelDuration) return formatDuration(value);
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  return value instanceof Type ? value.name : undefined;
}

/** The same value may stand in many places of a container and is written in each. */
function spendOnText(value: CelValue): void {
  spend(typeof value === "string" || value instanceof Uint8Array ? 1 + value.length : 4);
}

/** A value inside a container, written so that it could be read again. */
function quotedText(value: CelValue): string {
  spendOnText(value);
  if (value instanceof CelList) return `[${value.toArray().map(quotedText).join(", ")}]`;
  if (value instanceof CelMap) return quotedMap(value);
  if (typeof value === "string") return quote(value);
  if (typeof value === "number") return special(value, "+Inf") ?? toFixed(value, DEFAULT_PRECISION);
  if (value instanceof Uint8Array) return `b${quote(decodeOrFail(value))}`;
  if (value instanceof CelDuration) return `duration(${quote(formatDuration(value))})`;
  if (value instanceof CelTimestamp) return `timestamp(${quote(formatTimestamp(value))})`;
  const text = scalarText(value);
  if (text === undefined)
    throw new FormatError(`error during formatting: no formatting function for ${typeOfValue(value).name}`);
  return text;
}

function quotedMap(map: CelMap): string {
  const pairs = [...map.keys()].map((key) => [quotedText(key), quotedText(map.get(key) as CelValue)] as const);
  pairs.sort(([a], [b]) => compareText(a, b));
  return `{${pairs.map(([key, value]) => `${key}:${value}`).join(", ")}}`;
}

function plainDouble(value: number): string {
  return special(value, "Infinity") ?? formatFixed(value);
}

function plainText(value: CelValue): string | undefined {
  spendOnText(value);
  if (typeof value === "number") return plainDouble(value);
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (value instanceof CelTimestamp) return formatTimestamp(new CelTimestamp(value.nanos));
  if (value instanceof CelList) return `[${value.toArray().map(plainTextOrFail).join(", ")}]`;
  if (!(value instanceof CelMap)) return scalarText(value);
  const pairs = [...value.keys()].map(
    (key) => [plainTextOrFail(key), plainTextOrFail(value.get(key) as CelValue)] as const,
  );
  pairs.sort(([a], [b]) => compareText(a, b));
  return `{${pairs.map(([key, item]) => `${key}: ${item}`).join(", ")}}`;
}

function plainTextOrFail(value: CelValue): string {
  const text = plainText(value);
  if (text === undefined) throw clauseError("s", typeOfValue(value).name);
  return text;
}
