/** Rules of a book that need more than one of its fields. */
import { boundsOf } from "../time/bucket.ts";
import { zoneOf } from "../time/zone.ts";
import type { Book } from "./book.ts";
import type { Field } from "./field.ts";

/** Refuses a tiered price that begins inside a rating period of any tenant. */
export function checkBook(book: Book, root: Field): void {
  const zones = new Set([book.timeZone, ...book.tenantZones.values()]);
  for (const [at, price] of book.prices.entries()) {
    if (price.tiers === "simple" || price.from === undefined) continue;
    const split = [...zones].find((zone) => startOfPeriod(book, zone, price.from ?? 0) !== price.from);
    if (split === undefined) continue;
    const item = root.member("prices").items()[at];
    throw (item ?? root)
      .member("from")
      .refuse(`a price with tiers must begin where a ${book.ratingPeriod} begins, also in ${split}`);
  }
}

function startOfPeriod({ ratingPeriod }: Book, zone: string, instant: number): number {
  return boundsOf(ratingPeriod, zoneOf(zone), instant)[0];
}
