/** Which price holds for a piece of usage: the most keys in `when`, then the latest `from`. */
import type { Price } from "../book/book.ts";
import { whenKey } from "../book/price-fields.ts";

/** What a condition is compared with. */
export type DimensionOf = (name: string) => string;

/** Prices of one meter, ready to be asked. */
export interface PriceList {
  /** Instants at which a price begins. */
  readonly cuts: readonly number[];
  priceAt(instant: number, dimension: DimensionOf): Price | undefined;
}

interface Group {
  readonly when: readonly (readonly [string, string])[];
  /** The latest first. */
  readonly prices: readonly Price[];
}

/** Orders the prices of a meter. */
export function priceListOf(prices: readonly Price[]): PriceList {
  const byWhen = Map.groupBy(prices, whenKey);
  const groups: Group[] = [...byWhen.values()].map((members) => ({
    when: Object.entries(members[0]?.when ?? {}),
    prices: members.toSorted((a, b) => startOf(b) - startOf(a)),
  }));
  groups.sort((a, b) => b.when.length - a.when.length);
  return {
    cuts: prices.flatMap(({ from }) => (from === undefined ? [] : [from])),
    priceAt: (instant, dimension) => {
      for (const { when, prices } of groups) {
        if (!when.every(([name, value]) => dimension(name) === value)) continue;
        const price = prices.find((candidate) => startOf(candidate) <= instant);
        if (price !== undefined) return price;
      }
      return undefined;
    },
  };
}

function startOf({ from }: Price): number {
  return from ?? Number.NEGATIVE_INFINITY;
}
