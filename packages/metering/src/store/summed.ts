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

const owner = ["meter", "tenant", "namespace", "cluster", "dimensions"];

/** A list of texts for `IN`; never empty. */
function list(names: readonly string[]): string {
  return names.length === 0 ? "('')" : `(${names.map(literal).join(",")})`;
}

/** Sums of a stretch. */
export function sumSql(
  source: string,
  { levels, events, counts }: SummedFilter,
  [start, end]: readonly [number, number],
): string {
  const millionths = "CAST(amount * 1000000 AS HUGEINT)";
  const quantity = `CASE WHEN meter IN ${list(levels)} THEN ${millionths} * CAST(end_ms - start_ms AS HUGEINT) WHEN meter IN ${list(counts)} THEN CAST(1000000000 AS HUGEINT) ELSE ${millionths} * CAST(1000 AS HUGEINT) END`;
  const meters = list([...levels, ...events, ...counts]);
  return `SELECT ${owner.join(",")}, CAST(sum(${quantity}) AS VARCHAR) AS quantity FROM ${source} WHERE start_ms >= ${start} AND end_ms <= ${end} AND meter IN ${meters} GROUP BY ALL`;
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
