/** Exact arithmetic of the oracle: fractions, half-even rounding, and sharing, written from the specification. */

/** A fraction. */
export interface Fraction {
  readonly n: bigint;
  readonly d: bigint;
}

/** A fraction of two integers. */
export const fraction = (n: bigint | number, d: bigint | number = 1): Fraction => ({ n: BigInt(n), d: BigInt(d) });

/** A decimal text as a fraction. */
export function decimal(text: string): Fraction {
  const [whole = "0", rest = ""] = text.split(".");
  return fraction(BigInt(whole + rest), 10n ** BigInt(rest.length));
}

/** Sum, product and quotient. */
export const plus = (a: Fraction, b: Fraction): Fraction => fraction(a.n * b.d + b.n * a.d, a.d * b.d);
export const minus = (a: Fraction, b: Fraction): Fraction => fraction(a.n * b.d - b.n * a.d, a.d * b.d);
export const times = (a: Fraction, b: Fraction): Fraction => fraction(a.n * b.n, a.d * b.d);
export const over = (a: Fraction, b: Fraction): Fraction => fraction(a.n * b.d, a.d * b.n);
export const isLess = (a: Fraction, b: Fraction): boolean => a.n * b.d < b.n * a.d;

/** The nearest integer; a half goes to the even one. */
export function halfEven({ n, d }: Fraction): bigint {
  const sign = n < 0n ? -1n : 1n;
  const size = n * sign;
  const whole = size / d;
  const rest = size - whole * d;
  if (rest * 2n < d) return sign * whole;
  if (rest * 2n > d) return sign * (whole + 1n);
  return sign * (whole % 2n === 0n ? whole : whole + 1n);
}

/** Code point order, by bytes of UTF-8. */
export const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Lists element by element. */
export function byElements(a: readonly string[], b: readonly string[]): number {
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    const order = byBytes(a[at] ?? "", b[at] ?? "");
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** `share(total, weights)` of section 2. */
export function shareOut(total: bigint, weights: readonly { key: readonly string[]; w: bigint }[]): bigint[] {
  const W = weights.reduce((sum, { w }) => sum + w, 0n);
  if (W === 0n) return weights.map(() => 0n);
  const sign = total < 0n ? -1n : 1n;
  const size = total * sign;
  const base = weights.map(({ w }) => (size * w) / W);
  const left = Number(size - base.reduce((sum, part) => sum + part, 0n));
  const ranked = weights.map(({ key, w }, at) => ({ at, key, rest: (size * w) % W }));
  ranked.sort((a, b) => (a.rest < b.rest ? 1 : a.rest > b.rest ? -1 : byElements(a.key, b.key)));
  for (const { at } of ranked.slice(0, left)) base[at] = (base[at] ?? 0n) + 1n;
  return base.map((part) => part * sign);
}

/** A whole count of 10^-digits as text. */
export function fixed(value: bigint, digits: number): string {
  const text = String(value < 0n ? -value : value).padStart(digits + 1, "0");
  const cut = text.length - digits;
  return `${value < 0n ? "-" : ""}${text.slice(0, cut)}${digits > 0 ? `.${text.slice(cut)}` : ""}`;
}

/** A whole count of 10^-9 without trailing zeros. */
export function plain(value: bigint): string {
  return fixed(value, 9).replace(/\.?0+$/, "");
}
