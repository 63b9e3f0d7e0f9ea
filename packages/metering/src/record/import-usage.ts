/** Imports usage records in batches: every record counts once, whatever is imported again. */
import { hashOf } from "../store/hash.ts";
import type { Store } from "../store/store.ts";
import { type Row, fromUsage, toUsage } from "../store/tables.ts";
import { formatInstant } from "../time/instant.ts";
import { type Correction, type ParsedRecord, type RecordContext, parseRecord } from "./parse-record.ts";
import type { ImportResult, Problem, Reason, StoredCorrection, UsageRow } from "./usage.ts";

/** A record with its place, or the reason why there is none. */
export type Input =
  | { readonly where: string; readonly value: unknown }
  | { readonly where: string; readonly unreadable: string };

/** How an import runs. */
export interface ImportOptions extends RecordContext {
  readonly store: Store;
  /** Rows of a commit. */
  readonly batch: number;
  readonly onProgress?: (read: number) => void;
}

/** Counts of an import that runs. */
export class Tally {
  read = 0;
  stored = 0;
  duplicate = 0;
  late = 0;
  conflict = 0;
  rejected = 0;
  readonly meters: Set<string> = new Set();
  readonly problems: Problem[] = [];
  readonly corrections: StoredCorrection[] = [];

  /** Notes a record that is not stored. */
  refuse(problem: Problem): void {
    if (problem.reason === "Conflict") this.conflict += 1;
    else this.rejected += 1;
    this.problems.push(problem);
  }

  /** The result as it is printed. */
  result(source: string, watermarks: ReadonlyMap<string, number>): ImportResult {
    const { read, stored, duplicate, late, conflict, rejected, problems } = this;
    const entries = [...this.meters].sort().flatMap((meter) => {
      const at = watermarks.get(meter);
      return at === undefined ? [] : [[meter, formatInstant(at)] as const];
    });
    return {
      source,
      read,
      stored,
      duplicate,
      late,
      conflict,
      rejected,
      watermarks: Object.fromEntries(entries),
      problems,
    };
  }
}

/** Imports records. */
export async function importUsage(inputs: AsyncIterable<Input>, options: ImportOptions): Promise<ImportResult> {
  const tally = new Tally();
  const context = { ...options, hash: await hashOf(options.store, options.book) };
  const before = new Map(options.store.state.watermarks);
  let batch: Parsed[] = [];
  for await (const input of inputs) {
    tally.read += 1;
    const parsed: ParsedRecord =
      "unreadable" in input
        ? { kind: "problem", reason: "BadRecord", message: input.unreadable }
        : parseRecord(input.value, context);
    batch.push({ where: input.where, parsed });
    if (batch.length < options.batch) continue;
    await storeBatch(batch, { ...options, tally, before });
    options.onProgress?.(tally.read);
    batch = [];
  }
  await storeBatch(batch, { ...options, tally, before });
  const result = tally.result(options.source, options.store.state.watermarks);
  return tally.corrections.length === 0 ? result : { ...result, corrections: tally.corrections };
}

interface Parsed {
  readonly where: string;
  readonly parsed: ParsedRecord;
}

interface BatchContext extends ImportOptions {
  readonly tally: Tally;
  readonly before: ReadonlyMap<string, number>;
}

const identity = (source: string, id: string): string => `${source}\u0000${id}`;

/** What is known of identities: from the store and from the batch itself. */
interface Known {
  readonly rows: Map<string, UsageRow>;
  /** What is left of a record after its corrections. */
  readonly balance: Map<string, bigint>;
}

async function storeBatch(batch: readonly Parsed[], context: BatchContext): Promise<void> {
  const { store, tally, now } = context;
  if (batch.length === 0) return;
  const known = await lookUp(batch, store);
  const fresh: UsageRow[] = [];
  for (const { where, parsed } of batch) {
    const row = judge(parsed, { where, known, context });
    if (row === undefined) continue;
    fresh.push(row);
    known.rows.set(identity(row.source, row.id), row);
  }
  if (fresh.length === 0) return;
  const number = store.state.batch + 1;
  const isLate = (row: UsageRow): boolean => row.end < (context.before.get(row.meter) ?? Number.NEGATIVE_INFINITY);
  const rows: Row[] = fresh.map((row) => fromUsage(row, { late: isLate(row), batch: number, now }));
  await store.commit({ at: now, rows: [{ table: "usage", rows }], watermarks: latestEnds(fresh) });
  tally.stored += fresh.length;
  for (const { id, corrects } of fresh) if (corrects !== "") tally.corrections.push({ id, corrects });
  tally.late += fresh.filter(isLate).length;
}

function latestEnds(rows: readonly UsageRow[]): { [meter: string]: number } {
  const ends: { [meter: string]: number } = {};
  for (const { meter, end } of rows) ends[meter] = Math.max(end, ends[meter] ?? Number.NEGATIVE_INFINITY);
  return ends;
}

async function lookUp(batch: readonly Parsed[], store: Store): Promise<Known> {
  const wanted: { source: string; id: string }[] = [];
  const corrected: { source: string; id: string }[] = [];
  for (const { parsed } of batch) {
    if (parsed.kind === "row") wanted.push(parsed.row);
    if (parsed.kind !== "correction") continue;
    const { source, id, corrects } = parsed.correction;
    wanted.push({ source, id }, { source, id: corrects });
    corrected.push({ source, id: corrects });
  }
  const rows = new Map<string, UsageRow>();
  for (const cells of await store.findUsage(wanted)) {
    const row = toUsage(cells);
    rows.set(identity(row.source, row.id), row);
  }
  const balance = new Map<string, bigint>();
  for (const cells of await store.findCorrections(corrected)) {
    const row = toUsage(cells);
    const key = identity(row.source, row.corrects);
    balance.set(key, (balance.get(key) ?? rows.get(key)?.amount ?? 0n) + row.amount);
  }
  return { rows, balance };
}

interface Judging {
  readonly where: string;
  readonly known: Known;
  readonly context: BatchContext;
}

/** The row to store; undefined for duplicates and for what is refused. */
function judge(parsed: ParsedRecord, judging: Judging): UsageRow | undefined {
  const { tally } = judging.context;
  switch (parsed.kind) {
    case "problem": {
      const { reason, message, id } = parsed;
      tally.refuse({ where: judging.where, ...(id !== undefined && { id }), reason, message });
      return undefined;
    }
    case "row": {
      tally.meters.add(parsed.row.meter);
      const removed = judging.context.store.state.forgotten.get("*");
      if (removed !== undefined && parsed.row.end <= removed)
        return tally.refuse({
          where: judging.where,
          id: parsed.row.id,
          reason: "BadTime",
          message: `records before ${formatInstant(removed)} were removed by the retention of the book: this one may have been counted`,
        }) as undefined;
      return admit(parsed.row, judging);
    }
    case "correction":
      return admitCorrection(parsed.correction, judging);
  }
}

function admit(row: UsageRow, { where, known, context: { tally } }: Judging): UsageRow | undefined {
  const first = known.rows.get(identity(row.source, row.id));
  if (first === undefined) return row;
  if (isSame(first, row)) tally.duplicate += 1;
  else tally.refuse(conflict(where, row.id));
  return undefined;
}

function conflict(where: string, id: string): Problem {
  return { where, id, reason: "Conflict", message: "a record with this id has other content; the first one stays" };
}

function isSame(a: UsageRow, b: UsageRow): boolean {
  return (
    a.meter === b.meter &&
    a.start === b.start &&
    a.end === b.end &&
    a.amount === b.amount &&
    a.tenant === b.tenant &&
    a.namespace === b.namespace &&
    a.cluster === b.cluster &&
    a.dimensions === b.dimensions &&
    a.corrects === b.corrects
  );
}

function admitCorrection(
  { source, id, corrects, amount }: Correction,
  { where, known, context: { tally, book } }: Judging,
): UsageRow | undefined {
  const refuse = (reason: Reason, message: string): undefined =>
    tally.refuse({ where, id, reason, message }) as undefined;
  const key = identity(source, corrects);
  const base = known.rows.get(key);
  const first = known.rows.get(identity(source, id));
  if (first !== undefined) {
    tally.meters.add(first.meter);
    if (first.corrects === corrects && first.amount === amount) tally.duplicate += 1;
    else tally.refuse(conflict(where, id));
    return undefined;
  }
  if (base === undefined || base.corrects !== "")
    return refuse(
      "UnknownCorrected",
      `there is no record ${JSON.stringify(corrects)} of the source ${source}; import it first`,
    );
  tally.meters.add(base.meter);
  const aggregate = book.meters.get(base.meter)?.aggregate ?? "sum";
  if (aggregate !== "sum") return refuse("BadRecord", `records of ${base.meter} (${aggregate}) cannot be corrected`);
  const left = (known.balance.get(key) ?? base.amount) + amount;
  if (left < 0n)
    return refuse("OverCorrected", `the correction takes more away than is left of ${JSON.stringify(corrects)}`);
  known.balance.set(key, left);
  return { ...base, id, corrects, amount };
}
