/** Collects the pieces of usage of a window from a store, whatever source they came from. */
import type { Book } from "../book/book.ts";
import type { Store } from "../store/store.ts";
import { toUsage } from "../store/tables.ts";
import type { Piece, Tenancy } from "./piece.ts";
import { plainTenancy } from "./piece.ts";
import type { Window } from "./rate.ts";
import { type Stretch, complement } from "./stretch.ts";

/** All that a report or an invoice needs to know of a store. */
export interface Collected {
  readonly tenancy: Tenancy;
  readonly pieces: () => AsyncIterable<Piece>;
  /** The stretches of a window in which a meter was not observed. */
  readonly missing: (meter: string, window: Window) => readonly Stretch[];
  /** Names of dimensions that records have. */
  readonly dimensions: ReadonlySet<string>;
}

/** Opens the pieces of a window. */
export async function collect(store: Store, book: Book, window: Window): Promise<Collected> {
  const dimensions = new Set<string>();
  const { watermarks } = store.state;
  return {
    tenancy: plainTenancy,
    dimensions,
    pieces: () => usagePieces(store, book, { window, dimensions }),
    missing: (meter, { from, to }) => {
      const end = watermarks.get(meter);
      return complement(end === undefined ? [] : [{ start: Number.NEGATIVE_INFINITY, end }], { from, to });
    },
  };
}

async function* usagePieces(
  store: Store,
  book: Book,
  { window, dimensions }: { window: Window; dimensions: Set<string> },
): AsyncIterable<Piece> {
  const parsed = new Map<string, ReadonlyMap<string, string>>();
  for await (const rows of store.read("usage", { from: window.from, to: window.to })) {
    for (const row of rows) {
      const record = toUsage(row);
      const meter = book.meters.get(record.meter);
      if (meter === undefined) continue;
      let values = parsed.get(record.dimensions);
      if (values === undefined) {
        values = parseDimensions(record.dimensions);
        parsed.set(record.dimensions, values);
        for (const name of values.keys()) dimensions.add(name);
      }
      yield { ...record, kind: meter.type === "level" ? "level" : "event", dimensions: values };
    }
  }
}

/** Dimensions from canonical JSON. */
export function parseDimensions(text: string): ReadonlyMap<string, string> {
  return new Map(Object.entries(JSON.parse(text) as { readonly [name: string]: string }));
}
