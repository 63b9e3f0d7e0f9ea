/** Divides the cost of shared pools among the values of the first dimension, bucket by bucket. */
import type { Book, SharedRule } from "../book/book.ts";
import { MeterError } from "../error.ts";
import { share } from "../number/share.ts";
import { Quantity } from "./piece.ts";
import type { Detail } from "./report.ts";

/** What dividing needs. */
export interface SplitOptions {
  readonly book: Book;
  readonly dimensions: readonly string[];
  readonly by: readonly string[];
}

/** Takes the rows of pools out and adds the shares of the others. */
export function splitShared(details: readonly Detail[], { book, dimensions, by }: SplitOptions): Detail[] {
  if (book.shared.length === 0) return [...details];
  if (by[0] !== "tenant" && by[0] !== "namespace")
    throw new MeterError(
      "BadInput",
      "--shared split divides among tenants or namespaces; put one of them first in --by",
    );
  const buckets = Map.groupBy(details, ({ bucket }) => bucket.start);
  return [...buckets.values()].flatMap((members) => splitBucket(members, { book, dimensions }));
}

function splitBucket(
  members: readonly Detail[],
  { book, dimensions }: Pick<SplitOptions, "book" | "dimensions">,
): Detail[] {
  const ruleOf = (detail: Detail): SharedRule | undefined =>
    book.shared.find(({ match }) =>
      Object.entries(match).every(([name, value]) => detail.values[dimensions.indexOf(name)] === value),
    );
  const owned = members.filter((detail) => ruleOf(detail) === undefined);
  const rest: Detail[] = [...owned];
  for (const rule of book.shared) {
    const pool = members.filter((detail) => ruleOf(detail) === rule);
    const shares = divide(rule, { pool, owned, width: dimensions.length });
    rest.push(...(shares ?? pool));
  }
  return rest;
}

interface Pool {
  readonly pool: readonly Detail[];
  readonly owned: readonly Detail[];
  readonly width: number;
}

/** The shares of a pool; undefined where there is no receiver. */
function divide(rule: SharedRule, { pool, owned, width }: Pool): Detail[] | undefined {
  const [first] = pool;
  if (first === undefined) return [];
  const total = pool.reduce((sum, { cost }) => sum + (cost ?? 0n), 0n);
  const receivers = [...weightsOf(rule, owned)]
    .filter(([name, weight]) => weight > 0n && name !== "__idle__" && name !== "__shared__")
    .map(([name, weight]) => ({ key: [name], weight }));
  if (receivers.length === 0) return undefined;
  return share(total, receivers).map((cost, at) => ({
    bucket: first.bucket,
    meter: `shared.${rule.name}`,
    charge: "shared",
    values: Array.from({ length: width }, (_, column) => (column === 0 ? (receivers[at]?.key[0] ?? "") : "")),
    quantity: new Quantity("sum", undefined),
    unit: "",
    cost,
    isPartial: false,
  }));
}

function weightsOf({ by }: SharedRule, owned: readonly Detail[]): ReadonlyMap<string, bigint> {
  const weights = new Map<string, bigint>();
  for (const { values, cost = 0n, quantity, meter, charge } of owned) {
    const [name = ""] = values;
    const before = weights.get(name) ?? 0n;
    if (by.kind === "cost") weights.set(name, before + cost);
    else if (by.kind === "quantity")
      weights.set(name, before + (meter === by.meter && charge === "usage" ? quantity.value : 0n));
    else if (quantity.value !== 0n || cost !== 0n)
      weights.set(name, by.kind === "weights" ? (by.weights.get(name) ?? 0n) : 1n);
  }
  return weights;
}
