/** Imports meters from Prometheus, chunk after chunk: the rows of a chunk and its watermark are one commit. */
import type { Book, Meter, PrometheusSource } from "../book/book.ts";
import { MeterError } from "../error.ts";
import { Tally } from "../record/import-usage.ts";
import type { ImportResult } from "../record/usage.ts";
import { hashOf } from "../store/hash.ts";
import type { Commit, Store } from "../store/store.ts";
import { type Row, fromUsage } from "../store/tables.ts";
import { formatInstant } from "../time/instant.ts";
import { counterReadings } from "./counter-chunk.ts";
import { instantsOf, levelRows } from "./level-chunk.ts";
import { type Found, RangeTooLarge, type Server, askMatrix } from "./server.ts";

/** How Prometheus is imported. */
export interface PrometheusImport {
  readonly store: Store;
  readonly book: Book;
  readonly now: number;
  readonly server: Omit<Server, "url"> & { readonly url?: string };
  /** Only these meters; empty for all that have a query. */
  readonly meters: readonly string[];
  readonly from?: number;
  readonly to?: number;
  /** Milliseconds, each. */
  readonly step?: number;
  readonly chunk: number;
  readonly backfill: number;
  readonly delay: number;
  readonly allowPartial: boolean;
  readonly onProgress?: (done: { readonly meter: string; readonly at: number; readonly read: number }) => void;
}

/** The result, and why the import ended early if it did. */
export interface PrometheusResult {
  readonly result: ImportResult;
  readonly failure?: MeterError;
}

const mostSteps = 10_000;
const shortestCounterChunk = 1000;

/** Imports; a server that cannot be read ends the import, and all before is kept. */
export async function importPrometheus(options: PrometheusImport): Promise<PrometheusResult> {
  const tally = new Tally();
  const { store, book } = options;
  const context = {
    ...options,
    tally,
    hash: await hashOf(store, book),
    before: new Map(store.state.watermarks),
  };
  const sources = chosen(options);
  let failure: MeterError | undefined;
  try {
    for (const source of sources) await importMeter(source, context);
  } catch (error) {
    if (!(error instanceof MeterError) || error.code !== "Unreachable") throw error;
    failure = error;
  }
  const result = tally.result("prometheus", store.state.watermarks);
  return { result, ...(failure !== undefined && { failure }) };
}

interface Context extends PrometheusImport {
  readonly tally: Tally;
  readonly hash: (value: string) => string;
  readonly before: ReadonlyMap<string, number>;
}

interface Chosen {
  readonly meter: Meter;
  readonly source: PrometheusSource;
  readonly url: string;
}

function chosen({ book, meters, server, step }: PrometheusImport): Chosen[] {
  const names = meters.length > 0 ? meters : [...book.meters.values()].filter(hasQuery).map(({ name }) => name);
  if (names.length === 0)
    throw new MeterError("BadInput", "no meter of the book has a query; add prometheus: { query: ... } to one");
  return names.map((name) => {
    const meter = book.meters.get(name);
    if (meter === undefined) throw new MeterError("BadInput", `the book has no meter ${JSON.stringify(name)}`);
    if (meter.prometheus === undefined)
      throw new MeterError("BadInput", `the meter ${name} has no query; add prometheus: { query: ... } to it`);
    const url = server.url ?? meter.prometheus.url;
    if (url === undefined)
      throw new MeterError("Usage", `the server of ${name} is not known; give --url http://HOST:9090`);
    return { meter, url, source: { ...meter.prometheus, ...(step !== undefined && { step }) } };
  });
}

function hasQuery({ prometheus }: Meter): boolean {
  return prometheus !== undefined;
}

interface Range {
  readonly from: number;
  readonly to: number;
  readonly isLast: boolean;
}

async function importMeter(chosen: Chosen, context: Context): Promise<void> {
  const { store, now, tally } = context;
  const { name } = chosen.meter;
  tally.meters.add(name);
  const latest = now - context.delay;
  const from = context.from ?? store.state.watermarks.get(name) ?? now - context.backfill;
  const to = Math.min(context.to ?? latest, latest);
  const length = Math.min(context.chunk, mostSteps * chosen.source.step);
  for (let at = from; at < to; at += length) {
    const range = { from: at, to: Math.min(at + length, to), isLast: at + length >= to };
    if (!(await importRange(chosen, range, context))) return;
    context.onProgress?.({ meter: name, at: range.to, read: tally.read });
  }
}

/** Imports a range, in halves where it is too large for the server; false where the meter must stop. */
async function importRange(chosen: Chosen, range: Range, context: Context): Promise<boolean> {
  let found: Found | undefined;
  try {
    found = await ask(chosen, range, context);
  } catch (error) {
    if (!(error instanceof RangeTooLarge)) throw error;
    const middle = middleOf(chosen, range);
    if (middle === undefined)
      throw new MeterError("BadInput", `${chosen.meter.name}: the server does not take the query: ${error.message}`, {
        cause: error,
      });
    const first = await importRange(chosen, { from: range.from, to: middle, isLast: false }, context);
    return first && importRange(chosen, { ...range, from: middle }, context);
  }
  if (found.warnings.length > 0 && !context.allowPartial) {
    refusePartial(chosen, range, { found, tally: context.tally });
    return false;
  }
  await storeChunk(chosen, range, { context, found });
  return true;
}

/** Where a range is cut in two; undefined where it is too short. */
function middleOf({ meter, source }: Chosen, { from, to }: Range): number | undefined {
  const unit = meter.type === "level" ? source.step : shortestCounterChunk;
  const middle = Math.ceil((from + to) / 2 / unit) * unit;
  return middle > from && middle < to ? middle : undefined;
}

function refusePartial(
  { meter }: Chosen,
  { from, to }: Range,
  { found, tally }: { readonly found: Found; readonly tally: Tally },
): void {
  tally.read += 1;
  tally.refuse({
    where: `${meter.name}@${formatInstant(from)}/${formatInstant(to)}`,
    reason: "Partial",
    message: `the response may lack data (${found.warnings.join("; ")}); import again later, or accept it with --allow-partial`,
  });
}

const seconds = (milliseconds: number): string => String(milliseconds / 1000);

async function ask({ meter, source, url }: Chosen, { from, to }: Range, context: Context): Promise<Found> {
  const server = { ...context.server, url };
  if (meter.type === "level") {
    const instants = instantsOf(source.step, { from, to });
    if (instants === undefined) return { series: [], warnings: [] };
    const times = { start: seconds(instants.first), end: seconds(instants.last), step: seconds(source.step) };
    return askMatrix(server, "query_range", { query: source.query, ...times });
  }
  // One second more: from version 3 on the left end of a range is open.
  const range = Math.ceil((to - from) / 1000) + 1;
  return askMatrix(server, "query", { query: `${source.query}[${range}s]`, time: seconds(to) });
}

async function storeChunk(
  chosen: Chosen,
  range: Range,
  { context, found }: { readonly context: Context; readonly found: Found },
): Promise<void> {
  const { store, now } = context;
  const watermarks = { [chosen.meter.name]: range.to };
  const rows = await newRows(chosen, range, { context, found });
  const known = store.state.watermarks.get(chosen.meter.name) ?? Number.NEGATIVE_INFINITY;
  if (rows.rows.length > 0 || known < range.to) await store.commit({ at: now, rows: [rows], watermarks });
  context.tally.stored += rows.rows.length;
}

async function newRows(
  { meter, source }: Chosen,
  range: Range,
  { context, found }: { readonly context: Context; readonly found: Found },
): Promise<Commit["rows"][number]> {
  const { store, tally, hash, now } = context;
  const batch = store.state.batch + 1;
  const watermark = store.state.watermarks.get(meter.name) ?? Number.NEGATIVE_INFINITY;
  const before = context.before.get(meter.name) ?? Number.NEGATIVE_INFINITY;
  const judged = { meter, source, hash, store, tally };
  if (meter.type === "level") {
    const mayBeKnown = range.from < watermark;
    const fresh = await levelRows(found.series, { ...judged, step: source.step, mayBeKnown });
    const isLate = ({ end }: { readonly end: number }): boolean => end < before;
    tally.late += fresh.filter(isLate).length;
    const rows = fresh.map((row): Row => fromUsage(row, { late: isLate(row), batch, now }));
    return { table: "usage", rows };
  }
  const fresh = await counterReadings(found.series, { ...judged, ...range, mayBeKnown: range.from <= watermark });
  tally.late += fresh.filter(({ at }) => at < before).length;
  const rows = fresh.map(({ at, amount, series, replica }): Row => [meter.name, at, amount, series, replica, batch]);
  return { table: "samples", rows };
}
