/** Enums compare with Go's conversions: a number is converted to the type of each allowed value before it is compared. */
import { isLargeInteger, type Json } from "@capstan/model";
import { isDeepEqual } from "@capstan/model";

import { formatNumber, isInt64 } from "./go-text.ts";
import { isJsonObject } from "./schema.ts";

/** Whether one of the allowed values is the value. Null is never allowed, even when it is listed. */
export function enumAllows(allowed: readonly Json[], value: Json): boolean {
  return value !== null && allowed.some((candidate) => candidate !== null && matches(candidate, value));
}

function matches(candidate: Json, value: Json): boolean {
  if (isLargeInteger(value)) return matchesLarge(candidate, value);
  if (typeof value !== "number") return isDeepEqual(candidate, value);
  if (typeof candidate === "number") return (isInt64(candidate) ? Math.trunc(value) : value) === candidate;
  if (isLargeInteger(candidate)) return Number.isFinite(value) && BigInt(Math.trunc(value)) === candidate;
  // Go converts an integer to a string as the character with that code.
  return typeof candidate === "string" && isInt64(value) && candidate === character(value);
}

/** No character has the code of so large an integer. */
function matchesLarge(candidate: Json, value: bigint): boolean {
  if (typeof candidate === "number") return !isInt64(candidate) && Number(value) === candidate;
  return isLargeInteger(candidate) ? value === candidate : candidate === noCharacter;
}

const noCharacter = "\ufffd";

function character(code: number): string {
  return code >= 0 && code <= 0x10ffff ? String.fromCodePoint(code) : noCharacter;
}

/** The allowed values as `%v` prints a slice. */
export function enumText(values: readonly Json[]): string {
  return `[${values.map(plainText).join(" ")}]`;
}

/** A value as `%v` prints it. */
export function plainText(value: Json | undefined): string {
  if (value === null || value === undefined) return "<nil>";
  if (typeof value === "string") return value;
  if (typeof value === "number") return formatNumber(value);
  if (typeof value === "boolean" || isLargeInteger(value)) return String(value);
  if (Array.isArray(value)) return enumText(value as readonly Json[]);
  if (!isJsonObject(value)) return "";
  const entries = Object.keys(value)
    .sort()
    .map((key) => `${key}:${plainText(value[key])}`);
  return `map[${entries.join(" ")}]`;
}
