/** Runs SQL of a user on the records: the relations have the same names in every store. */
import type { Book } from "../book/book.ts";
import { readInvoices } from "../invoice/archive.ts";
import { parseAmount } from "../number/decimal.ts";
import type { QueryLimits, QueryResult, Relation, Store } from "../store/store.ts";
import { type Row, toUsage } from "../store/tables.ts";
import { collect } from "./collect.ts";
import type { Tenancy } from "./piece.ts";

const day = 86_400_000;

/** Answers a query. */
export async function runStoreQuery(
  store: Store,
  book: Book,
  { sql, limits }: { sql: string; limits: QueryLimits },
): Promise<QueryResult> {
  const invoices = await readInvoices(store.folder);
  const relations: Relation[] = [
    { ...usageColumns, rows: await usageRows(store, book) },
    {
      name: "invoices",
      columns: {
        id: "text",
        tenant: "text",
        period: "text",
        start_at: "instant",
        end_at: "instant",
        total: "money",
        currency: "text",
      },
      rows: invoices.map(({ id, tenant, period, start, end, total, currency }) => [
        id,
        tenant,
        period,
        Date.parse(start),
        Date.parse(end),
        parseAmount(total) ?? 0n,
        currency,
      ]),
    },
    {
      name: "invoice_lines",
      columns: {
        invoice: "text",
        kind: "text",
        meter: "text",
        quantity: "quantity",
        unit: "text",
        cost: "money",
        amount: "money",
      },
      rows: invoices.flatMap(({ id, lines }) =>
        lines.map((line) => [
          id,
          line.kind,
          line.meter ?? null,
          line.quantity === undefined ? null : (parseAmount(line.quantity) ?? 0n) * 1000n,
          line.unit ?? null,
          parseAmount(line.cost) ?? 0n,
          parseAmount(line.amount) ?? 0n,
        ]),
      ),
    },
  ];
  return store.query(sql, relations, limits);
}

const usageColumns: Pick<Relation, "name" | "columns"> = {
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
    late: "integer",
    batch: "integer",
    imported_at: "instant",
  },
};

/** Usage records; levels are cut at midnight in UTC. */
async function usageRows(store: Store, book: Book): Promise<Relation["rows"]> {
  const { tenancy } = await collect(store, book, { from: 0, to: 1 });
  const rows: Relation["rows"][number][] = [];
  for await (const batch of store.read("usage"))
    for (const cells of batch) rows.push(...rowsOfRecord(cells, { book, tenancy }));
  return rows;
}

function rowsOfRecord(cells: Row, { book, tenancy }: { book: Book; tenancy: Tenancy }): Relation["rows"][number][] {
  const record = toUsage(cells);
  const { meter: name, namespace, cluster, dimensions, source, id, amount } = record;
  const meter = book.meters.get(name);
  const [late = 0, batch = 0, imported = 0] = cells.slice(11).map(Number);
  const row = (start: number, end: number, quantity: bigint) => {
    const tenant = record.tenant === "" ? tenancy.tenantAt(record, start) : record.tenant;
    const unit = meter?.type === "level" ? `${meter.unit}-seconds` : (meter?.unit ?? "");
    const what = [name, start, end, amount, quantity, unit, tenant, namespace, cluster, dimensions];
    return what.concat([source, id, record.corrects, late, batch, imported]);
  };
  if (meter?.type !== "level") return [row(record.start, record.start, amount * 1000n)];
  const rows: Relation["rows"][number][] = [];
  for (let at = record.start; at < record.end; at = (Math.floor(at / day) + 1) * day) {
    const end = Math.min(record.end, (Math.floor(at / day) + 1) * day);
    rows.push(row(at, end, amount * BigInt(end - at)));
  }
  return rows;
}
