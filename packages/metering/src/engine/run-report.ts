/** Makes a report: collects, rates, filters, sorts, and adds the total and the coverage. */
import type { Book } from "../book/book.ts";
import { nearest } from "../book/nearest.ts";
import { MeterError } from "../error.ts";
import { divideHalfEven, formatFixed, formatPlain } from "../number/decimal.ts";
import { compareKeys, compareText } from "../number/order.ts";
import { readInvoices } from "../invoice/archive.ts";
import { asBilled } from "../invoice/as-billed.ts";
import type { Store } from "../store/store.ts";
import { type BucketKind, bucketsOf } from "../time/bucket.ts";
import { formatInstant } from "../time/instant.ts";
import { zoneOf } from "../time/zone.ts";
import { toUsage } from "../store/tables.ts";
import { type Collected, collect } from "./collect.ts";
import { parseDimensions } from "./dimensions.ts";
import type { Window } from "./rate.ts";
import { rateAll } from "./rate-all.ts";
import { type Charge, type Detail, type ReportRow, orderRows, reportZone, toRows } from "./report.ts";
import { splitShared } from "./split.ts";

/** What is asked of a report. */
export interface ReportRequest {
  readonly window: Window;
  readonly bucket: BucketKind;
  readonly by: readonly string[];
  readonly meters: readonly string[];
  readonly timeZone?: string;
  readonly tenant?: string;
  /** The tenants that the caller may see; absent for all. */
  readonly visible?: readonly string[];
  readonly where: ReadonlyMap<string, readonly string[]>;
  readonly idle: "show" | "hide" | "share";
  readonly shared: "show" | "split";
  readonly ratio?: readonly [string, string];
  readonly withCost: boolean;
  /** The lines of closed invoices, not today's knowledge. */
  readonly asBilled?: boolean;
}

/** A row as JSON prints it. */
export interface JsonRow {
  readonly bucket: string;
  readonly start: string;
  readonly end: string;
  readonly meter: string;
  readonly charge: Charge;
  readonly dimensions: { readonly [name: string]: string };
  readonly quantity?: string;
  readonly unit?: string;
  readonly cost?: string | null;
  readonly ratio?: string | null;
  readonly partial?: true;
}

/** A report as JSON prints it. */
export interface JsonReport {
  readonly from: string;
  readonly to: string;
  readonly timeZone: string;
  readonly bucket: BucketKind;
  readonly by: readonly string[];
  readonly currency: string;
  readonly rows: readonly JsonRow[];
  readonly total: { readonly cost?: string; readonly unpriced?: readonly string[] };
  readonly coverage: readonly {
    readonly meter: string;
    readonly complete: boolean;
    readonly missing: readonly { readonly start: string; readonly end: string }[];
  }[];
}

/** A report. */
export interface Report {
  readonly json: JsonReport;
}

/** Makes a report of a store. */
export async function runReport(store: Store, book: Book, request: ReportRequest): Promise<Report> {
  checkMeters(book, request);
  const { window, by } = request;
  const timeZone = reportZone(book, request);
  const buckets = bucketsOf(request.bucket, zoneOf(timeZone), window);
  const collected = await collect(store, book, window);
  const dimensions = dimensionsOf(book, request);
  const details = await rateAll(collected, { book, window, buckets, by: dimensions, idle: request.idle });
  await checkDimensions(book, request, { collected, store });
  if (request.asBilled === true) {
    const coverage = coverageOf({ book, request, collected });
    return { json: asBilled({ book, request, coverage, invoices: await readInvoices(store) }) };
  }
  const shared = request.shared === "split" ? splitShared(details, { book, dimensions, by }) : details;
  const shown = shared.filter((detail) => isShown(detail, { request, dimensions }));
  const rows = orderRows(toRows(shown, { book, width: by.length }));
  return { json: toJson({ book, request, timeZone, rows, collected }) };
}

/** The dimensions of the rating: those of rows, of filters, and of pools. */
function dimensionsOf({ shared }: Book, { by, where, tenant, visible, shared: asked }: ReportRequest): string[] {
  const pools = asked === "split" ? shared.flatMap(({ match }) => Object.keys(match)) : [];
  const owner = tenant === undefined && visible === undefined ? [] : ["tenant"];
  return [...new Set([...by, ...where.keys(), ...owner, ...pools])];
}

interface Showing {
  readonly request: ReportRequest;
  readonly dimensions: readonly string[];
}

function isShown({ meter, values }: Detail, { request, dimensions }: Showing): boolean {
  const { meters, ratio, tenant, visible, where } = request;
  const asked = ratio ?? meters;
  const valueOf = (name: string): string => values[dimensions.indexOf(name)] ?? "";
  if (asked.length > 0 && !asked.includes(meter)) return false;
  if (tenant !== undefined && valueOf("tenant") !== tenant) return false;
  if (visible !== undefined && !visible.includes(valueOf("tenant"))) return false;
  return [...where].every(([name, allowed]) => allowed.includes(valueOf(name)));
}

function checkMeters(book: Book, { meters, ratio }: ReportRequest): void {
  for (const name of [...meters, ...(ratio ?? [])]) {
    if (book.meters.has(name) || isDerived(name, book)) continue;
    const meant = nearest(name, [...book.meters.keys()]);
    throw new MeterError(
      "BadInput",
      `the book has no meter ${JSON.stringify(name)}; ${meant === undefined ? `it has ${[...book.meters.keys()].join(", ")}` : `did you mean ${meant}?`}`,
    );
  }
}

/** Meters of rows that no record has. */
function isDerived(name: string, { nodes, shared }: Book): boolean {
  return (
    name === "bill" ||
    shared.some((rule) => name === `shared.${rule.name}`) ||
    Object.keys(nodes?.capacity ?? {}).some((resource) => name === `node.allocation.${resource}`)
  );
}

/** Refuses a dimension that no meter declares and no record has, in the window or outside of it. */
async function checkDimensions(
  book: Book,
  { by, where }: ReportRequest,
  { collected, store }: { readonly collected: Collected; readonly store: Store },
): Promise<void> {
  const known = new Set(["tenant", "namespace", "cluster", ...collected.dimensions]);
  for (const meter of book.meters.values()) for (const name of meter.dimensions) known.add(name);
  const asked = [...by, ...where.keys()];
  if (asked.every((name) => known.has(name))) return;
  for await (const rows of store.read("usage"))
    for (const row of rows) for (const name of parseDimensions(toUsage(row).dimensions).keys()) known.add(name);
  for (const name of asked) {
    if (known.has(name)) continue;
    const meant = nearest(name, [...known]);
    throw new MeterError(
      "BadInput",
      `no meter and no record has the dimension ${JSON.stringify(name)}; ${meant === undefined ? `known are ${[...known].sort(compareText).join(", ")}` : `did you mean ${meant}?`}`,
    );
  }
}

interface Printing {
  readonly book: Book;
  readonly request: ReportRequest;
  readonly timeZone: string;
  readonly rows: readonly ReportRow[];
  readonly collected: Pick<Collected, "missing">;
}

function toJson({ book, request, timeZone, rows, collected }: Printing): JsonReport {
  const { window, bucket, by, ratio, withCost } = request;
  const total = rows.reduce((sum, { cost }) => sum + (cost ?? 0n), 0n);
  const unpriced = [...new Set(rows.filter(({ isUnpriced }) => isUnpriced).map(({ meter }) => meter))].sort(
    compareText,
  );
  return {
    from: formatInstant(window.from),
    to: formatInstant(window.to),
    timeZone,
    bucket,
    by,
    currency: book.currency,
    rows: ratio === undefined ? rows.map((row) => toJsonRow(row, { by, withCost })) : ratioRows(rows, { by, ratio }),
    total: withCost && ratio === undefined ? { cost: formatFixed(total, 6), unpriced } : {},
    coverage: coverageOf({ book, request, collected }),
  };
}

function coverageOf({
  book,
  request,
  collected,
}: Pick<Printing, "book" | "request" | "collected">): JsonReport["coverage"] {
  const { meters, ratio, window } = request;
  const asked = ratio ?? (meters.length > 0 ? meters.filter((name) => book.meters.has(name)) : [...book.meters.keys()]);
  return [...new Set(asked)].sort(compareText).map((meter) => {
    const missing = collected.missing(meter, window);
    return {
      meter,
      complete: missing.length === 0,
      missing: missing.map(({ start, end }) => ({ start: formatInstant(start), end: formatInstant(end) })),
    };
  });
}

function frameOf({ bucket, values }: ReportRow, by: readonly string[]) {
  return {
    bucket: bucket.name,
    start: formatInstant(bucket.start),
    end: formatInstant(bucket.end),
    dimensions: Object.fromEntries(by.map((name, at) => [name, values[at] ?? ""])),
  };
}

function toJsonRow(row: ReportRow, { by, withCost }: { by: readonly string[]; withCost: boolean }): JsonRow {
  const { bucket, start, end, dimensions } = frameOf(row, by);
  return {
    bucket,
    start,
    end,
    meter: row.meter,
    charge: row.charge,
    dimensions,
    quantity: formatPlain(row.quantity, 9),
    unit: row.unit,
    ...(withCost && { cost: row.cost === undefined ? null : formatFixed(row.cost, 6) }),
    ...(row.isPartial && { partial: true }),
  };
}

/** Sum over sum, 6 digits half-even; null where the divisor is 0. */
function ratioRows(
  rows: readonly ReportRow[],
  { by, ratio }: { by: readonly string[]; ratio: readonly [string, string] },
): JsonRow[] {
  const keyOf = ({ bucket, values }: ReportRow): string => [bucket.start, ...values].join("\u0000");
  const groups = [...Map.groupBy(rows, keyOf).values()].sort(([a], [b]) =>
    a === undefined || b === undefined ? 0 : a.bucket.start - b.bucket.start || compareKeys(a.values, b.values),
  );
  return groups.flatMap((members): JsonRow[] => {
    const [first] = members;
    if (first === undefined) return [];
    const [over, under] = ratio.map((name) =>
      members.reduce((sum, { meter, quantity }) => (meter === name ? sum + quantity : sum), 0n),
    );
    const { bucket, start, end, dimensions } = frameOf(first, by);
    const value =
      under === undefined || under === 0n ? null : formatFixed(divideHalfEven((over ?? 0n) * 1_000_000n, under), 6);
    return [{ bucket, start, end, meter: ratio.join("/"), charge: "usage", dimensions, ratio: value }];
  });
}
