/** Prints classic results as the HTTP API of metering-operator did: JSON, CSV, and tab-separated with aligned columns. */
import { divideHalfEven, formatFixed } from "../number/decimal.ts";
import type { ClassicCell, ClassicResultRow } from "./classic-engine.ts";
import type { ClassicResult } from "./run-classic.ts";

/** The formats. */
export type ClassicFormat = "json" | "csv" | "tab";

/** A result without hidden columns. */
export function formatClassic(
  { columns, rows }: Pick<ClassicResult, "columns" | "rows">,
  format: ClassicFormat,
  padding = 2,
): string {
  const names = columns.filter(({ tableHidden }) => !tableHidden).map(({ name }) => name);
  switch (format) {
    case "json":
      return `${JSON.stringify(rows.map((row) => jsonRow(row, names)))}\n`;
    case "csv":
      return lines(rows, names, ",").join("");
    case "tab":
      return aligned(lines(rows, names, "\t"), padding);
  }
}

/** All cells of a result, each with its unit, and whether tables hide it. */
export function formatClassicCells(
  { columns, rows }: Pick<ClassicResult, "columns" | "rows">,
  withHidden: boolean,
): { readonly results: readonly { readonly values: readonly object[] }[] } {
  const shown = columns.filter(({ tableHidden }) => withHidden || !tableHidden);
  const results = rows.map((row) => ({
    values: shown.map(({ name, unit, tableHidden }) => ({
      name,
      value: jsonCell(row[name] ?? null),
      tableHidden,
      ...(unit !== "" && { unit }),
    })),
  }));
  return { results };
}

function jsonRow(row: ClassicResultRow, names: readonly string[]): object {
  return Object.fromEntries([...names].sort().map((name) => [name, jsonCell(row[name] ?? null)]));
}

/** A value as JSON has it. */
export function jsonCell(cell: ClassicCell): unknown {
  if (cell instanceof Date) return goJsonTime(cell);
  if (typeof cell === "bigint") return Number(cell);
  return cell;
}

function goJsonTime(time: Date): string {
  const [date = "", clock = ""] = time.toISOString().split("T");
  return `${date}T${shortClock(clock)}Z`;
}

/** `16:00:00.500Z` without trailing zeros: `16:00:00.5`; a whole second has no point. */
function shortClock(clock: string): string {
  const seconds = clock.slice(0, 8);
  const millis = clock.slice(9, 12);
  if (millis === "000") return seconds;
  const kept = millis.endsWith("00") ? 1 : millis.endsWith("0") ? 2 : 3;
  return `${seconds}.${millis.slice(0, kept)}`;
}

/** The header is there only if there are rows. */
function lines(rows: readonly ClassicResultRow[], names: readonly string[], delimiter: string): readonly string[] {
  const all = rows.length === 0 ? [] : [names, ...rows.map((row) => names.map((name) => textCell(row[name] ?? null)))];
  return all.map((cells) => `${cells.map((cell) => quotedCell(cell, delimiter)).join(delimiter)}\n`);
}

function textCell(cell: ClassicCell): string {
  if (cell === null) return "";
  if (cell instanceof Date) {
    const [date = "", clock = ""] = cell.toISOString().split("T");
    return `${date} ${shortClock(clock)} +0000 UTC`;
  }
  if (typeof cell === "number") return formatDouble(cell);
  return typeof cell === "object" ? JSON.stringify(cell) : String(cell);
}

/** A double with 6 digits, rounded half-even from its exact value, as C and Go print it. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const word = bits.getBigUint64(0);
  const exponent = Number((word >> 52n) & 0x7ffn);
  const fraction = word & 0xf_ffff_ffff_ffffn;
  const mantissa = exponent === 0 ? fraction : fraction | (1n << 52n);
  const power = (exponent === 0 ? 1 : exponent) - 1075;
  const scaled = mantissa * 1_000_000n;
  const rounded = power >= 0 ? scaled << BigInt(power) : divideHalfEven(scaled, 1n << BigInt(-power));
  return `${word >> 63n === 1n ? "-" : ""}${formatFixed(rounded, 6)}`;
}

function quotedCell(cell: string, delimiter: string): string {
  const needs = cell.includes(delimiter) || /["\r\n]|^[ \t]|^\\\.$/.test(cell);
  return needs ? `"${cell.replaceAll('"', '""')}"` : cell;
}

const tabWidth = 8;

/** Fills cells with tabs up to the next stop behind the widest cell of the column; the last column is not filled. */
function aligned(rows: readonly string[], padding: number): string {
  const cells = rows.map((row) => row.slice(0, -1).split("\t"));
  const widths = cells.reduce<number[]>((found, row) => {
    row.slice(0, -1).forEach((cell, at) => (found[at] = Math.max(found[at] ?? 0, Array.from(cell).length + padding)));
    return found;
  }, []);
  const fill = (cell: string, width: number): string => {
    const whole = Math.ceil(width / tabWidth) * tabWidth;
    return cell + "\t".repeat(Math.ceil((whole - Array.from(cell).length) / tabWidth));
  };
  return cells
    .map((row) => `${row.map((cell, at) => (at === row.length - 1 ? cell : fill(cell, widths[at] ?? 0))).join("")}\n`)
    .join("");
}
