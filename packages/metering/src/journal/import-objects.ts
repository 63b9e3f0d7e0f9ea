/** Imports journals: lines after the last imported one are stored as they are; what they mean is computed when it is asked. */
import type { Book } from "../book/book.ts";
import { type Input, Tally } from "../record/import-usage.ts";
import type { ImportResult } from "../record/usage.ts";
import type { Store } from "../store/store.ts";
import type { Row } from "../store/tables.ts";
import { parseInstant } from "../time/instant.ts";
import { type JournalLine, parseJournalLine } from "./line.ts";
import { kindOf, objectPieces } from "./pieces.ts";
import { readHistories } from "./read-histories.ts";

/** How journals are imported. */
export interface ObjectImport {
  readonly store: Store;
  readonly book: Book;
  readonly now: number;
  readonly batch: number;
  readonly warn: (message: string) => void;
}

/** Imports the lines of journals, file after file. */
export async function importObjects(inputs: AsyncIterable<Input>, options: ObjectImport): Promise<ImportResult> {
  const tally = new Tally();
  const writer = new JournalWriter(options, tally);
  for await (const input of inputs) {
    tally.read += 1;
    const line = "unreadable" in input ? input.unreadable : parseJournalLine(input.value, parseInstant);
    if (typeof line === "string") tally.refuse({ where: input.where, reason: "BadRecord", message: line });
    else if ("value" in input) await writer.take(line, input);
  }
  await writer.flush();
  await moveWatermarks(options, tally);
  return tally.result("objects", options.store.state.watermarks);
}

class JournalWriter {
  readonly #options: ObjectImport;
  readonly #tally: Tally;
  #journal: { readonly id: string; readonly cluster: string } | undefined;
  readonly #last: Map<string, number>;
  #rows: Row[] = [];

  constructor(options: ObjectImport, tally: Tally) {
    this.#options = options;
    this.#tally = tally;
    this.#last = new Map(options.store.state.journals);
  }

  async take(line: JournalLine, { where, value }: { readonly where: string; readonly value: unknown }): Promise<void> {
    if (line.body.type === "JOURNAL") this.#journal = line.body;
    const journal = this.#journal;
    if (journal === undefined) {
      this.#tally.refuse({
        where,
        reason: "BadRecord",
        message: "the first line of a journal must be of type JOURNAL",
      });
      return;
    }
    if (line.n <= (this.#last.get(journal.id) ?? 0)) {
      this.#tally.duplicate += 1;
      return;
    }
    this.#last.set(journal.id, line.n);
    const batch = this.#options.store.state.batch + 1;
    this.#rows.push([journal.id, journal.cluster, line.n, line.at, JSON.stringify(value), batch]);
    if (this.#rows.length >= this.#options.batch) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#rows.length === 0) return;
    const rows = this.#rows;
    this.#rows = [];
    const { store, now } = this.#options;
    await store.commit({ at: now, rows: [{ table: "journal", rows }], journals: Object.fromEntries(this.#last) });
    this.#tally.stored += rows.length;
  }
}

/** The watermark of a meter is the last effective time of its kind. */
async function moveWatermarks({ store, book, now, warn }: ObjectImport, tally: Tally): Promise<void> {
  const histories = await readHistories(store);
  const watermarks: { [meter: string]: number } = {};
  for (const meter of book.meters.values()) {
    const own = histories.filter(({ kind }) => kind === kindOf(meter));
    if (own.length === 0) continue;
    tally.meters.add(meter.name);
    watermarks[meter.name] = Math.min(...own.map(({ last }) => last));
    // Reading the levels says which objects have none.
    if (tally.stored > 0) for (const _ of objectPieces(meter, histories, { hash: (value) => value, warn })) continue;
  }
  const changed = Object.entries(watermarks).some(([meter, at]) => (store.state.watermarks.get(meter) ?? 0) < at);
  if (changed) await store.commit({ at: now, rows: [], watermarks });
}
