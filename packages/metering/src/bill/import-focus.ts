/** Imports cloud bills in FOCUS: a newer file for the same bill replaces the former one. */
import { createHash } from "node:crypto";
import type { Book } from "../book/book.ts";
import { parseFraction } from "../number/decimal.ts";
import { compareText } from "../number/order.ts";
import { type Rational, multiply, rational, roundTo } from "../number/rational.ts";
import { parseCsv } from "../record/csv.ts";
import { Tally } from "../record/import-usage.ts";
import type { ImportResult } from "../record/usage.ts";
import type { Store } from "../store/store.ts";
import type { Row } from "../store/tables.ts";
import { parseInstant } from "../time/instant.ts";

/** A bill with its name. */
export interface BillFile {
  readonly name: string;
  readonly rows: readonly BillRow[];
}

/** One charge with its place in the file. */
export interface BillRow {
  readonly line: number;
  readonly fields: Fields;
}

/** A bill from the text of its CSV. */
export function billOfCsv(name: string, text: string): BillFile {
  const [header, ...body] = parseCsv(text);
  const rows = body.map(({ line, cells }) => ({
    line,
    fields: Object.fromEntries((header?.cells ?? []).map((column, at) => [column, valueOf(cells[at])])),
  }));
  return { name, rows };
}

/** A bill from the records of its Parquet file. */
export function billOfRecords(name: string, records: readonly { readonly [column: string]: unknown }[]): BillFile {
  const text = (value: unknown): string =>
    value === null || value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
  const rows = records.map((record, at) => ({
    line: at + 1,
    fields: Object.fromEntries(Object.entries(record).map(([column, value]) => [column, valueOf(text(value))])),
  }));
  return { name, rows };
}

/** How bills are imported. */
export interface FocusImport {
  readonly store: Store;
  readonly book: Book;
  readonly now: number;
}

type Fields = { readonly [column: string]: string };

/** Imports bills, file after file. */
export async function importFocus(files: readonly BillFile[], options: FocusImport): Promise<ImportResult> {
  const tally = new Tally();
  for (const file of files) await importFile(file, { ...options, tally });
  return tally.result("focus", options.store.state.watermarks);
}

async function importFile(
  { name, rows: charges }: BillFile,
  { store, book, now, tally }: FocusImport & { readonly tally: Tally },
): Promise<void> {
  const units = new Map<string, { fields: Fields; row: Row }[]>();
  for (const { line, fields } of charges) {
    tally.read += 1;
    const unit = unitOf(fields);
    const row = toRow(fields, { book, unit, batch: store.state.batch + 1 });
    if (typeof row === "string") tally.refuse({ where: `${name}:${line}`, reason: "BadRecord", message: row });
    else {
      const members = units.get(unit) ?? [];
      units.set(unit, members);
      members.push({ fields, row });
    }
  }
  const bills: { [unit: string]: string } = {};
  const rows: Row[] = [];
  for (const [unit, members] of units) {
    const hash = createHash("sha256")
      .update(JSON.stringify(members.map(({ fields }) => Object.entries(fields).sort(([a], [b]) => compareText(a, b)))))
      .digest("hex");
    if (store.state.bills.get(unit)?.hash === hash) {
      tally.duplicate += members.length;
      continue;
    }
    bills[unit] = hash;
    rows.push(...members.map(({ row }) => row));
  }
  if (rows.length === 0) return;
  await store.commit({ at: now, rows: [{ table: "bills", rows }], bills });
  tally.stored += rows.length;
}

/** Null is an empty cell or `NULL`. */
function valueOf(cell: string | undefined): string {
  return cell === undefined || cell === "NULL" ? "" : cell;
}

/** The unit of replacement: provider, billing account, begin of the billing period. */
function unitOf(fields: Fields): string {
  const provider = fields["ServiceProviderName"] || fields["ProviderName"] || "";
  return JSON.stringify([provider, fields["BillingAccountId"] ?? "", fields["BillingPeriodStart"] ?? ""]);
}

function toRow(
  fields: Fields,
  { book, unit, batch }: { readonly book: Book; readonly unit: string; readonly batch: number },
): Row | string {
  const start = timeOf(fields, "ChargePeriodStart");
  const end = timeOf(fields, "ChargePeriodEnd");
  if (start === undefined || end === undefined || end <= start)
    return "ChargePeriodStart and ChargePeriodEnd must be times, the end after the start";
  const cost = parseFraction(fields["EffectiveCost"] ?? "");
  if (cost === undefined) return `EffectiveCost ${JSON.stringify(fields["EffectiveCost"] ?? "")} is not a decimal`;
  const currency = fields["BillingCurrency"] || book.currency;
  const rate = rateOf(book, currency, start);
  if (rate === undefined)
    return `the book has no exchange rate from ${currency} to ${book.currency} at ChargePeriodStart`;
  const millionths = roundTo(multiply(rational(cost.over, cost.under), rate), 6);
  const namespace = tagOf(fields["Tags"] ?? "", book.namespaceTag);
  const resource = fields["ResourceId"] ?? "";
  return [
    unit,
    start,
    end,
    millionths,
    resource,
    namespace,
    fields["SubAccountId"] ?? "",
    currency,
    JSON.stringify(fields),
    batch,
  ];
}

function timeOf(fields: Fields, column: string): number | undefined {
  return parseInstant(instantText(fields[column] ?? ""));
}

/** Bills write times with a blank, without seconds, zone or clock, too: they are UTC. */
function instantText(text: string): string {
  const found =
    /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2}(?:\.\d+)?)?)?(?: ?(Z|UTC|[+-]\d{2}(?::?\d{2})?))?$/i.exec(text);
  if (found === null) return text;
  const [, date = "", clock = "00:00", seconds = ":00", zone = "Z"] = found;
  const offset = /^(?:utc|z)$/i.test(zone)
    ? "Z"
    : zone.replace(/^([+-]\d{2}):?(\d{2})?$/, (_, hours: string, minutes = "00") => `${hours}:${String(minutes)}`);
  return `${date}T${clock}${seconds}${offset}`;
}

function rateOf({ currency, exchange }: Book, from: string, instant: number): Rational | undefined {
  if (from === currency) return rational(1n);
  const rates = exchange.filter((entry) => entry.from === from && entry.to === currency && entry.since <= instant);
  return rates.toSorted((a, b) => b.since - a.since)[0]?.rate;
}

function tagOf(tags: string, name: string): string {
  if (tags === "") return "";
  try {
    const value: unknown = (JSON.parse(tags) as { readonly [tag: string]: unknown })[name];
    return typeof value === "string" ? value : "";
  } catch {
    return "";
  }
}
