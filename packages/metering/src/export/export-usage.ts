/** Usage as records that another store imports with the same identities. */
import type { Book } from "../book/book.ts";
import { type Collected, collect } from "../engine/collect.ts";
import { parseDimensions } from "../engine/dimensions.ts";
import type { Piece } from "../engine/piece.ts";
import { quantityOf } from "../engine/rate.ts";
import type { Window } from "../engine/rate.ts";
import { cutPiece } from "../engine/relations.ts";
import { formatPlain } from "../number/decimal.ts";
import { compareText } from "../number/order.ts";
import { canonicalDimensions } from "../record/parse-record.ts";
import type { UsageRow } from "../record/usage.ts";
import type { Relation, Store } from "../store/store.ts";
import { toUsage } from "../store/tables.ts";
import { formatInstant } from "../time/instant.ts";

/** What is exported. */
export interface UsageExport {
  readonly window: Window;
  readonly tenant?: string | undefined;
}

/** A record as files have it; absent fields are left out. */
export interface ExportedRecord {
  readonly source: string;
  readonly id: string;
  readonly meter: string;
  readonly at?: string;
  readonly start?: string;
  readonly end?: string;
  readonly amount: string;
  readonly namespace?: string;
  readonly tenant?: string;
  readonly cluster?: string;
  readonly dimensions?: { readonly [name: string]: string };
  readonly corrects?: string;
}

const hour = 3_600_000;

/** The records of a window: stored ones as they are, and what journals and counters say. Sorted by start, source and id. */
export async function exportUsage(
  store: Store,
  book: Book,
  { window, tenant }: UsageExport,
): Promise<ExportedRecord[]> {
  const collected = await collect(store, book, window);
  const found: { readonly row: UsageRow; readonly isLevel: boolean }[] = [];
  const isAsked = (owner: string): boolean => tenant === undefined || tenant === owner;
  for await (const rows of store.read("usage", window)) {
    for (const cells of rows) {
      const row = toUsage(cells);
      if (row.start >= window.to || row.end <= window.from) continue;
      if (!isAsked(row.tenant === "" ? collected.tenancy.tenantAt(row, row.start) : row.tenant)) continue;
      found.push({ row, isLevel: book.meters.get(row.meter)?.type === "level" });
    }
  }
  for (const row of await derivedRows(collected, window))
    if (isAsked(row.tenant)) found.push({ row, isLevel: book.meters.get(row.meter)?.type === "level" });
  found.sort(
    ({ row: a }, { row: b }) => a.start - b.start || compareText(a.source, b.source) || compareText(a.id, b.id),
  );
  return found.map(toRecord);
}

/** Usage without records: levels of objects by tenant, counters by hour. */
async function derivedRows({ derived, tenancy }: Collected, { from, to }: Window): Promise<UsageRow[]> {
  const rows: UsageRow[] = [];
  for await (const piece of derived()) {
    if (piece.amount === 0n || piece.kind === "sum" || piece.end <= from || piece.start >= to) continue;
    for (const { start, end, tenant } of cutPiece(piece, tenancy)) {
      if (piece.kind !== "spread") rows.push(rowOf(piece, { start, end, tenant, amount: piece.amount }));
      else rows.push(...hoursOf(piece, { start, end, tenant }));
    }
  }
  return rows;
}

interface Part {
  readonly start: number;
  readonly end: number;
  readonly tenant: string;
}

/** A counter's increase as one event in each hour that it lies over. */
function* hoursOf(piece: Piece, { start, end, tenant }: Part): Iterable<UsageRow> {
  for (let at = start; at < end; at = (Math.floor(at / hour) + 1) * hour) {
    const amount = quantityOf(piece, { start: at, end: Math.min(end, (Math.floor(at / hour) + 1) * hour) }) / 1000n;
    if (amount !== 0n) yield rowOf(piece, { start: at, end: at + 1, tenant, amount });
  }
}

function rowOf(piece: Piece, { start, end, tenant, amount }: Part & { readonly amount: bigint }): UsageRow {
  const { meter, namespace, cluster, id } = piece;
  const dimensions = canonicalDimensions([...piece.dimensions]);
  const source = piece.kind === "level" ? "objects" : "prometheus";
  return {
    meter,
    start,
    end,
    amount,
    tenant,
    namespace,
    cluster,
    dimensions,
    source,
    id: `${meter}/${cluster}/${id}/${formatInstant(start)}`,
    corrects: "",
  };
}

function toRecord({ row, isLevel }: { readonly row: UsageRow; readonly isLevel: boolean }): ExportedRecord {
  const dimensions = Object.fromEntries(parseDimensions(row.dimensions));
  return {
    source: row.source,
    id: row.id,
    meter: row.meter,
    ...(isLevel ? { start: formatInstant(row.start), end: formatInstant(row.end) } : { at: formatInstant(row.start) }),
    amount: formatPlain(row.amount, 6),
    ...(row.namespace !== "" && { namespace: row.namespace }),
    ...(row.tenant !== "" && { tenant: row.tenant }),
    ...(row.cluster !== "" && { cluster: row.cluster }),
    ...(Object.keys(dimensions).length > 0 && { dimensions }),
    ...(row.corrects !== "" && { corrects: row.corrects }),
  };
}

const fields = [
  "source",
  "id",
  "meter",
  "at",
  "start",
  "end",
  "amount",
  "namespace",
  "tenant",
  "cluster",
  "corrects",
] as const;

/** Records as rows of cells below titles; dimensions are columns `dim.NAME`. */
export function tableOfRecords(records: readonly ExportedRecord[]): readonly (readonly string[])[] {
  const names = [...new Set(records.flatMap(({ dimensions = {} }) => Object.keys(dimensions)))].sort(compareText);
  return [
    [...fields, ...names.map((name) => `dim.${name}`)],
    ...records.map((record) => [
      ...fields.map((field) => record[field] ?? ""),
      ...names.map((name) => record.dimensions?.[name] ?? ""),
    ]),
  ];
}

/** A table of texts as a relation: empty cells are null. */
export function textRelation([titles = [], ...rows]: readonly (readonly string[])[]): Relation {
  return {
    name: "export",
    columns: Object.fromEntries(titles.map((title) => [title, "text" as const])),
    rows: rows.map((row) => row.map((cell) => (cell === "" ? null : cell))),
  };
}
