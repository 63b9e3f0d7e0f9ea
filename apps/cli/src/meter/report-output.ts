/** Prints reports: a table, JSON, or CSV by RFC 4180. */
import {
  type FocusContext,
  type FocusVersion,
  type JsonReport,
  type JsonRow,
  focusColumns,
  focusRows,
} from "@capstan/metering";
import type { Table } from "../output/print.ts";

/** A report as a table. */
export function reportTable(report: JsonReport, withCost: boolean): Table {
  const { by, rows } = report;
  const isRatio = rows.some(({ ratio }) => ratio !== undefined);
  const last = isRatio ? ["RATIO"] : ["QUANTITY", "UNIT", ...(withCost ? [`COST ${report.currency}`] : [])];
  return {
    titles: ["BUCKET", "METER", "CHARGE", ...by.map((name) => name.toUpperCase()), ...last],
    rows: rows.map((row) => [
      row.bucket,
      row.meter,
      row.charge,
      ...by.map((name) => row.dimensions[name] ?? ""),
      ...(isRatio ? [row.ratio ?? "-"] : [row.quantity ?? "", row.unit ?? "", ...(withCost ? [row.cost ?? "-"] : [])]),
    ]),
  };
}

/** What a table says below its rows. */
export function reportFooter(report: JsonReport): string {
  const { cost, unpriced = [] } = report.total;
  const incomplete = report.coverage.filter(({ complete }) => !complete).map(({ meter }) => meter);
  return [
    ...(cost === undefined ? [] : [`total ${cost} ${report.currency}\n`]),
    ...(unpriced.length === 0 ? [] : [`without a price: ${unpriced.join(", ")}\n`]),
    ...(incomplete.length === 0
      ? []
      : [`not completely observed: ${incomplete.join(", ")} (see coverage in -o json)\n`]),
  ].join("");
}

/** How CSV is written. */
export interface CsvOptions {
  readonly withCost: boolean;
  readonly spreadsheetSafe: boolean;
}

/** A report as CSV. */
export function reportCsv(report: JsonReport, { withCost, spreadsheetSafe }: CsvOptions): string {
  const { by, currency, rows } = report;
  const isRatio = rows.some(({ ratio }) => ratio !== undefined);
  const last = isRatio ? ["ratio"] : ["quantity", "unit", ...(withCost ? ["cost", "currency"] : [])];
  const cells = (row: JsonRow): string[] => [
    row.bucket,
    row.start,
    row.end,
    row.meter,
    row.charge,
    ...by.map((name) => row.dimensions[name] ?? ""),
    ...(isRatio
      ? [row.ratio ?? ""]
      : [row.quantity ?? "", row.unit ?? "", ...(withCost ? [row.cost ?? "", currency] : [])]),
  ];
  return formatCsv(
    [["bucket", "start", "end", "meter", "charge", ...by, ...last], ...rows.map(cells)],
    spreadsheetSafe,
  );
}

/** How charges of FOCUS are written. */
export interface FocusOptions extends FocusContext {
  readonly version: FocusVersion;
  readonly spreadsheetSafe?: boolean;
}

/** A report as cost and usage data of FOCUS. */
export function focusCsv(report: JsonReport, { version, spreadsheetSafe, ...context }: FocusOptions): string {
  const columns = focusColumns(version);
  const rows = focusRows(report, context).map((row) => columns.map((column) => row[column] ?? ""));
  return formatCsv([columns, ...rows], spreadsheetSafe);
}

/** Rows as CSV. */
export function formatCsv(rows: readonly (readonly string[])[], spreadsheetSafe = false): string {
  const cell = (text: string): string => {
    const safe = spreadsheetSafe && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return rows.map((row) => `${row.map(cell).join(",")}\n`).join("");
}
