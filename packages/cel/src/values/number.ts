/** Integers within 64 bits and floats as Go writes them. */

import type { CelResult } from "./value.ts";
import { CelUint, fail } from "./value.ts";

export const MIN_INT: bigint = -(2n ** 63n);
export const MAX_INT: bigint = 2n ** 63n - 1n;
export const MAX_UINT: bigint = 2n ** 64n - 1n;

/** The int, or the overflow error. */
export function toInt(value: bigint): CelResult {
  return value > MAX_INT || value < MIN_INT ? fail("integer overflow") : value;
}

/** The uint, or the overflow error. */
export function toUint(value: bigint): CelResult {
  return value < 0n || value > MAX_UINT ? fail("unsigned integer overflow") : new CelUint(value);
}

/** A double truncated to an int; the ends of the range are rejected because they are not exact. */
export function doubleToInt(value: number): CelResult {
  if (!Number.isFinite(value) || value <= -(2 ** 63) || value >= 2 ** 63) return fail("integer overflow");
  return BigInt(Math.trunc(value));
}

/** A double cut to a uint. */
export function doubleToUint(value: number): CelResult {
  if (!Number.isFinite(value) || value < 0 || value >= 2 ** 64) return fail("unsigned integer overflow");
  return new CelUint(BigInt(Math.trunc(value)));
}

const DECIMAL = /^[+-]?[0-9]+$/;

/** Parses a signed decimal integer; undefined when it is invalid or does not fit. */
export function parseInt64(text: string): bigint | undefined {
  if (!DECIMAL.test(text)) return undefined;
  const signed = text.startsWith("+") || text.startsWith("-");
  const size = parseDigits(signed ? text.slice(1) : text);
  if (size === undefined) return undefined;
  const value = text.startsWith("-") ? -size : size;
  return value < MIN_INT || value > MAX_INT ? undefined : value;
}

/** Parses an unsigned decimal integer. */
export function parseUint64(text: string): bigint | undefined {
  if (!/^[0-9]+$/.test(text)) return undefined;
  const value = parseDigits(text);
  return value === undefined || value > MAX_UINT ? undefined : value;
}

/** 64 bits have at most twenty digits. */
const MOST_DIGITS = 20;

/** The value of decimal digits; undefined when 64 bits cannot hold it. */
export function parseDigits(digits: string): bigint | undefined {
  if (digits.length <= MOST_DIGITS) return BigInt(digits || "0");
  const significant = digits.replace(/^0+/, "");
  return significant.length > MOST_DIGITS ? undefined : BigInt(significant || "0");
}

/** Each character fits one place only, so that a text that does not match is read once. */
const FLOAT =
  /^[+-]?(?:[0-9](?:_?[0-9])*(?:\.(?:[0-9](?:_?[0-9])*)?)?|\.[0-9](?:_?[0-9])*)(?:[eE][+-]?[0-9](?:_?[0-9])*)?$/;
const HEX_FLOAT = /^([+-]?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?[pP]([+-]?[0-9]+)$/;
const SPECIAL = /^([+-]?)(inf|infinity|nan)$/i;

/** Parses a float as Go's strconv does; undefined when it is invalid or too large. */
export function parseFloat64(text: string): number | undefined {
  const special = SPECIAL.exec(text);
  if (special) {
    if (special[2]?.toLowerCase() === "nan") return special[1] === "" ? Number.NaN : undefined;
    return special[1] === "-" ? -Infinity : Infinity;
  }
  const hex = HEX_FLOAT.exec(text);
  if (hex) return parseHexFloat(hex);
  if (!FLOAT.test(text)) return undefined;
  const value = Number(text.replaceAll("_", ""));
  return Number.isFinite(value) ? value : undefined;
}

function parseHexFloat(parts: RegExpExecArray): number | undefined {
  const [, sign, whole = "", fraction = "", exponent = "0"] = parts;
  if (whole === "" && fraction === "") return undefined;
  const value = Number(BigInt(`0x${whole}${fraction}`)) * 2 ** (Number(exponent) - 4 * fraction.length);
  if (!Number.isFinite(value)) return undefined;
  return sign === "-" ? -value : value;
}

/** A float as Go's `%g` writes it: shortest digits, with an exponent below -4 and from 6 up. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const [mantissa = "0", exponentText = "0"] = value.toExponential().split("e");
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 6) return formatFixed(value);
  const size = Math.abs(exponent).toString().padStart(2, "0");
  return `${mantissa}e${exponent < 0 ? "-" : "+"}${size}`;
}

/** A float without an exponent, shortest digits. */
export function formatFixed(value: number): string {
  const text = String(value);
  if (!text.includes("e")) return text;
  const negative = value < 0 ? "-" : "";
  const [mantissa = "0", exponentText = "0"] = Math.abs(value).toExponential().split("e");
  const exponent = Number(exponentText);
  const digits = mantissa.replace(".", "");
  if (exponent < 0) return `${negative}0.${"0".repeat(-exponent - 1)}${digits}`;
  return negative + digits.padEnd(exponent + 1, "0");
}
