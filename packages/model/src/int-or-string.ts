/** A number or a string: target ports, percentages of replicas. */
import { parseInt64, quote } from "./go-text.ts";
import { ParseError } from "./parse-error.ts";

/** A value that may be a number or a string; the field defines the meaning of the string. */
export type IntOrString = number | string;

/** The string as a number if it is one that fits 32 bits, otherwise unchanged. */
export function parseIntOrString(text: string): IntOrString {
  const value = parseInt64(text);
  return value !== undefined && value >= -(2n ** 31n) && value < 2n ** 31n ? Number(value) : text;
}

/** The share of a total: a number is itself, a string must be a percentage. */
export function scaleIntOrPercent(value: IntOrString, total: number, rounding: "up" | "down"): number {
  if (typeof value === "number") return value;
  if (!value.endsWith("%")) throw refusal(value, "invalid type: string is not a percentage");
  const digits = value.slice(0, -1);
  if (!/^[+-]?[0-9]+$/.test(digits)) {
    throw refusal(value, `invalid value ${quote(value)}: strconv.Atoi: parsing ${quote(digits)}: invalid syntax`);
  }
  if (parseInt64(digits) === undefined) {
    throw refusal(value, `invalid value ${quote(value)}: strconv.Atoi: parsing ${quote(digits)}: value out of range`);
  }
  const share = (Number(digits) * total) / 100;
  return rounding === "up" ? Math.ceil(share) : Math.floor(share);
}

function refusal(input: string, reason: string): ParseError {
  return new ParseError("InvalidIntOrString", input, `invalid value for IntOrString: ${reason}`);
}
