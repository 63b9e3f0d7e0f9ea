/** Rows of classic data sources: doubles with a time, labels, and the seconds that they hold for. */
import { compareText } from "../number/order.ts";
import { type Input, Tally } from "../record/import-usage.ts";
import type { ImportResult } from "../record/usage.ts";
import type { Store } from "../store/store.ts";
import type { Row } from "../store/tables.ts";
import { formatInstant, parseInstant } from "../time/instant.ts";

/** A row. */
export interface ClassicRow {
  /** A double, as JSON prints it. */
  readonly amount: string;
  readonly at: number;
  /** Seconds. */
  readonly precision: string;
  readonly labels: { readonly [name: string]: string };
}

/** How rows are imported. */
export interface RowsImport {
  readonly store: Store;
  readonly dataSource: string;
  readonly now: number;
  readonly batch: number;
}

/** Rows further in the future are rejected. */
const futureLimit = 5 * 60_000;

/** Imports rows of a data source: each labels and time once. */
export async function importRows(inputs: AsyncIterable<Input>, options: RowsImport): Promise<ImportResult> {
  const { store, dataSource, now, batch } = options;
  const tally = new Tally();
  const known = await knownRows(store, dataSource);
  let fresh: Row[] = [];
  let last = Number.NEGATIVE_INFINITY;
  const flush = async (): Promise<void> => {
    if (fresh.length === 0) return;
    await store.commit({ at: now, rows: [{ table: "rows", rows: fresh }] });
    tally.stored += fresh.length;
    fresh = [];
  };
  for await (const input of inputs) {
    tally.read += 1;
    const row = "unreadable" in input ? input.unreadable : parseRow(input.value, now);
    if (typeof row === "string") {
      const reason = row.startsWith("timestamp") ? "BadTime" : row.startsWith("amount") ? "BadAmount" : "BadRecord";
      tally.refuse({ where: input.where, reason, message: row });
      continue;
    }
    const labels = canonical(row.labels);
    const key = `${row.at}\u0000${labels}`;
    const content = `${row.amount}\u0000${row.precision}`;
    const first = known.get(key);
    if (first === content) tally.duplicate += 1;
    else if (first !== undefined)
      tally.refuse({
        where: input.where,
        reason: "Conflict",
        message: "the row of these labels and this time is stored with another value; the first one stays",
      });
    else {
      known.set(key, content);
      last = Math.max(last, row.at + Number(row.precision) * 1000);
      fresh.push([dataSource, row.at, row.amount, row.precision, labels, store.state.batch + 1]);
      if (fresh.length >= batch) await flush();
    }
  }
  await flush();
  const result = tally.result(dataSource, store.state.watermarks);
  return last > Number.NEGATIVE_INFINITY
    ? { ...result, watermarks: { [dataSource]: formatInstant(Math.round(last)) } }
    : result;
}

/** Labels as JSON with sorted names; an empty label is one. */
function canonical(labels: ClassicRow["labels"]): string {
  return JSON.stringify(Object.fromEntries(Object.entries(labels).sort(([a], [b]) => compareText(a, b))));
}

async function knownRows(store: Store, dataSource: string): Promise<Map<string, string>> {
  const known = new Map<string, string>();
  for await (const rows of store.read("rows"))
    for (const [source, at, amount, precision, labels] of rows)
      if (source === dataSource) known.set(`${at}\u0000${labels}`, `${amount}\u0000${precision}`);
  return known;
}

/** The rows of a data source. */
export async function* readRows(store: Store, dataSource: string): AsyncIterable<readonly ClassicRow[]> {
  for await (const rows of store.read("rows")) {
    yield rows.flatMap(([source, at, amount, precision, labels]) =>
      source === dataSource
        ? [
            {
              amount: String(amount),
              at: Number(at),
              precision: String(precision),
              labels: JSON.parse(String(labels)) as ClassicRow["labels"],
            },
          ]
        : [],
    );
  }
}

function parseRow(value: unknown, now: number): ClassicRow | string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "a row must be a JSON object";
  const row = value as { readonly [name: string]: unknown };
  const amount = Number(row["amount"] ?? Number.NaN);
  if (!Number.isFinite(amount)) return "amount must be a number";
  const at = typeof row["timestamp"] === "string" ? parseInstant(row["timestamp"]) : undefined;
  if (at === undefined) return "timestamp must be a time of RFC 3339";
  if (at > now + futureLimit) return "timestamp is more than 5 minutes after now";
  const precision = precisionOf(row);
  if (precision === undefined) return "stepSize (nanoseconds) or timePrecision (seconds) is required";
  const labels = row["labels"] ?? {};
  if (!isLabels(labels)) return "labels must be an object of texts";
  return { amount: String(amount), at, precision: String(precision), labels };
}

/** Seconds. */
function precisionOf(row: { readonly [name: string]: unknown }): number | undefined {
  const { stepSize, timePrecision, timeprecision = timePrecision } = row;
  const precision = stepSize === undefined ? Number(timeprecision ?? Number.NaN) : Number(stepSize) / 1e9;
  return Number.isFinite(precision) && precision >= 0 ? precision : undefined;
}

function isLabels(value: unknown): value is ClassicRow["labels"] {
  return typeof value === "object" && value !== null && Object.values(value).every((one) => typeof one === "string");
}
