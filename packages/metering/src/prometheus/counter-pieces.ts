/** From readings of counters to usage: what lies between neighbours, resets, and changes of the replica. */
import type { Book, Meter } from "../book/book.ts";
import { parseDimensions } from "../engine/dimensions.ts";
import type { Piece } from "../engine/piece.ts";
import { compareText } from "../number/order.ts";
import type { Store } from "../store/store.ts";
import { parseOwned } from "./series.ts";

/** A reading in its series. */
export interface Sample {
  readonly at: number;
  readonly amount: bigint;
  readonly replica: string;
}

/** What was counted between two neighbours. */
export function countedBetween(before: Sample, after: Sample): bigint {
  if (after.amount >= before.amount) return after.amount - before.amount;
  // Another replica may have begun later: its smaller reading is no reset.
  return after.replica === before.replica ? after.amount : 0n;
}

/** The readings of all counters by meter and series. */
export async function readCounters(
  store: Store,
  { meters }: Pick<Book, "meters">,
): Promise<ReadonlyMap<string, ReadonlyMap<string, readonly Sample[]>>> {
  const counters = new Map<string, Map<string, Sample[]>>();
  if (![...meters.values()].some(({ type }) => type === "counter")) return counters;
  for await (const rows of store.read("samples")) {
    for (const [name, at, amount, series, replica] of rows) {
      const bySeries = counters.get(String(name)) ?? new Map<string, Sample[]>();
      counters.set(String(name), bySeries);
      const samples = bySeries.get(String(series)) ?? [];
      bySeries.set(String(series), samples);
      samples.push({ at: Number(at), amount: BigInt(amount ?? 0), replica: String(replica) });
    }
  }
  for (const bySeries of counters.values())
    for (const samples of bySeries.values()) samples.sort((a, b) => a.at - b.at || compareText(a.replica, b.replica));
  return counters;
}

/** The pieces of a meter that overlap a window. */
export function* counterPieces(
  meter: Meter,
  bySeries: ReadonlyMap<string, readonly Sample[]>,
  { from, to }: { readonly from: number; readonly to: number },
): Iterable<Piece> {
  for (const [text, samples] of bySeries) {
    const { identity, dimensions, ...owner } = parseOwned(text);
    const frame = { meter: meter.name, ...owner, dimensions: parseDimensions(dimensions), id: identity };
    const [first] = samples;
    if (first !== undefined && meter.prometheus?.startsAtZero === true && first.at >= from && first.at < to)
      yield { kind: "event", ...frame, start: first.at, end: first.at + 1, amount: first.amount };
    for (let at = 1; at < samples.length; at++) {
      const [before, after] = [samples[at - 1], samples[at]];
      if (before === undefined || after === undefined || before.at >= to || after.at <= from) continue;
      const amount = countedBetween(before, after);
      if (amount > 0n) yield { kind: "spread", ...frame, start: before.at, end: after.at, amount };
    }
  }
}
