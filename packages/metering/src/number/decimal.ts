/** Decimals as integers: parsed from text without a float, rounded half-even, printed plain. */

const form = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,6}))?(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE])?$/;

const decimalSuffix: { readonly [letter: string]: number } = {
  n: -9,
  u: -6,
  m: -3,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binarySuffix: { readonly [letters: string]: number } = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };

/** The largest exponent that is computed; larger numbers are out of every range. */
const farExponent = 400;

/** The fractional digits of amounts. */
export const amountDigits = 6;

/** The limit of amounts: 10^24, in millionths. */
const amountLimit = 10n ** 30n;

/** Divides and rounds half-even; the divisor is positive. */
export function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const negative = dividend < 0n;
  const absolute = negative ? -dividend : dividend;
  const quotient = absolute / divisor;
  const twice = (absolute % divisor) * 2n;
  const up = twice > divisor || (twice === divisor && quotient % 2n === 1n);
  const rounded = up ? quotient + 1n : quotient;
  return negative ? -rounded : rounded;
}

/** Divides and rounds down, for negative numbers too; the divisor is positive. */
export function divideFloor(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend % divisor < 0n ? quotient - 1n : quotient;
}

/** A fraction with a positive denominator. */
interface Fraction {
  readonly over: bigint;
  readonly under: bigint;
}

/** Reads a decimal or a Kubernetes quantity as a fraction; undefined for any other text. */
export function parseFraction(text: string): Fraction | undefined {
  const found = text.length > 1100 ? null : form.exec(text);
  if (found === null) return undefined;
  const [, sign, integer = "", fraction = "", exponent = "0", suffix = ""] = found;
  if (integer === "" && fraction === "") return undefined;
  const digits = BigInt(integer + fraction);
  if (digits === 0n) return { over: 0n, under: 1n };
  const value = (sign === "-" ? -digits : digits) * 2n ** BigInt(binarySuffix[suffix] ?? 0);
  return scaled(value, Number(exponent) - fraction.length + (decimalSuffix[suffix] ?? 0));
}

/** A value times a power of ten; what is far out of every range becomes 0 or undefined. */
function scaled(value: bigint, exponent: number): Fraction | undefined {
  if (exponent > farExponent) return undefined;
  if (exponent >= 0) return { over: value * 10n ** BigInt(exponent), under: 1n };
  return exponent < -2 * farExponent - 1100
    ? { over: 0n, under: 1n }
    : { over: value, under: 10n ** BigInt(-exponent) };
}

/** Reads an amount in millionths: half-even, below 10^24; undefined where the text is not an amount. */
export function parseAmount(text: string): bigint | undefined {
  const fraction = parseFraction(text);
  if (fraction === undefined) return undefined;
  const amount = divideHalfEven(fraction.over * 10n ** BigInt(amountDigits), fraction.under);
  return amount >= amountLimit || amount <= -amountLimit ? undefined : amount;
}

/** Prints with a fixed number of fractional digits. */
export function formatFixed(value: bigint, digits: number): string {
  const negative = value < 0n;
  const text = (negative ? -value : value).toString().padStart(digits + 1, "0");
  const body = digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
  return negative ? `-${body}` : body;
}

/** Prints without trailing zeros. */
export function formatPlain(value: bigint, digits: number): string {
  let [rest, places] = [value, digits];
  while (places > 0 && rest % 10n === 0n) [rest, places] = [rest / 10n, places - 1];
  return formatFixed(rest, places);
}

/** Reads a printed decimal in billionths. */
export function parseNano(text: string): bigint {
  const fraction = parseFraction(text) ?? { over: 0n, under: 1n };
  return divideHalfEven(fraction.over * 1_000_000_000n, fraction.under);
}
