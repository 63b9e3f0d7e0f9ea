/** Imports a journal that grows: each step reads what was appended since the last one. */
import { open, stat } from "node:fs/promises";
import type { Book } from "../book/book.ts";
import { EffectiveTime } from "../journal/effective-time.ts";
import { levelOf } from "../journal/level.ts";
import { type JournalLine, parseJournalLine } from "../journal/line.ts";
import { kindOf } from "../journal/pieces.ts";
import type { Tally } from "../record/import-usage.ts";
import type { Store } from "../store/store.ts";
import type { Row } from "../store/tables.ts";
import { parseInstant } from "../time/instant.ts";

/** What a journal is imported with. */
export interface FollowOptions {
  readonly path: string;
  readonly id: string;
  readonly cluster: string;
  readonly book: Book;
  readonly batch: number;
  readonly now: () => number;
  readonly warn: (message: string) => void;
}

/** The import of one journal, from where the store is. */
export class JournalFollower {
  readonly #options: FollowOptions;
  readonly #tally: Tally;
  readonly #time = new EffectiveTime();
  readonly #warned = new Set<string>();
  /** By kind and cluster: the last effective time. */
  readonly #last = new Map<string, Map<string, number>>();
  #offset = 0;
  #isSeeded = false;

  constructor(options: FollowOptions, tally: Tally) {
    this.#options = options;
    this.#tally = tally;
  }

  /** Whether the file has more than was imported. */
  async hasMore(): Promise<boolean> {
    return (await stat(this.#options.path)).size > this.#offset;
  }

  /** Imports what is there. */
  async step(store: Store): Promise<void> {
    if (!this.#isSeeded) await this.#seed(store);
    const file = await open(this.#options.path);
    try {
      for (;;) {
        const { lines, end } = await wholeLines(file, { from: this.#offset, count: this.#options.batch });
        if (lines.length === 0) return;
        await this.#store(store, lines);
        this.#offset = end;
      }
    } finally {
      await file.close();
    }
  }

  /** The last times of the journals of other clusters. */
  async #seed(store: Store): Promise<void> {
    const others = new Map<string, { readonly n: number; readonly line: JournalLine }[]>();
    for await (const rows of store.read("journal")) {
      for (const [journal, , n, , text] of rows) {
        if (journal === this.#options.id) continue;
        const line = parseJournalLine(JSON.parse(String(text)), parseInstant);
        if (typeof line === "string") continue;
        const lines = others.get(String(journal)) ?? [];
        others.set(String(journal), lines);
        lines.push({ n: Number(n), line });
      }
    }
    for (const lines of others.values()) {
      const time = new EffectiveTime();
      for (const { line } of lines.sort((a, b) => a.n - b.n)) this.#note(time, line);
    }
    this.#isSeeded = true;
  }

  #note(time: EffectiveTime, line: JournalLine): void {
    const at = time.take(line);
    if (at === undefined) return;
    const byCluster = this.#last.get(line.kind) ?? new Map<string, number>();
    this.#last.set(line.kind, byCluster);
    byCluster.set(time.cluster, Math.max(at, byCluster.get(time.cluster) ?? at));
  }

  async #store(store: Store, texts: readonly string[]): Promise<void> {
    const { id, cluster, now } = this.#options;
    const done = store.state.journals.get(id) ?? 0;
    const batch = store.state.batch + 1;
    const rows: Row[] = [];
    let last = done;
    for (const text of texts) {
      const line = parseJournalLine(JSON.parse(text), parseInstant);
      if (typeof line === "string") continue;
      this.#note(this.#time, line);
      if (line.n <= done) continue;
      this.#check(line);
      rows.push([id, cluster, line.n, line.at, text, batch]);
      last = line.n;
    }
    if (rows.length === 0) return;
    const watermarks = this.#watermarks(store);
    await store.commit({ at: now(), rows: [{ table: "journal", rows }], journals: { [id]: last }, watermarks });
    this.#tally.read += rows.length;
    this.#tally.stored += rows.length;
  }

  /** The watermark of a meter is the last effective time of its kind, in the cluster that is behind. */
  #watermarks(store: Store): { readonly [meter: string]: number } {
    const moved: { [meter: string]: number } = {};
    for (const meter of this.#options.book.meters.values()) {
      const byCluster = this.#last.get(kindOf(meter));
      if (byCluster === undefined) continue;
      this.#tally.meters.add(meter.name);
      const at = Math.min(...byCluster.values());
      if ((store.state.watermarks.get(meter.name) ?? Number.NEGATIVE_INFINITY) < at) moved[meter.name] = at;
    }
    return moved;
  }

  /** Says once which objects have no level. */
  #check({ kind, body }: JournalLine): void {
    if (body.type !== "ADDED" && body.type !== "MODIFIED") return;
    const { name = "", namespace = "", uid } = body.object.metadata;
    for (const meter of this.#options.book.meters.values()) {
      if (kindOf(meter) !== kind || this.#warned.has(`${meter.name} ${uid}`)) continue;
      const { warning } = levelOf(meter, body.object, (value) => value);
      if (warning === undefined) continue;
      this.#warned.add(`${meter.name} ${uid}`);
      this.#options.warn(`${kind} ${namespace === "" ? name : `${namespace}/${name}`}: ${meter.name}: ${warning}`);
    }
  }
}

interface Chunk {
  readonly lines: readonly string[];
  /** Behind the last of the lines. */
  readonly end: number;
}

const chunkSize = 4 * 1024 * 1024;

/** Up to `count` whole lines from an offset; a last line without its newline is left. */
async function wholeLines(
  file: Awaited<ReturnType<typeof open>>,
  { from, count }: { readonly from: number; readonly count: number },
): Promise<Chunk> {
  let held = Buffer.alloc(0);
  for (;;) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(chunkSize), 0, chunkSize, from + held.length);
    held = Buffer.concat([held, buffer.subarray(0, bytesRead)]);
    const last = held.lastIndexOf(10);
    if (last === -1 && bytesRead > 0) continue;
    if (last === -1) return { lines: [], end: from };
    const texts = held.subarray(0, last).toString("utf8").split("\n");
    if (texts.length <= count) return { lines: texts, end: from + last + 1 };
    const taken = texts.slice(0, count);
    const size = taken.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0);
    return { lines: taken, end: from + size };
  }
}
