/** Rates usage: pieces become rating lines, and cells of a report within them. */
import type { Book, Meter, Price } from "../book/book.ts";
import { type Rational, add, multiply, rational, zero } from "../number/rational.ts";
import { spread } from "../number/share.ts";
import { type Bucket, boundsOf } from "../time/bucket.ts";
import { zoneOf } from "../time/zone.ts";
import { costOf } from "./cost.ts";
import { type Piece, Quantity, type Tenancy } from "./piece.ts";
import { type PriceList, priceListOf } from "./pricing.ts";

/** A window of time. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** What rating needs. */
export interface RateOptions {
  readonly book: Book;
  readonly window: Window;
  readonly buckets: readonly Bucket[];
  /** The dimensions that cells are kept by. */
  readonly by: readonly string[];
  readonly tenancy: Tenancy;
}

/** Usage of one bucket and one set of dimension values in a line. */
export interface Cell {
  readonly bucket: Bucket;
  readonly values: readonly string[];
  readonly quantity: Quantity;
}

/** One tenant, one meter, one price, one rating period. */
export interface Line {
  readonly tenant: string;
  readonly meter: Meter;
  readonly price: Price | undefined;
  readonly period: Window;
  /** The window cuts the rating period. */
  readonly isCut: boolean;
  readonly quantity: Quantity;
  /** Quantities by the length of the calendar month that they lie in; for prices per month. */
  readonly months: Map<number, bigint>;
  readonly cells: Map<string, Cell>;
}

/** A stretch without any cut: all that depends on time is constant in it. */
interface Segment {
  readonly start: number;
  readonly end: number;
  readonly bucket: Bucket;
  readonly period: Window;
  readonly isCut: boolean;
  readonly month: number;
}

/** Collects pieces into lines. */
export class Rater {
  readonly lines: Map<string, Line> = new Map();
  readonly #options: RateOptions;
  readonly #segments = new Map<string, readonly Segment[]>();
  readonly #prices = new Map<string, PriceList>();

  constructor(options: RateOptions) {
    this.#options = options;
    const byMeter = Map.groupBy(options.book.prices, ({ meter }) => meter);
    for (const name of options.book.meters.keys()) this.#prices.set(name, priceListOf(byMeter.get(name) ?? []));
  }

  /** All instants at which any piece may be cut, of any tenant and meter; sorted. */
  cuts(): readonly number[] {
    const { book, window, tenancy } = this.#options;
    const zones = new Set([book.timeZone, ...book.tenantZones.values()]);
    const all = new Set<number>([...tenancy.instants, ...(book.importFrom === undefined ? [] : [book.importFrom])]);
    for (const prices of this.#prices.values()) for (const cut of prices.cuts) all.add(cut);
    for (const zone of zones) for (const { start } of createSegments(this.#options, { zone, cuts: [] })) all.add(start);
    const inside = [...all].filter((cut) => cut > window.from && cut < window.to);
    return [window.from, ...inside.sort((a, b) => a - b), window.to];
  }

  /** Adds a piece: cut where the tenant, the bucket, the rating period or the price changes. */
  add(piece: Piece): void {
    const { window, book, tenancy } = this.#options;
    const start = Math.max(piece.start, window.from, book.importFrom ?? Number.NEGATIVE_INFINITY);
    const end = Math.min(piece.end, window.to);
    if (start >= end) return;
    if (piece.tenant !== "" || piece.kind === "event") {
      this.#addOwned(piece, {
        start,
        end,
        tenant: piece.tenant === "" ? tenancy.tenantAt(piece, start) : piece.tenant,
      });
      return;
    }
    const cuts = [start, ...tenancy.changes({ ...piece, start, end }), end];
    for (let at = 1; at < cuts.length; at++) {
      const [from = 0, to = 0] = [cuts[at - 1], cuts[at]];
      this.#addOwned(piece, { start: from, end: to, tenant: tenancy.tenantAt(piece, from) });
    }
  }

  #addOwned(piece: Piece, { start, end, tenant }: { start: number; end: number; tenant: string }): void {
    const meter = this.#options.book.meters.get(piece.meter);
    if (meter === undefined) return;
    const segments = this.#segmentsOf(tenant, meter);
    for (let at = firstAfter(segments, start); at < segments.length; at++) {
      const segment = segments[at];
      if (segment === undefined || segment.start >= end) return;
      this.#addPart(piece, {
        meter,
        tenant,
        segment,
        start: Math.max(start, segment.start),
        end: Math.min(end, segment.end),
      });
    }
  }

  #addPart(piece: Piece, part: Part): void {
    const { meter, tenant, segment } = part;
    const dimension = (name: string): string => dimensionOf(piece, tenant, name);
    const price = this.#prices.get(meter.name)?.priceAt(part.start, dimension);
    const quantity = quantityOf(piece, part);
    const line = this.#lineOf({ tenant, meter, price, segment });
    line.quantity.add(piece, quantity);
    if (price?.unit.time === "month") line.months.set(segment.month, (line.months.get(segment.month) ?? 0n) + quantity);
    const values = this.#options.by.map(dimension);
    const key = `${segment.bucket.start}\u0000${values.join("\u0000")}`;
    let cell = line.cells.get(key);
    if (cell === undefined) {
      cell = { bucket: segment.bucket, values, quantity: new Quantity(meter.aggregate, meter.unique) };
      line.cells.set(key, cell);
    }
    cell.quantity.add(piece, quantity);
  }

  #lineOf({ tenant, meter, price, segment }: Pick<Line, "tenant" | "meter" | "price"> & { segment: Segment }): Line {
    const key = `${meter.name}\u0000${tenant}\u0000${price?.order ?? ""}\u0000${segment.period.from}`;
    const known = this.lines.get(key);
    if (known !== undefined) return known;
    const line: Line = {
      tenant,
      meter,
      price,
      period: segment.period,
      isCut: segment.isCut,
      quantity: new Quantity(meter.aggregate, meter.unique),
      months: new Map(),
      cells: new Map(),
    };
    this.lines.set(key, line);
    return line;
  }

  #segmentsOf(tenant: string, meter: Meter): readonly Segment[] {
    const { book } = this.#options;
    const zone = book.tenantZones.get(tenant) ?? book.timeZone;
    const key = `${meter.name}\u0000${zone}`;
    const known = this.#segments.get(key);
    if (known !== undefined) return known;
    const made = createSegments(this.#options, { zone, cuts: this.#prices.get(meter.name)?.cuts ?? [] });
    this.#segments.set(key, made);
    return made;
  }
}

interface Part {
  readonly meter: Meter;
  readonly tenant: string;
  readonly segment: Segment;
  readonly start: number;
  readonly end: number;
}

/** The value of a dimension of a piece; empty where it has none. */
export function dimensionOf(piece: Piece, tenant: string, name: string): string {
  switch (name) {
    case "tenant":
      return tenant;
    case "namespace":
      return piece.namespace;
    case "cluster":
      return piece.cluster;
    default:
      return piece.dimensions.get(name) ?? "";
  }
}

/** The quantity of a part, with 9 fractional digits. */
export function quantityOf(piece: Piece, { start, end }: Pick<Part, "start" | "end">): bigint {
  switch (piece.kind) {
    case "level":
      return piece.amount * BigInt(end - start);
    case "event":
      return piece.amount * 1000n;
    case "spread":
      return spread({ total: piece.amount, start: piece.start, end: piece.end }, start, end) * 1000n;
    case "sum":
      return spread({ total: piece.amount, start: piece.start, end: piece.end }, start, end);
  }
}

/** The index of the first segment that ends after an instant. */
function firstAfter(segments: readonly Segment[], instant: number): number {
  let [low, high] = [0, segments.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((segments[middle]?.end ?? 0) > instant) high = middle;
    else low = middle + 1;
  }
  return low;
}

function createSegments(
  { book, window, buckets }: RateOptions,
  { zone: name, cuts }: { readonly zone: string; readonly cuts: readonly number[] },
): readonly Segment[] {
  const zone = zoneOf(name);
  const all = new Set<number>([window.from, window.to, ...cuts.filter((cut) => cut > window.from && cut < window.to)]);
  for (const { start } of buckets) all.add(start);
  for (const kind of [book.ratingPeriod, "month"] as const) {
    for (let at = window.from; at < window.to; at = boundsOf(kind, zone, at)[1]) all.add(at);
  }
  const instants = [...all].sort((a, b) => a - b);
  let bucketAt = 0;
  return instants.slice(0, -1).map((start, at): Segment => {
    while ((buckets[bucketAt]?.end ?? Number.POSITIVE_INFINITY) <= start) bucketAt += 1;
    const [from, to] = boundsOf(book.ratingPeriod, zone, start);
    const [monthStart, monthEnd] = boundsOf("month", zone, start);
    return {
      start,
      end: instants[at + 1] ?? window.to,
      bucket: buckets[bucketAt] ?? { name: "total", start: window.from, end: window.to },
      period: { from: Math.max(from, window.from), to: Math.min(to, window.to) },
      isCut: from < window.from || to > window.to,
      month: monthEnd - monthStart,
    };
  });
}

const nano = 1_000_000_000n;

/** The quantity of a line in units of its price. */
export function billedQuantity({ price, quantity, months }: Line): Rational {
  if (price === undefined) return zero;
  const { size, time } = price.unit;
  const inverse = rational(size.under, size.over);
  if (time !== "month") return multiply(rational(quantity.value, nano), inverse);
  let sum = zero;
  for (const [length, part] of months) sum = add(sum, rational(part, (nano * BigInt(length)) / 1000n));
  return multiply(sum, inverse);
}

/** The cost of a line in millionths; undefined where no price holds. */
export function lineCost(line: Line): bigint | undefined {
  return line.price === undefined ? undefined : costOf(line.price, billedQuantity(line));
}
