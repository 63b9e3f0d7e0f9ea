/** Reports: rows of quantities and costs by bucket and dimensions, from rated lines. */
import type { Book } from "../book/book.ts";
import { compareKeys, compareText } from "../number/order.ts";
import { share } from "../number/share.ts";
import type { Bucket } from "../time/bucket.ts";
import { formatInstant } from "../time/instant.ts";
import { Quantity } from "./piece.ts";
import { type Line, lineCost } from "./rate.ts";

/** Why a row costs something. */
export type Charge = "allocation" | "correction" | "credit" | "external" | "idle" | "minimum" | "shared" | "usage";

/** A row before it is printed. */
export interface ReportRow {
  readonly bucket: Bucket;
  readonly meter: string;
  readonly charge: Charge;
  /** Values in the order of `by`. */
  readonly values: readonly string[];
  /** 9 fractional digits. */
  readonly quantity: bigint;
  readonly unit: string;
  /** Millionths. */
  readonly cost: bigint | undefined;
  /** Some of it has no price. */
  readonly isUnpriced: boolean;
  readonly isPartial: boolean;
}

/** Which rows are shown. */
export interface Filter {
  readonly meters: readonly string[];
  readonly tenants: readonly string[] | undefined;
  /** Dimension to its allowed values. */
  readonly where: ReadonlyMap<string, readonly string[]>;
}

/** The dimensions of cells: those of the rows, then those of filters alone. */
export function cellDimensions(by: readonly string[], where: ReadonlyMap<string, readonly string[]>): string[] {
  return [...by, ...[...where.keys()].filter((name) => !by.includes(name))];
}

interface Growing {
  readonly bucket: Bucket;
  readonly meter: string;
  readonly values: readonly string[];
  readonly quantity: Quantity;
  readonly unit: string;
  cost: bigint | undefined;
  isUnpriced: boolean;
  isPartial: boolean;
}

/** Rows of the lines: each line's cost is shared among its cells, then the cells that pass are added up. */
export function rowsOfLines(
  lines: Iterable<Line>,
  { by, filter }: { by: readonly string[]; filter: Filter },
): ReportRow[] {
  const dimensions = cellDimensions(by, filter.where);
  const rows = new Map<string, Growing>();
  for (const line of lines) {
    if (filter.meters.length > 0 && !filter.meters.includes(line.meter.name)) continue;
    if (filter.tenants !== undefined && !filter.tenants.includes(line.tenant)) continue;
    addLine(line, { by, filter, dimensions, rows });
  }
  return [...rows.values()].map((row) => ({ ...row, charge: "usage", quantity: row.quantity.value }));
}

interface Adding {
  readonly by: readonly string[];
  readonly filter: Filter;
  readonly dimensions: readonly string[];
  readonly rows: Map<string, Growing>;
}

function addLine(line: Line, { by, filter, dimensions, rows }: Adding): void {
  const cells = [...line.cells.values()];
  const cost = lineCost(line);
  const weights = cells.map(({ bucket, values, quantity }) => ({
    key: [formatInstant(bucket.start), ...values],
    weight: quantity.value,
  }));
  const parts = cost === undefined ? [] : share(cost, weights);
  for (const [at, cell] of cells.entries()) {
    if (!passes(cell.values, dimensions, filter)) continue;
    const row = rowOf(line, { cell, by, rows });
    row.quantity.merge(cell.quantity);
    row.isPartial ||= line.isCut;
    if (cost === undefined) row.isUnpriced = true;
    else row.cost = (row.cost ?? 0n) + (parts[at] ?? 0n);
  }
}

function passes(values: readonly string[], dimensions: readonly string[], { where }: Filter): boolean {
  return [...where].every(([name, allowed]) => allowed.includes(values[dimensions.indexOf(name)] ?? ""));
}

function rowOf(
  { meter }: Line,
  {
    cell,
    by,
    rows,
  }: { cell: { bucket: Bucket; values: readonly string[] }; by: readonly string[]; rows: Map<string, Growing> },
): Growing {
  const values = cell.values.slice(0, by.length);
  const key = [meter.name, cell.bucket.start, ...values].join("\u0000");
  let row = rows.get(key);
  if (row === undefined) {
    row = {
      bucket: cell.bucket,
      meter: meter.name,
      values,
      quantity: new Quantity(meter.aggregate, meter.unique),
      unit: meter.type === "level" ? `${meter.unit}-seconds` : meter.unit,
      cost: undefined,
      isUnpriced: false,
      isPartial: false,
    };
    rows.set(key, row);
  }
  return row;
}

/** Sorts rows as reports print them, and leaves out those that say nothing. */
export function orderRows(rows: readonly ReportRow[]): ReportRow[] {
  return rows
    .filter(({ quantity, cost }) => quantity !== 0n || (cost ?? 0n) !== 0n)
    .sort(
      (a, b) =>
        a.bucket.start - b.bucket.start ||
        compareText(a.meter, b.meter) ||
        compareText(a.charge, b.charge) ||
        compareKeys(a.values, b.values),
    );
}

/** The zone of a report: the asked one, else the tenant's, else the book's. */
export function reportZone(book: Book, asked: { timeZone?: string | undefined; tenant?: string | undefined }): string {
  return (
    asked.timeZone ?? (asked.tenant === undefined ? undefined : book.tenantZones.get(asked.tenant)) ?? book.timeZone
  );
}
