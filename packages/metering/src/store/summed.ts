/** SQL that adds up usage between cuts: what lies between two cuts becomes one row, what crosses a cut stays a row of its own. */
import { literal } from "./engine.ts";
import type { DataFile } from "./manifest.ts";

/** What is added up. */
export interface SummedFilter {
  /** Sorted instants; nothing before the first and after the last is read. */
  readonly cuts: readonly number[];
  /** Meters whose quantity is level by time. */
  readonly levels: readonly string[];
  /** Meters whose quantity is the sum of amounts. */
  readonly events: readonly string[];
  /** Meters whose quantity is the number of records. */
  readonly counts: readonly string[];
  /** Without them rows are added up whatever their dimensions are, and have none. */
  readonly withDimensions: boolean;
}

/** Usage of one owner and one set of dimensions between two cuts. */
export interface SummedRow {
  readonly meter: string;
  readonly start: number;
  readonly end: number;
  /** 9 fractional digits. */
  readonly quantity: bigint;
  readonly tenant: string;
  readonly namespace: string;
  readonly cluster: string;
  readonly dimensions: string;
}

/** More stretches than this are not worth a query each. */
export const mostStretches = 400;

const owner = ["meter", "tenant", "namespace", "cluster"];

/** A list of texts for `IN`; never empty. */
function list(names: readonly string[]): string {
  return names.length === 0 ? "('')" : `(${names.map(literal).join(",")})`;
}

/** How amounts are multiplied: in 18 digits, ten times faster, which fails for larger amounts; or in 38, for all. */
export type Precision = "fast" | "full";

/** Sums of a stretch, in billionths. */
export function sumSql(
  source: string,
  { levels, events, counts, withDimensions }: SummedFilter,
  { stretch: [start, end], precision }: { readonly stretch: readonly [number, number]; readonly precision: Precision },
): string {
  const amount = counts.length === 0 ? "amount" : `CASE WHEN meter IN ${list(counts)} THEN 1 ELSE amount END`;
  const factor = `CASE WHEN meter IN ${list(levels)} THEN end_ms - start_ms ELSE 1000 END`;
  const product =
    precision === "fast"
      ? `CAST(${amount} AS DECIMAL(18,6)) * CAST(${factor} AS DECIMAL(18,0))`
      : `CAST(CAST(${amount} AS DECIMAL(38,6)) * 1000000 AS HUGEINT) * CAST(${factor} AS HUGEINT)`;
  const columns = [...owner, withDimensions ? "dimensions" : "'{}' AS dimensions"];
  const meters = list([...levels, ...events, ...counts]);
  return `SELECT ${columns.join(",")}, replace(CAST(sum(${product}) AS VARCHAR), '.', '') AS quantity FROM ${source} WHERE start_ms >= ${start} AND end_ms <= ${end} AND meter IN ${meters} GROUP BY ALL`;
}

/** The condition of the rows that the sums leave out: other meters, and rows that cross a cut. */
export function restCondition(
  { levels, events, counts }: SummedFilter,
  [start, end]: readonly [number, number],
): string {
  const meters = list([...levels, ...events, ...counts]);
  return `start_ms >= ${start} AND start_ms < ${end} AND (end_ms > ${end} OR meter NOT IN ${meters})`;
}

/** The files with rows that start in a stretch. */
export function filesOf(files: readonly DataFile[], [start, end]: readonly [number, number]): readonly DataFile[] {
  return files.filter(({ from, to }) => from < end && to >= start);
}
