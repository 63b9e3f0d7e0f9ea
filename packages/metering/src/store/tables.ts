/** The tables of a store: their columns, and how rows become values and back. */
import type { UsageRow } from "../record/usage.ts";

/** The type of a column: text, a 64-bit integer, or a decimal with 6 digits. */
export type ColumnType = "text" | "integer" | "amount";

/** A cell. */
export type Value = string | number | bigint;

/** Columns by name, in order. */
export interface Table {
  readonly columns: { readonly [name: string]: ColumnType };
  /** The column whose day partitions the files. */
  readonly day: string;
}

/** The tables by name. */
export const tables: { readonly [name in TableName]: Table } = {
  usage: {
    columns: {
      meter: "text",
      start_ms: "integer",
      end_ms: "integer",
      amount: "amount",
      tenant: "text",
      namespace: "text",
      cluster: "text",
      dimensions: "text",
      source: "text",
      id: "text",
      corrects: "text",
      late: "integer",
      batch: "integer",
      imported_ms: "integer",
    },
    day: "start_ms",
  },
  samples: {
    columns: {
      meter: "text",
      start_ms: "integer",
      amount: "amount",
      series: "text",
      replica: "text",
      batch: "integer",
    },
    day: "start_ms",
  },
  journal: {
    columns: { journal: "text", cluster: "text", n: "integer", start_ms: "integer", line: "text", batch: "integer" },
    day: "start_ms",
  },
  bills: {
    columns: {
      unit: "text",
      start_ms: "integer",
      end_ms: "integer",
      cost: "amount",
      resource: "text",
      namespace: "text",
      sub_account: "text",
      currency: "text",
      row: "text",
      batch: "integer",
    },
    day: "start_ms",
  },
  // What is left of usage whose records were removed: one quantity per day of the tenant, with 9 fractional digits.
  sums: {
    columns: {
      meter: "text",
      start_ms: "integer",
      end_ms: "integer",
      quantity: "text",
      tenant: "text",
      batch: "integer",
    },
    day: "start_ms",
  },
  rows: {
    columns: {
      datasource: "text",
      start_ms: "integer",
      amount: "text",
      precision: "text",
      labels: "text",
      batch: "integer",
    },
    day: "start_ms",
  },
};

/** The name of a table. */
export type TableName = "usage" | "samples" | "journal" | "bills" | "sums" | "rows";

/** A row: the cells in the order of the columns. */
export type Row = readonly Value[];

/** The cells of a usage record. */
export function fromUsage(row: UsageRow, more: { late: boolean; batch: number; now: number }): Row {
  return [
    row.meter,
    row.start,
    row.end,
    row.amount,
    row.tenant,
    row.namespace,
    row.cluster,
    row.dimensions,
    row.source,
    row.id,
    row.corrects,
    more.late ? 1 : 0,
    more.batch,
    more.now,
  ];
}

/** A usage record from its cells. */
export function toUsage(row: Row): UsageRow {
  const text = (at: number): string => String(row[at]);
  return {
    meter: text(0),
    start: Number(row[1]),
    end: Number(row[2]),
    amount: BigInt(row[3] ?? 0),
    tenant: text(4),
    namespace: text(5),
    cluster: text(6),
    dimensions: text(7),
    source: text(8),
    id: text(9),
    corrects: text(10),
  };
}
