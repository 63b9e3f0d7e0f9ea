/** Enums compare with Go's conversions: a number is converted to the type of each allowed value before it is compared. */
import { isLargeInteger, type Json } from "@capstan/model";

import { formatNumber, isInt64 } from "./go-text.ts";
import { identityOf } from "./identity.ts";
import { isJsonObject } from "./schema.ts";

/** Whether the value is one of the allowed values. Null is never allowed, even when it is listed. */
export function enumAllows(allowed: readonly Json[], value: Json): boolean {
  if (value === null) return false;
  const values = indexOf(allowed);
  if (isLargeInteger(value)) return hasLarge(values.scalars, value);
  if (typeof value === "number") return hasNumber(values.scalars, value);
  return typeof value === "object" ? values.others.has(identityOf(value)) : values.scalars.has(value);
}

/** The allowed values of an enum: one lookup finds a value, however many there are. */
interface AllowedValues {
  readonly scalars: ReadonlySet<unknown>;
  readonly others: ReadonlySet<string>;
}

const indexes = new WeakMap<readonly Json[], AllowedValues>();

function indexOf(allowed: readonly Json[]): AllowedValues {
  let index = indexes.get(allowed);
  if (index !== undefined) return index;
  const isOther = (value: Json): boolean => typeof value === "object" && value !== null;
  index = {
    scalars: new Set(allowed.filter((value) => value !== null && !isOther(value))),
    others: new Set(allowed.filter(isOther).map(identityOf)),
  };
  indexes.set(allowed, index);
  return index;
}

function hasNumber(scalars: ReadonlySet<unknown>, value: number): boolean {
  if (!isInt64(value) && scalars.has(value)) return true;
  const whole = Math.trunc(value);
  if (isInt64(whole) && scalars.has(whole)) return true;
  if (Number.isFinite(whole) && scalars.has(BigInt(whole))) return true;
  // Go converts an integer to a string as the character with that code.
  return isInt64(value) && scalars.has(character(value));
}

/** No character has the code of so large an integer. */
function hasLarge(scalars: ReadonlySet<unknown>, value: bigint): boolean {
  const float = Number(value);
  return scalars.has(value) || scalars.has(noCharacter) || (!isInt64(float) && scalars.has(float));
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
