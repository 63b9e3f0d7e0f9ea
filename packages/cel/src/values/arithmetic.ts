/** The operators `+ - * / %` and unary minus. */

import { toInt, toUint } from "./number.ts";
import { toDuration, toTimestamp } from "./time.ts";
import type { CelResult, CelValue } from "./value.ts";
import { CelDuration, CelList, CelTimestamp, CelUint, fail, noSuchOverload, undefinedFor } from "./value.ts";

/** What each operator does with two numbers of one kind. */
interface NumberOperator {
  readonly name: string;
  readonly int: (a: bigint, b: bigint) => CelResult;
  readonly uint: (a: bigint, b: bigint) => CelResult;
  readonly double?: (a: number, b: number) => number;
}

function applyToNumbers(operator: NumberOperator, a: CelValue, b: CelValue): CelResult | undefined {
  if (typeof a === "bigint") return typeof b === "bigint" ? operator.int(a, b) : noSuchOverload();
  if (typeof a === "number" && operator.double) return typeof b === "number" ? operator.double(a, b) : noSuchOverload();
  if (a instanceof CelUint) return b instanceof CelUint ? operator.uint(a.value, b.value) : noSuchOverload();
  return undefined;
}

const PLUS: NumberOperator = {
  name: "_+_",
  int: (a, b) => toInt(a + b),
  uint: (a, b) => toUint(a + b),
  double: (a, b) => a + b,
};
const MINUS: NumberOperator = {
  name: "_-_",
  int: (a, b) => toInt(a - b),
  uint: (a, b) => toUint(a - b),
  double: (a, b) => a - b,
};
const TIMES: NumberOperator = {
  name: "_*_",
  int: (a, b) => toInt(a * b),
  uint: (a, b) => toUint(a * b),
  double: (a, b) => a * b,
};
const OVER: NumberOperator = {
  name: "_/_",
  int: (a, b) => (b === 0n ? fail("division by zero") : toInt(a / b)),
  uint: (a, b) => (b === 0n ? fail("division by zero") : toUint(a / b)),
  double: (a, b) => a / b,
};
const MODULO: NumberOperator = {
  name: "_%_",
  int: (a, b) => moduloInt(a, b),
  uint: (a, b) => (b === 0n ? fail("modulus by zero") : toUint(a % b)),
};

/** The smallest int by -1 overflows although its remainder would be zero, as in cel-go. */
function moduloInt(a: bigint, b: bigint): CelResult {
  if (b === 0n) return fail("modulus by zero");
  return b === -1n && a === -(2n ** 63n) ? fail("integer overflow") : a % b;
}

export function add(a: CelValue, b: CelValue): CelResult {
  if (typeof a === "string") return typeof b === "string" ? a + b : noSuchOverload();
  const sum = applyToNumbers(PLUS, a, b);
  if (sum !== undefined) return sum;
  if (a instanceof CelList) return b instanceof CelList ? a.plus(b) : noSuchOverload();
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? joinBytes(a, b) : noSuchOverload();
  return addTimes(a, b);
}

function joinBytes(a: Uint8Array, b: Uint8Array): Uint8Array {
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}

function addTimes(a: CelValue, b: CelValue): CelResult {
  if (a instanceof CelDuration) {
    if (b instanceof CelDuration) return toDuration(a.nanos + b.nanos);
    return b instanceof CelTimestamp ? toTimestamp(a.nanos + b.nanos, b.offsetSeconds) : noSuchOverload();
  }
  if (!(a instanceof CelTimestamp)) return undefinedFor("_+_", a);
  return b instanceof CelDuration ? toTimestamp(a.nanos + b.nanos, a.offsetSeconds) : noSuchOverload();
}

export function subtract(a: CelValue, b: CelValue): CelResult {
  const difference = applyToNumbers(MINUS, a, b);
  if (difference !== undefined) return difference;
  if (a instanceof CelDuration) return b instanceof CelDuration ? toDuration(a.nanos - b.nanos) : noSuchOverload();
  if (!(a instanceof CelTimestamp)) return undefinedFor("_-_", a);
  if (b instanceof CelTimestamp) return toDuration(a.nanos - b.nanos);
  return b instanceof CelDuration ? toTimestamp(a.nanos - b.nanos, a.offsetSeconds) : noSuchOverload();
}

export function multiply(a: CelValue, b: CelValue): CelResult {
  return applyToNumbers(TIMES, a, b) ?? undefinedFor("_*_", a);
}

export function divide(a: CelValue, b: CelValue): CelResult {
  return applyToNumbers(OVER, a, b) ?? undefinedFor("_/_", a);
}

export function modulo(a: CelValue, b: CelValue): CelResult {
  return applyToNumbers(MODULO, a, b) ?? undefinedFor("_%_", a);
}

export function negate(value: CelValue): CelResult {
  if (typeof value === "bigint") return toInt(-value);
  if (typeof value === "number") return -value;
  if (value instanceof CelDuration) return toDuration(-value.nanos);
  return typeof value === "boolean" ? noSuchOverload() : undefinedFor("-_", value);
}
