/** Reads CSV by RFC 4180: quotes, commas, CR, LF and any Unicode inside of cells. */
import { MeterError } from "../error.ts";

/** A row of cells with the line that it begins on. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** All rows of a CSV text; a byte order mark is skipped. */
export function parseCsv(text: string): CsvRow[] {
  const rows: CsvRow[] = [];
  let at = text.startsWith("\uFEFF") ? 1 : 0;
  let line = 1;
  while (at < text.length) {
    const begin = line;
    const cells: string[] = [];
    for (;;) {
      const cell = text[at] === '"' ? quoted(text, at, begin) : plain(text, at);
      line += cell.lines;
      cells.push(cell.value);
      at = cell.next;
      if (text[at] !== ",") break;
      at += 1;
    }
    if (text[at] === "\r") at += 1;
    if (text[at] === "\n") at += 1;
    line += 1;
    if (cells.length > 1 || cells[0] !== "") rows.push({ line: begin, cells });
  }
  return rows;
}

interface Cell {
  readonly value: string;
  readonly next: number;
  readonly lines: number;
}

function plain(text: string, at: number): Cell {
  let end = at;
  while (end < text.length && text[end] !== "," && text[end] !== "\n" && text[end] !== "\r") end += 1;
  return { value: text.slice(at, end), next: end, lines: 0 };
}

function quoted(text: string, at: number, line: number): Cell {
  let value = "";
  for (let from = at + 1; ;) {
    const quote = text.indexOf('"', from);
    if (quote < 0)
      throw new MeterError("BadInput", `line ${line}: a cell that begins with a quote has no closing quote`);
    value += text.slice(from, quote);
    if (text[quote + 1] !== '"') return { value, next: quote + 1, lines: value.split("\n").length - 1 };
    value += '"';
    from = quote + 2;
  }
}

/** CSV rows as records: `dim.NAME` columns become dimensions, empty cells are absent. */
export function recordsOfCsv(rows: readonly CsvRow[]): { readonly line: number; readonly value: unknown }[] {
  const [header, ...body] = rows;
  const names = header?.cells ?? [];
  return body.map(({ line, cells }) => {
    const record: { [name: string]: unknown } = {};
    const dimensions: { [name: string]: string } = {};
    for (const [at, name] of names.entries()) {
      const cell = cells[at] ?? "";
      if (name.startsWith("dim.")) dimensions[name.slice(4)] = cell;
      else if (cell !== "") record[name] = cell;
    }
    return { line, value: { ...record, ...(Object.keys(dimensions).length > 0 && { dimensions }) } };
  });
}
