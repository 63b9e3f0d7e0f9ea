/** Equality across types and order within comparable ones. */

import { sameType, Type } from "../type.ts";
import { spend } from "../work.ts";
import { compareBytes, compareText } from "./text.ts";
import type { CelResult, CelValue } from "./value.ts";
import {
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelObject,
  CelOptional,
  CelTimestamp,
  CelUint,
  fail,
  noSuchOverload,
} from "./value.ts";

/** The work to compare two values, and what containers and objects add to that of their parts. */
const COMPARISON_WORK = 4;
const CONTAINER_WORK = 40;

/** Whether two values are equal; values of different kinds are not, numbers compare by what they are worth. */
export function equals(a: CelResult, b: CelResult): boolean | CelError {
  if (a instanceof CelError) return a;
  if (b instanceof CelError) return b;
  if (a === null || b === null) return a === b;
  spend(COMPARISON_WORK);
  switch (typeof a) {
    case "string":
      if (typeof b === "string" && a.length === b.length) spend(a.length / 16);
      return a === b;
    case "boolean":
      return a === b;
    case "bigint":
    case "number":
      return isNumeric(b) && numericEquals(a, b);
    default:
      return equalsObject(a, b);
  }
}

function equalsObject(
  a: Exclude<CelValue, null | string | boolean | bigint | number>,
  b: CelValue,
): boolean | CelError {
  spend(CONTAINER_WORK);
  if (a instanceof CelList) return b instanceof CelList && a.equals(b, equals);
  if (a instanceof CelMap) return b instanceof CelMap && a.equals(b, equals);
  if (a instanceof CelObject) return a.equals(b, equals);
  if (a instanceof CelUint) return isNumeric(b) && numericEquals(a, b);
  if (a instanceof Type) return b instanceof Type && sameRuntimeType(a, b);
  if (a instanceof CelOptional) return b instanceof CelOptional && equalOptionals(a, b);
  return compareScalars(a, b) === 0;
}

/** Runtime types are identified by name: parameters are erased. */
function sameRuntimeType(a: Type, b: Type): boolean {
  return a.name === b.name || sameType(a, b);
}

function equalOptionals(a: CelOptional, b: CelOptional): boolean | CelError {
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return equals(a.value, b.value);
}

type Numeric = bigint | number | CelUint;

export function isNumeric(value: CelValue): value is Numeric {
  return typeof value === "bigint" || typeof value === "number" || value instanceof CelUint;
}

function numericEquals(a: Numeric, b: Numeric): boolean {
  return compareNumbers(a, b) === 0;
}

/** -1, 0 or 1; NaN is neither, which shows as undefined. An int meets a double as a double, as in cel-go. */
function compareNumbers(a: Numeric, b: Numeric): number | undefined {
  if (typeof a === "number" || typeof b === "number") return compareDoubles(a, b);
  const left = typeof a === "bigint" ? a : a.value;
  const right = typeof b === "bigint" ? b : b.value;
  return left < right ? -1 : Number(left > right);
}

function compareDoubles(a: Numeric, b: Numeric): number | undefined {
  const left = asDouble(a);
  const right = asDouble(b);
  if (Number.isNaN(left) || Number.isNaN(right)) return undefined;
  return left < right ? -1 : Number(left > right);
}

function asDouble(value: Numeric): number {
  if (typeof value === "number") return value;
  return Number(typeof value === "bigint" ? value : value.value);
}

/** Whether values of this kind can be ordered at all. */
export function isComparable(value: CelValue): boolean {
  return (
    typeof value === "string" ||
    typeof value === "boolean" ||
    isNumeric(value) ||
    value instanceof CelTimestamp ||
    value instanceof CelDuration ||
    value instanceof Uint8Array
  );
}

/** -1, 0 or 1, or why the two have no order. */
export function compare(a: CelValue, b: CelValue): number | CelError {
  spend(1);
  if (isNumeric(a)) {
    if (!isNumeric(b)) return noSuchOverload();
    return compareNumbers(a, b) ?? fail("NaN values cannot be ordered");
  }
  if (typeof a === "string") return typeof b === "string" ? compareTexts(a, b) : noSuchOverload();
  if (typeof a === "boolean") return typeof b === "boolean" ? Number(a) - Number(b) : noSuchOverload();
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? compareBytes(a, b) : noSuchOverload();
  const time = compareTimes(a, b);
  return time ?? noSuchOverload();
}

function compareTexts(a: string, b: string): number {
  spend(Math.min(a.length, b.length) / 4);
  return compareText(a, b);
}

function compareScalars(a: CelValue, b: CelValue): number | undefined {
  if (!(a instanceof Uint8Array && b instanceof Uint8Array)) return compareTimes(a, b);
  spend(Math.min(a.length, b.length) / 4);
  return compareBytes(a, b);
}

function compareTimes(a: CelValue, b: CelValue): number | undefined {
  const sameKind =
    (a instanceof CelTimestamp && b instanceof CelTimestamp) || (a instanceof CelDuration && b instanceof CelDuration);
  if (!sameKind) return undefined;
  return a.nanos < b.nanos ? -1 : Number(a.nanos > b.nanos);
}
