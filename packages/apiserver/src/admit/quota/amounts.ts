/** Resource amounts by name, as quotas count them. */
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  subtractQuantities,
  toQuantity,
  type Quantity,
} from "@capstan/model";

/** Quantities by the name of the resource. */
export type Amounts = ReadonlyMap<string, Quantity>;

const zero = toQuantity(0);

/** Parses a resource list. */
export function readAmounts(list: { readonly [name: string]: string } | undefined): Amounts {
  return new Map(Object.entries(list ?? {}).map(([name, text]) => [name, parseQuantity(text)]));
}

/** Formats a resource list, sorted by name. */
export function writeAmounts(amounts: Amounts): { [name: string]: string } {
  return Object.fromEntries(sorted(amounts).map(([name, amount]) => [name, formatQuantity(amount)]));
}

/** `cpu=1,memory=1Gi`. */
export function describeAmounts(amounts: Amounts): string {
  return sorted(amounts)
    .map(([name, amount]) => `${name}=${formatQuantity(amount)}`)
    .join(",");
}

function sorted(amounts: Amounts): [string, Quantity][] {
  return [...amounts].sort(([a], [b]) => (a < b ? -1 : Number(a > b)));
}

/** Only the amounts with these names. */
export function mask(amounts: Amounts, names: Iterable<string>): Amounts {
  const wanted = new Set(names);
  return new Map([...amounts].filter(([name]) => wanted.has(name)));
}

/** The sum by name. */
export function plus(left: Amounts, right: Amounts): Amounts {
  const sum = new Map(left);
  for (const [name, amount] of right) {
    const before = sum.get(name);
    sum.set(name, before === undefined ? amount : addQuantities(before, amount));
  }
  return sum;
}

/** The difference by name, at least zero. */
export function excess(left: Amounts, right: Amounts): Amounts {
  const result = new Map<string, Quantity>();
  for (const [name, amount] of left) {
    const rest = subtractQuantities(amount, right.get(name) ?? zero);
    result.set(name, compareQuantities(rest, zero) < 0 ? { ...zero, format: rest.format } : rest);
  }
  return result;
}

/** Drops zero amounts. */
export function nonZero(amounts: Amounts): Amounts {
  return new Map([...amounts].filter(([, amount]) => compareQuantities(amount, zero) !== 0));
}

/** The names with negative amounts. */
export function negativeNames(amounts: Amounts): string[] {
  return [...amounts].filter(([, amount]) => compareQuantities(amount, zero) < 0).map(([name]) => name);
}

/** The names with amounts above the limit. */
export function exceeding(amounts: Amounts, limits: Amounts): string[] {
  return [...amounts]
    .filter(([name, amount]) => {
      const limit = limits.get(name);
      return limit !== undefined && compareQuantities(amount, limit) > 0;
    })
    .map(([name]) => name);
}

/** Whether both hold the same amounts. */
export function sameAmounts(left: Amounts, right: Amounts): boolean {
  return (
    left.size === right.size &&
    [...left].every(([name, amount]) => {
      const other = right.get(name);
      return other !== undefined && compareQuantities(amount, other) === 0;
    })
  );
}
