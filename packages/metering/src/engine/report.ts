/** Rows of reports: from rated lines and allocated cost to what is shown. */
import type { Book } from "../book/book.ts";
import { compareKeys, compareText } from "../number/order.ts";
import { share } from "../number/share.ts";
import type { Bucket } from "../time/bucket.ts";
import { formatInstant } from "../time/instant.ts";
import { Quantity } from "./piece.ts";
import { type Line, lineCost } from "./rate.ts";

/** Why a row costs something. */
export type Charge = "allocation" | "correction" | "credit" | "external" | "idle" | "minimum" | "shared" | "usage";

/** A row with all dimensions that filters and pools need. */
export interface Detail {
  readonly bucket: Bucket;
  readonly meter: string;
  readonly charge: Charge;
  /** Values in the order of the dimensions of the rating. */
  readonly values: readonly string[];
  readonly quantity: Quantity;
  readonly unit: string;
  /** Millionths. */
  readonly cost: bigint | undefined;
  readonly isPartial: boolean;
  /** The rating line that it is a share of. */
  readonly line?: Line;
}

/** A row before it is printed. */
export interface ReportRow extends Omit<Detail, "quantity" | "line"> {
  /** 9 fractional digits. */
  readonly quantity: bigint;
  /** Some of it has no price. */
  readonly isUnpriced: boolean;
}

/** Details of lines: each line's cost is shared among its cells. */
export function detailsOf(lines: Iterable<Line>): Detail[] {
  const details: Detail[] = [];
  for (const line of lines) {
    const { meter } = line;
    const cells = [...line.cells.values()];
    const cost = lineCost(line);
    const weights = cells.map(({ bucket, values, quantity }) => ({
      key: [formatInstant(bucket.start), ...values],
      weight: quantity.value,
    }));
    const parts = cost === undefined ? [] : share(cost, weights);
    const unit = meter.type === "level" ? `${meter.unit}-seconds` : meter.unit;
    for (const [at, { bucket, values, quantity }] of cells.entries())
      details.push({
        bucket,
        meter: meter.name,
        charge: "usage",
        values,
        quantity,
        unit,
        cost: cost === undefined ? undefined : (parts[at] ?? 0n),
        isPartial: line.isCut,
        line,
      });
  }
  return details;
}

/** Adds details up to rows with the first dimensions only. */
export function toRows(details: readonly Detail[], { book, width }: { book: Book; width: number }): ReportRow[] {
  const groups = Map.groupBy(details, ({ bucket, meter, charge, values }) =>
    [bucket.start, meter, charge, ...values.slice(0, width)].join("\u0000"),
  );
  return [...groups.values()].flatMap((members): ReportRow[] => {
    const [first] = members;
    if (first === undefined) return [];
    const meter = book.meters.get(first.meter);
    const quantity = new Quantity(first.charge === "usage" ? (meter?.aggregate ?? "sum") : "sum", meter?.unique);
    for (const member of members) quantity.merge(member.quantity);
    const costs = members.flatMap(({ cost }) => (cost === undefined ? [] : [cost]));
    return [
      {
        ...first,
        values: first.values.slice(0, width),
        quantity: quantity.value,
        cost: costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0n),
        isUnpriced: members.some(({ cost, quantity: part }) => cost === undefined && part.value !== 0n),
        isPartial: members.some(({ isPartial }) => isPartial),
      },
    ];
  });
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
