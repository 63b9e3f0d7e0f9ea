/** Fractions of integers: what money is computed in before it is rounded once. */
import { divideFloor, divideHalfEven } from "./decimal.ts";

/** A fraction; the denominator is positive. */
export interface Rational {
  readonly over: bigint;
  readonly under: bigint;
}

/** Zero. */
export const zero: Rational = { over: 0n, under: 1n };

/** An integer as a fraction. */
export function rational(over: bigint, under = 1n): Rational {
  return { over, under };
}

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x === 0n ? 1n : x;
}

function reduced(over: bigint, under: bigint): Rational {
  const divisor = gcd(over, under);
  return { over: over / divisor, under: under / divisor };
}

/** The sum of two fractions. */
export function add(a: Rational, b: Rational): Rational {
  if (a.under === b.under) return { over: a.over + b.over, under: a.under };
  return reduced(a.over * b.under + b.over * a.under, a.under * b.under);
}

/** The difference of two fractions. */
export function subtract(a: Rational, b: Rational): Rational {
  return add(a, { over: -b.over, under: b.under });
}

/** The product of two fractions. */
export function multiply(a: Rational, b: Rational): Rational {
  return reduced(a.over * b.over, a.under * b.under);
}

/** Compares two fractions. */
export function compare(a: Rational, b: Rational): number {
  const difference = a.over * b.under - b.over * a.under;
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}

/** The smallest whole number that is not below. */
export function ceiling({ over, under }: Rational): Rational {
  return { over: -divideFloor(-over, under), under: 1n };
}

/** Rounds half-even to a number of fractional digits. */
export function roundTo({ over, under }: Rational, digits: number): bigint {
  return divideHalfEven(over * 10n ** BigInt(digits), under);
}
