/** A report as a relation: the columns of CSV with types, for Parquet. */
import type { JsonReport } from "../engine/run-report.ts";
import { parseNano } from "../number/decimal.ts";
import type { Relation } from "../store/store.ts";

/** The rows of a report with typed columns. */
export function reportRelation(
  { by, rows, currency }: JsonReport,
  { withCost }: { readonly withCost: boolean },
): Relation {
  const isRatio = rows.some(({ ratio }) => ratio !== undefined);
  const dimensions = Object.fromEntries(by.map((name) => [name, "text" as const]));
  const last: Relation["columns"] = isRatio
    ? { ratio: "money" }
    : { quantity: "quantity", unit: "text", ...(withCost && { cost: "money", currency: "text" }) };
  return {
    name: "report",
    columns: {
      bucket: "text",
      start: "instant",
      end: "instant",
      meter: "text",
      charge: "text",
      ...dimensions,
      ...last,
    },
    rows: rows.map((row) => [
      row.bucket,
      Date.parse(row.start),
      Date.parse(row.end),
      row.meter,
      row.charge,
      ...by.map((name) => row.dimensions[name] ?? ""),
      ...(isRatio
        ? [money(row.ratio)]
        : [parseNano(row.quantity ?? "0"), row.unit ?? "", ...(withCost ? [money(row.cost), currency] : [])]),
    ]),
  };
}

function money(text: string | null | undefined): bigint | null {
  return text === null || text === undefined ? null : parseNano(text) / 1000n;
}
