/** The relations that queries and exports read: usage of every source, bills, invoices, coverage and the audit. */
import { readAudit } from "../audit/audit.ts";
import type { Book } from "../book/book.ts";
import { readInvoices } from "../invoice/archive.ts";
import type { Invoice } from "../invoice/invoice.ts";
import { parseAmount, parseNano } from "../number/decimal.ts";
import { canonicalDimensions } from "../record/parse-record.ts";
import type { Relation, Store } from "../store/store.ts";
import { type Row, toUsage } from "../store/tables.ts";
import { type Collected, collect } from "./collect.ts";
import type { Piece, Tenancy } from "./piece.ts";
import { quantityOf } from "./rate.ts";
import { complement } from "./stretch.ts";

const day = 86_400_000;

/** All time. */
export const always = { from: -8_640_000_000_000_000, to: 8_640_000_000_000_000 };

type Cells = readonly (string | number | bigint | null)[];

/** The relations of a store. */
export async function relationsOf(store: Store, book: Book): Promise<Relation[]> {
  const collected = await collect(store, book, always);
  const invoices = await readInvoices(store);
  return [
    { ...usageColumns, rows: usageRows(store, { book, collected }) },
    { ...billColumns, rows: billRows(store) },
    { ...invoiceColumns, rows: invoices.map(invoiceRow) },
    { ...lineColumns, rows: invoices.flatMap(lineRows) },
    { ...coverageColumns, rows: coverageRows(store, { book, collected }) },
    { ...auditColumns, rows: auditRows(store) },
  ];
}

/** The columns of usage. */
export const usageColumns: Pick<Relation, "name" | "columns"> = {
  name: "usage",
  columns: {
    meter: "text",
    start_at: "instant",
    end_at: "instant",
    amount: "money",
    quantity: "quantity",
    unit: "text",
    tenant: "text",
    namespace: "text",
    cluster: "text",
    dimensions: "text",
    source: "text",
    id: "text",
    corrects: "text",
    late: "flag",
    batch: "integer",
    imported_at: "instant",
  },
};

/** Inputs of the rows of usage. */
export interface UsageOptions {
  readonly book: Book;
  readonly collected: Collected;
}

/** Usage of every source; levels are cut at midnight in UTC, and where the tenant changes. */
async function* usageRows(store: Store, { book, collected }: UsageOptions): AsyncIterable<Cells> {
  for await (const batch of store.read("usage"))
    for (const cells of batch) {
      const [late = 0, number = 0, imported = 0] = cells.slice(11).map(Number);
      yield* partsOf(pieceOf(cells, book), { book, tenancy: collected.tenancy, cells, late, number, imported });
    }
  for await (const piece of collected.derived())
    yield* partsOf(piece, { book, tenancy: collected.tenancy, late: 0, number: 0, imported: null });
}

function pieceOf(cells: Row, book: Book): Piece {
  const record = toUsage(cells);
  const kind = book.meters.get(record.meter)?.type === "level" ? "level" : "event";
  return { ...record, kind, dimensions: new Map() };
}

interface PartOptions {
  readonly book: Book;
  readonly tenancy: Tenancy;
  /** The stored row; absent for usage that is computed. */
  readonly cells?: Row;
  readonly late: number;
  readonly number: number;
  readonly imported: number | null;
}

function* partsOf(piece: Piece, options: PartOptions): Iterable<Cells> {
  const meter = options.book.meters.get(piece.meter);
  const unit = meter?.type === "level" ? `${meter.unit}-seconds` : (meter?.unit ?? "");
  const { meter: name, namespace, cluster, id } = piece;
  const last: Cells = [...originOf(piece, options), options.late, options.number, options.imported];
  for (const part of cutPiece(piece, options.tenancy)) {
    const { amount, quantity } = amountsOf(piece, part);
    const end = piece.kind === "event" ? part.start : part.end;
    const [dimensions = "", source = "", ...rest] = last;
    const before: Cells = [name, part.start, end, amount, quantity, unit, part.tenant, namespace];
    yield before.concat([cluster, dimensions, source, id], rest);
  }
}

/** Dimensions, source, and the id of the corrected record. */
function originOf(piece: Piece, { cells }: PartOptions): readonly [string, string, string] {
  if (cells === undefined) return [canonicalDimensions([...piece.dimensions]), sourceOf(piece), ""];
  const { dimensions, source, corrects } = toUsage(cells);
  return [dimensions, source, corrects];
}

function amountsOf(piece: Piece, part: PiecePart): { readonly amount: bigint; readonly quantity: bigint } {
  const quantity = piece.kind === "event" ? piece.amount * 1000n : quantityOf(piece, part);
  const isTotal = piece.kind === "spread" || piece.kind === "sum";
  return { amount: isTotal ? quantity / 1000n : piece.amount, quantity };
}

function sourceOf({ kind }: Piece): string {
  switch (kind) {
    case "level":
      return "objects";
    case "sum":
      return "sums";
    case "event":
    case "spread":
      return "prometheus";
  }
}

/** A part of a piece that has one tenant and lies in one day of UTC. */
export interface PiecePart {
  readonly start: number;
  readonly end: number;
  readonly tenant: string;
}

/** Cuts a piece at midnight in UTC and where its tenant changes. */
export function* cutPiece(piece: Piece, tenancy: Tenancy): Iterable<PiecePart> {
  const owner = (at: number): string => (piece.tenant === "" ? tenancy.tenantAt(piece, at) : piece.tenant);
  if (piece.kind === "event") {
    yield { start: piece.start, end: piece.end, tenant: owner(piece.start) };
    return;
  }
  const changes = piece.tenant === "" ? tenancy.changes(piece) : [];
  const cuts = [piece.start, ...changes, piece.end];
  for (let at = 1; at < cuts.length; at++) {
    const [from = 0, to = 0] = [cuts[at - 1], cuts[at]];
    for (let begin = from; begin < to; begin = (Math.floor(begin / day) + 1) * day)
      yield { start: begin, end: Math.min(to, (Math.floor(begin / day) + 1) * day), tenant: owner(begin) };
  }
}

const billColumns: Pick<Relation, "name" | "columns"> = {
  name: "bill",
  columns: {
    provider: "text",
    billing_account: "text",
    billing_period: "text",
    start_at: "instant",
    end_at: "instant",
    cost: "money",
    resource: "text",
    namespace: "text",
    sub_account: "text",
    currency: "text",
    charge: "text",
    batch: "integer",
  },
};

async function* billRows(store: Store): AsyncIterable<Cells> {
  for await (const rows of store.read("bills"))
    for (const [unit, start = 0, end = 0, cost = 0n, resource, namespace, account, currency, row, batch = 0] of rows) {
      if (store.state.bills.get(String(unit))?.batch !== Number(batch)) continue;
      const [provider = "", billing = "", period = ""] = JSON.parse(String(unit)) as readonly string[];
      const texts = [resource, namespace, account, currency, row].map(String);
      yield [provider, billing, period, Number(start), Number(end), BigInt(cost), ...texts, Number(batch)];
    }
}

const invoiceColumns: Pick<Relation, "name" | "columns"> = {
  name: "invoices",
  columns: {
    id: "text",
    tenant: "text",
    period: "text",
    start_at: "instant",
    end_at: "instant",
    total: "money",
    currency: "text",
    status: "text",
    previous: "text",
    hash: "text",
  },
};

function invoiceRow({ id, tenant, period, start, end, total, currency, status, previous, hash }: Invoice): Cells {
  const instants = [Date.parse(start), Date.parse(end)];
  return [id, tenant, period, ...instants, parseAmount(total) ?? 0n, currency, status, previous, hash];
}

const lineColumns: Pick<Relation, "name" | "columns"> = {
  name: "invoice_lines",
  columns: {
    invoice: "text",
    kind: "text",
    meter: "text",
    quantity: "quantity",
    unit: "text",
    price: "text",
    per: "text",
    cost: "money",
    amount: "money",
  },
};

function lineRows({ id, lines }: Invoice): Cells[] {
  return lines.map((line) => [
    id,
    line.kind,
    line.meter ?? null,
    line.quantity === undefined ? null : parseNano(line.quantity),
    line.unit ?? null,
    line.price ?? null,
    line.per ?? null,
    parseAmount(line.cost) ?? 0n,
    parseAmount(line.amount) ?? 0n,
  ]);
}

const coverageColumns: Pick<Relation, "name" | "columns"> = {
  name: "coverage",
  columns: { meter: "text", start_at: "instant", end_at: "instant", state: "text" },
};

/** For each meter, the intervals with and without observations, from its first usage to its watermark. */
async function* coverageRows(store: Store, { book, collected }: UsageOptions): AsyncIterable<Cells> {
  const first = new Map<string, number>();
  for await (const { meter, start } of collected.pieces())
    if (start < (first.get(meter) ?? Number.POSITIVE_INFINITY)) first.set(meter, start);
  for (const meter of [...book.meters.keys()].sort()) {
    const [from, to] = [first.get(meter), store.state.watermarks.get(meter)];
    if (from === undefined || to === undefined || from >= to) continue;
    const missing = collected.missing(meter, { from, to });
    for (const { start, end } of complement(missing, { from, to })) yield [meter, start, end, "observed"];
    for (const { start, end } of missing) yield [meter, start, end, "missing"];
  }
}

const auditColumns: Pick<Relation, "name" | "columns"> = {
  name: "audit",
  columns: {
    n: "integer",
    at: "instant",
    action: "text",
    user: "text",
    details: "text",
    previous: "text",
    hash: "text",
  },
};

async function* auditRows(store: Store): AsyncIterable<Cells> {
  for (const { n, at, action, user, details, previous, hash } of await readAudit(store))
    yield [n, Date.parse(at), action, user, JSON.stringify(details), previous, hash];
}
