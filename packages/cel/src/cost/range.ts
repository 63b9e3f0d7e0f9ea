/** Ranges of sizes and costs in 64 bits that stop at the end instead of wrapping around. */

const MAX = 2n ** 64n - 1n;

/** From the least to the most. */
export class CostRange {
  static readonly unknown: CostRange = new CostRange(0n, MAX);
  readonly min: bigint;
  readonly max: bigint;

  constructor(min: bigint, max: bigint) {
    this.min = min;
    this.max = max;
  }

  static fixed(value: bigint): CostRange {
    return new CostRange(value, value);
  }

  add(other: CostRange): CostRange {
    return new CostRange(clamp(this.min + other.min), clamp(this.max + other.max));
  }

  times(other: CostRange): CostRange {
    return new CostRange(clamp(this.min * other.min), clamp(this.max * other.max));
  }

  /** Multiplied and rounded up. */
  scale(factor: number): CostRange {
    return new CostRange(scaled(this.min, factor), scaled(this.max, factor));
  }

  /** The smallest range that holds both. */
  union(other: CostRange): CostRange {
    return new CostRange(this.min < other.min ? this.min : other.min, this.max > other.max ? this.max : other.max);
  }
}

/** The largest number that a cost can be. */
export const MAX_COST: bigint = MAX;

export function clamp(value: bigint): bigint {
  return value > MAX ? MAX : value;
}

function scaled(value: bigint, factor: number): bigint {
  const product = Math.ceil(Number(value) * factor);
  return product >= 2 ** 64 ? MAX : BigInt(product);
}
