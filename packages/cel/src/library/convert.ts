/** Conversions between types: `int("1")`, `string(1.5)` and the like. */

import type { Implementation } from "../check/declarations.ts";
import {
  doubleToInt,
  doubleToUint,
  formatDouble,
  parseFloat64,
  parseInt64,
  parseUint64,
  toInt,
  toUint,
} from "../values/number.ts";
import { decodeUtf8, encodeUtf8 } from "../values/text.ts";
import {
  formatDuration,
  formatTimestamp,
  floorDivide,
  parseDuration,
  parseTimestamp,
  toTimestamp,
} from "../values/time.ts";
import type { CelResult, CelValue } from "../values/value.ts";
import { CelDuration, CelTimestamp, CelUint, fail, typeOfValue } from "../values/value.ts";
import type { Type } from "../type.ts";
import { BOOL, BYTES, DOUBLE, DURATION, INT, STRING, TIMESTAMP, UINT } from "../type.ts";

const NANOS = 1_000_000_000n;

function conversion(target: Type, convert: (value: CelValue) => CelResult | undefined): Implementation {
  return (value) => {
    const converted = convert(value as CelValue);
    if (converted !== undefined) return converted;
    return fail(`type conversion error from '${typeOfValue(value as CelValue).toString()}' to '${target.toString()}'`);
  };
}

export const toIntValue: Implementation = conversion(INT, (value) => {
  if (typeof value === "bigint") return value;
  if (typeof value === "number") return doubleToInt(value);
  if (typeof value === "string") return parseInt64(value);
  if (value instanceof CelUint) return toInt(value.value);
  if (value instanceof CelDuration) return value.nanos;
  return value instanceof CelTimestamp ? floorDivide(value.nanos, NANOS) : undefined;
});

export const toUintValue: Implementation = conversion(UINT, (value) => {
  if (value instanceof CelUint) return value;
  if (typeof value === "bigint") return toUint(value);
  if (typeof value === "number") return doubleToUint(value);
  const parsed = typeof value === "string" ? parseUint64(value) : undefined;
  return parsed === undefined ? undefined : new CelUint(parsed);
});

export const toDoubleValue: Implementation = conversion(DOUBLE, (value) => {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (value instanceof CelUint) return Number(value.value);
  return typeof value === "string" ? parseFloat64(value) : undefined;
});

const BOOLEANS: Record<string, boolean> = {
  ...Object.fromEntries(["1", "t", "T", "true", "TRUE", "True"].map((text) => [text, true])),
  ...Object.fromEntries(["0", "f", "F", "false", "FALSE", "False"].map((text) => [text, false])),
};

export const toBoolValue: Implementation = conversion(BOOL, (value) => {
  if (typeof value === "boolean") return value;
  return typeof value === "string" && Object.hasOwn(BOOLEANS, value) ? BOOLEANS[value] : undefined;
});

export const toBytesValue: Implementation = conversion(BYTES, (value) => {
  if (value instanceof Uint8Array) return value;
  return typeof value === "string" ? encodeUtf8(value) : undefined;
});

export const toStringValue: Implementation = conversion(STRING, (value) => {
  switch (typeof value) {
    case "string":
      return value;
    case "boolean":
    case "bigint":
      return String(value);
    case "number":
      return formatDouble(value);
    default:
      return objectToString(value);
  }
});

function objectToString(value: CelValue): CelResult | undefined {
  if (value instanceof CelUint) return value.value.toString();
  if (value instanceof Uint8Array) return decodeUtf8(value) ?? fail("invalid UTF-8 in bytes, cannot convert to string");
  if (value instanceof CelDuration) return formatDuration(value);
  return value instanceof CelTimestamp ? formatTimestamp(value) : undefined;
}

/** Ints are declared as convertible but, as in cel-go, are not converted. */
export const toDurationValue: Implementation = conversion(DURATION, (value) => {
  if (value instanceof CelDuration) return value;
  return typeof value === "string" ? parseDuration(value) : undefined;
});

export const toTimestampValue: Implementation = conversion(TIMESTAMP, (value) => {
  if (value instanceof CelTimestamp) return value;
  if (typeof value === "bigint") return toTimestamp(value * NANOS);
  return typeof value === "string" ? parseTimestamp(value) : undefined;
});
