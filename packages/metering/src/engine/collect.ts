/** Collects the pieces of usage of a window from a store, whatever source they came from. */
import type { Book, Meter } from "../book/book.ts";
import type { Store, SummedUsage } from "../store/store.ts";
import type { SummedFilter } from "../store/summed.ts";
import { type Row, toUsage } from "../store/tables.ts";
import { objectGaps, objectPieces, tenancyOf } from "../journal/pieces.ts";
import { readHistories } from "../journal/read-histories.ts";
import { counterPieces, readCounters } from "../prometheus/counter-pieces.ts";
import { sampledStretches } from "../prometheus/coverage.ts";
import { metricsSource } from "../metrics/samples.ts";
import type { Spread } from "../number/share.ts";
import { hashOf } from "../store/hash.ts";
import { parseDimensions } from "./dimensions.ts";
import type { Piece, Tenancy } from "./piece.ts";
import type { Window } from "./rate.ts";
import { type Stretch, complement, join } from "./stretch.ts";

/** One row of a cloud bill. */
export interface Bill extends Spread {
  readonly resource: string;
  /** Empty where the row has no tag. */
  readonly namespace: string;
}

/** A node that had capacity at some time. */
export interface KnownNode {
  readonly cluster: string;
  readonly node: string;
  readonly dimensions: ReadonlyMap<string, string>;
}

/** All that a report or an invoice needs to know of a store. */
export interface Collected {
  readonly tenancy: Tenancy;
  readonly bills: readonly Bill[];
  /** The dimensions of all nodes that ever had capacity, where bills price nodes. */
  readonly nodes: () => Promise<readonly KnownNode[]>;
  /** With cuts, the store may add up what lies between two of them; with the dimensions that matter, over all others. */
  readonly pieces: (cuts?: readonly number[], needed?: readonly string[]) => AsyncIterable<Piece>;
  /** The pieces that no usage record has: sums, counters and objects. */
  readonly derived: () => AsyncIterable<Piece>;
  /** The stretches of a window in which a meter was not observed. */
  readonly missing: (meter: string, window: Window) => readonly Stretch[];
  /** Names of dimensions that records have. */
  readonly dimensions: ReadonlySet<string>;
}

/** Opens the pieces of a window. */
export async function collect(store: Store, book: Book, window: Window): Promise<Collected> {
  const dimensions = new Set<string>();
  const histories = await readHistories(store);
  const context = { hash: await hashOf(store, book) };
  const counters = await readCounters(store, book);
  const levels = new Map<string, Stretch[]>();
  async function* derived(): AsyncIterable<Piece> {
    yield* summedPieces(store, book, window);
    for (const [name, bySeries] of counters) {
      const meter = book.meters.get(name);
      if (meter !== undefined) yield* counterPieces(meter, bySeries, window);
    }
    for (const meter of book.meters.values())
      if (meter.objects !== undefined) yield* objectPieces(meter, histories, context);
  }
  return {
    tenancy: tenancyOf(book, histories),
    bills: await readBills(store, window),
    dimensions,
    nodes: () =>
      knownNodes(store, book, () =>
        [...book.meters.values()].flatMap((meter) => [...objectPieces(meter, histories, context)]),
      ),
    pieces: async function* (cuts, needed) {
      const summed = cuts === undefined ? undefined : store.readSummed(summedFilter(book, { cuts, needed }));
      if (summed === undefined) yield* usagePieces(store.read("usage", window), book, { dimensions, levels });
      else yield* summedUsage(summed, book, { dimensions, levels });
      yield* derived();
    },
    derived,
    missing: (name, asked) => {
      const meter = book.meters.get(name);
      if (meter?.objects !== undefined && histories.length > 0) return objectGaps(meter, histories, asked);
      if (meter?.prometheus !== undefined)
        return complement(
          [...(levels.get(name) ?? []), ...sampledStretches(meter.prometheus, counters.get(name), asked)],
          asked,
        );
      const measured = levels.get(name);
      if (measured !== undefined) return complement(measured, asked);
      const end = store.state.watermarks.get(name);
      return complement(end === undefined ? [] : [{ start: Number.NEGATIVE_INFINITY, end }], asked);
    },
  };
}

/** Whether a row of a bill belongs to a node does not depend on the window. */
async function knownNodes(store: Store, book: Book, pieces: () => readonly Piece[]): Promise<readonly KnownNode[]> {
  if (book.nodes?.bill !== "focus") return [];
  const meters = new Set(Object.values(book.nodes.capacity));
  const found = new Map<string, KnownNode>();
  const put = (cluster: string, dimensions: ReadonlyMap<string, string>): void => {
    const node = dimensions.get("node") ?? "";
    found.set(JSON.stringify([cluster, node, dimensions.get("provider_id") ?? ""]), { cluster, node, dimensions });
  };
  for await (const rows of store.read("usage"))
    for (const row of rows) {
      const { meter, cluster, dimensions, amount } = toUsage(row);
      if (meters.has(meter) && amount > 0n) put(cluster, parseDimensions(dimensions));
    }
  for (const { meter, cluster, dimensions, amount } of pieces())
    if (meters.has(meter) && amount > 0n) put(cluster, dimensions);
  return [...found.values()];
}

/** The rows of the newest snapshot of each bill. */
async function readBills(store: Store, { from, to }: Window): Promise<Bill[]> {
  const bills: Bill[] = [];
  for await (const rows of store.read("bills", { from, to })) {
    for (const [unit, start, end, cost, resource, namespace, , , , batch] of rows) {
      if (store.state.bills.get(String(unit))?.batch !== Number(batch)) continue;
      bills.push({
        start: Number(start),
        end: Number(end),
        total: BigInt(cost ?? 0),
        resource: String(resource),
        namespace: String(namespace),
      });
    }
  }
  return bills;
}

/** What is left of usage whose records were removed. */
async function* summedPieces(store: Store, book: Book, { from, to }: Window): AsyncIterable<Piece> {
  for await (const rows of store.read("sums", { from, to })) {
    for (const [name, start, end, quantity, tenant] of rows) {
      const meter = book.meters.get(String(name));
      if (meter === undefined) continue;
      yield {
        kind: "sum",
        meter: meter.name,
        start: Number(start),
        end: Number(end),
        amount: BigInt(quantity ?? 0),
        tenant: String(tenant),
        namespace: "",
        cluster: "",
        dimensions: new Map(),
        id: "",
      };
    }
  }
}

/** What is noted of pieces that pass. */
interface Notes {
  readonly dimensions: Set<string>;
  readonly levels: Map<string, Stretch[]>;
}

/** Columns of their own. */
const ownerDimensions: ReadonlySet<string> = new Set(["tenant", "namespace", "cluster"]);

/** Meters that the store may add up: those whose records need no order, and whose hours nodes do not need. */
function summedFilter(
  { meters, nodes, prices }: Book,
  { cuts, needed }: { readonly cuts: readonly number[]; readonly needed: readonly string[] | undefined },
): SummedFilter {
  const names = needed === undefined ? undefined : [...needed, ...prices.flatMap(({ when }) => Object.keys(when))];
  const byHour = new Set(
    [nodes?.capacity, nodes?.request, nodes?.usage].flatMap((names) => Object.values(names ?? {})),
  );
  const own = [...meters.values()].filter(({ name }) => !byHour.has(name));
  const namesOf = (isOwn: (meter: Meter) => boolean): string[] => own.filter(isOwn).map(({ name }) => name);
  return {
    cuts,
    withDimensions: names === undefined || names.some((name) => !ownerDimensions.has(name)),
    levels: namesOf(({ type }) => type === "level"),
    events: namesOf(({ type, aggregate }) => type !== "level" && aggregate === "sum"),
    counts: namesOf(({ type, aggregate }) => type !== "level" && aggregate === "count"),
  };
}

async function* summedUsage(summed: SummedUsage, book: Book, notes: Notes): AsyncIterable<Piece> {
  for await (const rows of summed.sums())
    for (const { quantity, dimensions, ...row } of rows) {
      const values = parseDimensions(dimensions);
      for (const name of values.keys()) notes.dimensions.add(name);
      yield { ...row, kind: "sum", amount: quantity, dimensions: values, id: "" };
    }
  yield* usagePieces(summed.rest(), book, notes);
  for (const meter of book.meters.values())
    if (meter.prometheus !== undefined) notes.levels.set(meter.name, join(await summed.stretches(meter.name)));
}

async function* usagePieces(
  batches: AsyncIterable<readonly Row[]>,
  book: Book,
  { dimensions, levels }: Notes,
): AsyncIterable<Piece> {
  for await (const rows of batches) {
    for (const row of rows) {
      const record = toUsage(row);
      const meter = book.meters.get(record.meter);
      if (meter === undefined) continue;
      const values = parseDimensions(record.dimensions);
      for (const name of values.keys()) dimensions.add(name);
      if (meter.prometheus !== undefined || record.source === metricsSource) note(levels, record);
      yield { ...record, kind: meter.type === "level" ? "level" : "event", dimensions: values };
    }
  }
}

/** Notes that a meter was observed for a while. */
function note(levels: Map<string, Stretch[]>, { meter, start, end }: Stretch & { readonly meter: string }): void {
  const stretches = levels.get(meter) ?? [];
  levels.set(meter, stretches);
  stretches.push({ start, end });
  // Most samples are neighbours of others.
  if (stretches.length >= 100_000) levels.set(meter, join(stretches));
}
