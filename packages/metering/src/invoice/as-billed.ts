/** What was billed: the lines of closed invoices as a report. */
import type { Book } from "../book/book.ts";
import type { Charge } from "../engine/report.ts";
import type { JsonReport, JsonRow, ReportRequest } from "../engine/run-report.ts";
import { reportZone } from "../engine/report.ts";
import { formatFixed, formatPlain, parseNano } from "../number/decimal.ts";
import { compareKeys, compareText } from "../number/order.ts";
import { bucketsOf } from "../time/bucket.ts";
import { formatInstant } from "../time/instant.ts";
import { zoneOf } from "../time/zone.ts";
import type { Invoice, InvoiceLine } from "./invoice.ts";

/** What a report of closed invoices needs. */
export interface AsBilled {
  readonly book: Book;
  readonly request: ReportRequest;
  readonly invoices: readonly Invoice[];
  readonly coverage: JsonReport["coverage"];
}

interface Billed {
  readonly invoice: Invoice;
  readonly line: InvoiceLine;
  readonly meter: string;
  readonly charge: Charge;
}

/** The lines of invoices that begin in the window, as rows; the charge is the kind of the line. */
export function asBilled({ book, request, invoices, coverage }: AsBilled): JsonReport {
  const { window, by, withCost } = request;
  const timeZone = reportZone(book, request);
  const buckets = bucketsOf(request.bucket, zoneOf(timeZone), window);
  const shown = invoices.flatMap((invoice) => linesOf(invoice)).filter((billed) => isShown(billed, request));
  const rows = buckets.flatMap((bucket) => {
    const own = shown.filter(
      ({ invoice }) => Date.parse(invoice.start) >= bucket.start && Date.parse(invoice.start) < bucket.end,
    );
    const groups = Map.groupBy(own, ({ meter, charge, invoice }) =>
      JSON.stringify([meter, charge, valuesOf(invoice, by)]),
    );
    const made = [...groups.values()].flatMap((members) => rowOf(members, request));
    made.sort(
      (a, b) =>
        compareText(a.meter, b.meter) ||
        compareText(a.charge, b.charge) ||
        compareKeys(Object.values(a.dimensions), Object.values(b.dimensions)),
    );
    return made.map((row) => ({
      bucket: bucket.name,
      start: formatInstant(bucket.start),
      end: formatInstant(bucket.end),
      ...row,
    }));
  });
  const total = shown.reduce((sum, { line }) => sum + parseNano(line.cost) / 1000n, 0n);
  return {
    from: formatInstant(window.from),
    to: formatInstant(window.to),
    timeZone,
    bucket: request.bucket,
    by,
    currency: book.currency,
    rows,
    total: withCost ? { cost: formatFixed(total, 6), unpriced: [] } : {},
    coverage,
  };
}

function linesOf(invoice: Invoice): Billed[] {
  return invoice.lines.map((line) => ({ invoice, line, meter: line.meter ?? line.kind, charge: line.kind }));
}

function isShown({ invoice, meter }: Billed, { window, meters, tenant, visible, where }: ReportRequest): boolean {
  const start = Date.parse(invoice.start);
  if (start < window.from || start >= window.to) return false;
  if (meters.length > 0 && !meters.includes(meter)) return false;
  if (tenant !== undefined && invoice.tenant !== tenant) return false;
  if (visible !== undefined && !visible.includes(invoice.tenant)) return false;
  return [...where].every(([name, allowed]) => allowed.includes(name === "tenant" ? invoice.tenant : ""));
}

/** An invoice knows its tenant and no other dimension. */
function valuesOf({ tenant }: Invoice, by: readonly string[]): string[] {
  return by.map((name) => (name === "tenant" ? tenant : ""));
}

type RowPart = Omit<JsonRow, "bucket" | "start" | "end">;

function rowOf(members: readonly Billed[], { by, withCost }: ReportRequest): RowPart[] {
  const [first] = members;
  if (first === undefined) return [];
  const sum = (read: (line: InvoiceLine) => string): bigint =>
    members.reduce((all, { line }) => all + parseNano(read(line)), 0n);
  const values = valuesOf(first.invoice, by);
  return [
    {
      meter: first.meter,
      charge: first.charge,
      dimensions: Object.fromEntries(by.map((name, at) => [name, values[at] ?? ""])),
      quantity: formatPlain(
        sum(({ quantity = "0" }) => quantity),
        9,
      ),
      unit: first.line.unit ?? "",
      ...(withCost && { cost: formatFixed(sum(({ cost }) => cost) / 1000n, 6) }),
    },
  ];
}
