/** Quantities such as `100m` and `1.5Gi`: exact decimals with a suffix. */

import type { Implementation } from "../check/declarations.ts";
import { member, overload } from "../check/declarations.ts";
import type { Library } from "../library/library.ts";
import { BOOL, DOUBLE, INT, objectType, STRING, type Type } from "../type.ts";
import { MAX_INT, MIN_INT } from "../values/number.ts";
import type { CelError, CelValue } from "../values/value.ts";
import { CelObject, fail, noSuchOverload } from "../values/value.ts";

export const QUANTITY: Type = objectType("kubernetes.Quantity");

/** `value * 10^scale`; `small` when Kubernetes keeps it in 64 bits, which decides what counts as an integer. */
export class CelQuantity extends CelObject {
  override readonly type: Type = QUANTITY;
  readonly value: bigint;
  readonly scale: number;
  readonly small: boolean;

  constructor(value: bigint, scale: number, small: boolean) {
    super();
    this.value = value;
    this.scale = scale;
    this.small = small;
  }

  override equals(other: CelValue): boolean | CelError {
    return other instanceof CelQuantity ? compareQuantities(this, other) === 0 : noSuchOverload();
  }

  /** The integer, when the quantity is one that fits. */
  toInteger(): bigint | undefined {
    if (!this.small || this.scale < 0) return undefined;
    const value = this.value * 10n ** BigInt(this.scale);
    return value > MAX_INT || value < MIN_INT ? undefined : value;
  }

  /** The exact decimal. */
  override get text(): string {
    if (this.scale >= 0) return (this.value * 10n ** BigInt(this.scale)).toString();
    const digits = (this.value < 0n ? -this.value : this.value).toString().padStart(1 - this.scale, "0");
    return `${this.value < 0n ? "-" : ""}${digits.slice(0, this.scale)}.${digits.slice(this.scale)}`;
  }
}

/** The largest binary quantity. */
const MAX_BINARY = MAX_INT;
const NANO = -9;
const MOST_DIGITS = 18;
/** Larger exponents are reduced to this one: no quantity is that large, and exact arithmetic with more would not end. */
const LARGEST_EXPONENT = 1000;
const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?/;
const SUFFIX = /^[eEinumkKMGTP]*[+-]?\d*$/;
const DECIMAL: Record<string, number> = { n: -9, u: -6, m: -3, "": 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const BINARY: Record<string, number> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };
const WRONG_FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const WRONG_SUFFIX = "unable to parse quantity's suffix";
const WRONG_NUMBER = "unable to parse numeric part of quantity";

/** The error of an invalid quantity. */
class QuantityError extends Error {
  override readonly name = "QuantityError";
}

interface Suffix {
  readonly base: 10 | 2;
  readonly exponent: number;
}

export function parseQuantity(text: string): CelQuantity {
  const [number = "", sign = "", wholeDigits = "", fractionDigits = ""] = NUMBER.exec(text) ?? [];
  const suffixText = text.slice(number.length);
  if (text === "" || !SUFFIX.test(suffixText)) throw new QuantityError(WRONG_FORMAT);
  const whole = boundedWhole(wholeDigits);
  const fraction = boundedFraction(fractionDigits);
  const suffix = parseSuffix(suffixText);
  if (!suffix) throw new QuantityError(WRONG_SUFFIX);
  const digits = significant(whole) || "0";
  const small = parseSmall(digits, fraction, suffix);
  const quantity = small ?? parseLarge(whole, fraction, suffix);
  return sign === "-" ? new CelQuantity(-quantity.value, quantity.scale, quantity.small) : quantity;
}

function significant(digits: string): string {
  return digits.startsWith("0") ? digits.replace(/^0+/, "") : digits;
}

/** A number with more digits than the largest exponent counts as the power of ten with that exponent. */
function boundedWhole(digits: string): string {
  const kept = digits.length <= LARGEST_EXPONENT ? digits : significant(digits) || "0";
  return kept.length <= LARGEST_EXPONENT ? kept : `1${"0".repeat(LARGEST_EXPONENT)}`;
}

/** Digits after this many places only decide whether to round up. */
function boundedFraction(digits: string): string {
  const kept = 2 * LARGEST_EXPONENT;
  if (digits.length <= kept) return digits;
  return digits.slice(0, kept) + (/[1-9]/.test(digits.slice(kept)) ? "1" : "0");
}

function parseSuffix(text: string): Suffix | undefined {
  if (Object.hasOwn(DECIMAL, text)) return { base: 10, exponent: DECIMAL[text] ?? 0 };
  if (Object.hasOwn(BINARY, text)) return { base: 2, exponent: BINARY[text] ?? 0 };
  const exponent = /^[eE]([+-]?\d+)$/.exec(text);
  const value = Number(exponent?.[1]);
  if (!exponent || Math.abs(value) >= 2 ** 31) return undefined;
  return { base: 10, exponent: Math.max(-LARGEST_EXPONENT, Math.min(value, LARGEST_EXPONENT)) };
}

/** What fits 64 bits without rounding stays there. */
function parseSmall(digits: string, fraction: string, suffix: Suffix): CelQuantity | undefined {
  if (suffix.base === 10) {
    const scale = suffix.exponent - fraction.length;
    if (MOST_DIGITS - digits.length - fraction.length < 0 || scale < NANO) return undefined;
    return new CelQuantity(BigInt(digits + fraction), scale, true);
  }
  const precision = 15 - digits.length - Math.trunc((suffix.exponent * 3) / 10) - 1;
  if (fraction !== "" || precision < 0) return undefined;
  const value = BigInt(digits) << BigInt(suffix.exponent);
  return value > MAX_INT ? undefined : new CelQuantity(value, 0, true);
}

/** Everything else is rounded up to a billionth. */
function parseLarge(whole: string, fraction: string, suffix: Suffix): CelQuantity {
  if (whole === "" && fraction === "") throw new QuantityError(WRONG_NUMBER);
  let value = BigInt((whole || "0") + fraction);
  let scale = -fraction.length;
  if (suffix.base === 10) scale += suffix.exponent;
  else value <<= BigInt(suffix.exponent);
  if (scale < NANO) {
    const divisor = 10n ** BigInt(NANO - scale);
    value = (value + divisor - 1n) / divisor;
  } else value *= 10n ** BigInt(scale - NANO);
  const quantity = new CelQuantity(value, NANO, false);
  const limit = new CelQuantity(MAX_BINARY, 0, false);
  return suffix.base === 2 && compareQuantities(quantity, limit) > 0 ? limit : quantity;
}

/** Both values at the smaller of the two scales. */
function aligned(a: CelQuantity, b: CelQuantity): readonly [bigint, bigint, number] {
  const scale = Math.min(a.scale, b.scale);
  return [a.value * 10n ** BigInt(a.scale - scale), b.value * 10n ** BigInt(b.scale - scale), scale];
}

function compareQuantities(a: CelQuantity, b: CelQuantity): number {
  const [left, right] = aligned(a, b);
  return left < right ? -1 : Number(left > right);
}

function plus(a: CelQuantity, b: CelQuantity): CelQuantity {
  if (a.small && b.small && b.value === 0n) return a;
  if (a.small && b.small && a.value === 0n) return b;
  const [left, right, scale] = aligned(a, b);
  const sum = left + right;
  const fits = [left, right, sum].every((value) => value <= MAX_INT && value >= MIN_INT);
  return new CelQuantity(sum, scale, a.small && b.small && fits);
}

function negated(quantity: CelQuantity): CelQuantity {
  return new CelQuantity(-quantity.value, quantity.scale, quantity.small);
}

function approximate(quantity: CelQuantity): number {
  const base = Number(quantity.value);
  return quantity.scale === 0 ? base : base * powerOfTen(quantity.scale);
}

/** As Go computes it, from two factors, which can be off by the last bit. */
function powerOfTen(exponent: number): number {
  const size = Math.abs(exponent);
  const rest = Number(`1e${size % 32}`);
  const head = size - (size % 32);
  if (exponent < 0) return exponent < -323 ? 0 : Number(`1e-${head}`) / rest;
  return exponent > 308 ? Infinity : Number(`1e${head}`) * rest;
}

function q(value: CelValue | undefined): CelQuantity {
  return value as CelQuantity;
}

function ofInt(value: CelValue | undefined): CelQuantity {
  return new CelQuantity(value as bigint, 0, true);
}

const fromString: Implementation = (text) => {
  try {
    return parseQuantity(text as string);
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    return fail(error.message);
  }
};

const isQuantity: Implementation = (text) => fromString(text as CelValue) instanceof CelQuantity;

function sum(
  name: string,
  combine: (a: CelQuantity, b: CelQuantity) => CelQuantity,
): NonNullable<Library["functions"]>[number] {
  return {
    name,
    overloads: [
      member(`quantity_${name}`, [QUANTITY, QUANTITY], QUANTITY, (a, b) => combine(q(a), q(b))),
      member(`quantity_${name}_int`, [QUANTITY, INT], QUANTITY, (a, b) => combine(q(a), ofInt(b))),
    ],
  };
}

export const QUANTITY_LIBRARY: Library = {
  name: "kubernetes.quantity",
  functions: [
    { name: "quantity", overloads: [overload("string_to_quantity", [STRING], QUANTITY, fromString)] },
    { name: "isQuantity", overloads: [overload("is_quantity_string", [STRING], BOOL, isQuantity)] },
    {
      name: "sign",
      overloads: [
        overload("quantity_sign", [QUANTITY], INT, (a) => (q(a).value > 0n ? 1n : q(a).value < 0n ? -1n : 0n)),
      ],
    },
    {
      name: "isGreaterThan",
      overloads: [
        member("quantity_is_greater_than", [QUANTITY, QUANTITY], BOOL, (a, b) => compareQuantities(q(a), q(b)) === 1),
      ],
    },
    {
      name: "isLessThan",
      overloads: [
        member("quantity_is_less_than", [QUANTITY, QUANTITY], BOOL, (a, b) => compareQuantities(q(a), q(b)) === -1),
      ],
    },
    {
      name: "compareTo",
      overloads: [
        member("quantity_compare_to", [QUANTITY, QUANTITY], INT, (a, b) => BigInt(compareQuantities(q(a), q(b)))),
      ],
    },
    {
      name: "asApproximateFloat",
      overloads: [member("quantity_get_float", [QUANTITY], DOUBLE, (a) => approximate(q(a)))],
    },
    {
      name: "asInteger",
      overloads: [
        member("quantity_get_int", [QUANTITY], INT, (a) => q(a).toInteger() ?? fail("cannot convert value to integer")),
      ],
    },
    {
      name: "isInteger",
      overloads: [member("quantity_is_integer", [QUANTITY], BOOL, (a) => q(a).toInteger() !== undefined)],
    },
    sum("add", plus),
    sum("sub", (a, b) => plus(a, negated(b))),
  ],
};
