/** Reads files of usage records: NDJSON, CSV and Parquet by extension, gzip of the first two. */
import { createReadStream } from "node:fs";
import { access, readFile } from "node:fs/promises";
import { basename } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { createGunzip, gunzipSync } from "node:zlib";
import { MeterError } from "../error.ts";
import { type BillFile, billOfCsv, billOfRecords } from "../bill/import-focus.ts";
import type { Store } from "../store/store.ts";
import { parseCsv, recordsOfCsv } from "./csv.ts";
import type { Input } from "./import-usage.ts";

/** All records of a file with their places. */
export async function* readRecords(
  path: string,
  { name, store }: { name: string; store: Store },
): AsyncIterable<Input> {
  await needFile(path, name);
  const format = /\.(ndjson|jsonl|csv|parquet)(\.gz)?$/i.exec(path);
  if (format === null) throw unknownFormat(name);
  switch (format[1]?.toLowerCase()) {
    case "csv":
      yield* readCsv(path, name);
      return;
    case "parquet": {
      let row = 0;
      for await (const value of store.readParquet(path)) yield { where: `${name}:${++row}`, value: fromParquet(value) };
      return;
    }
    default:
      yield* readLines(path, name);
  }
}

/** Fails for a file that is not there. */
export async function needFile(path: string, name: string): Promise<void> {
  try {
    await access(path);
  } catch (cause) {
    throw new MeterError("BadInput", `there is no file ${name}`, { cause });
  }
}

function unknownFormat(name: string): MeterError {
  return new MeterError("BadInput", `${name}: the extension says the format; use .ndjson, .jsonl, .csv or .parquet`);
}

async function* readCsv(path: string, name: string): AsyncIterable<Input> {
  for (const { line, value } of recordsOfCsv(parseCsv(await readText(path)))) yield { where: `${name}:${line}`, value };
}

/** A bill as CSV or Parquet. */
export async function readBillFile(path: string, { name, store }: { name: string; store: Store }): Promise<BillFile> {
  await needFile(path, name);
  if (/\.parquet$/i.test(path)) return billOfRecords(name, await Array.fromAsync(store.readParquet(path)));
  if (!/\.csv(\.gz)?$/i.test(path))
    throw new MeterError("BadInput", `${name}: bills are read as CSV (.csv, .csv.gz) or Parquet (.parquet)`);
  return billOfCsv(name, await readText(path));
}

/** The text of a file, unpacked where its name ends in `.gz`. */
export async function readText(path: string): Promise<string> {
  const bytes = await readFile(path);
  try {
    return (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  } catch (cause) {
    throw unpackError(cause, basename(path));
  }
}

async function* readLines(path: string, name: string): AsyncIterable<Input> {
  const file = createReadStream(path);
  const input = path.endsWith(".gz") ? file.pipe(createGunzip()) : file;
  if (input !== file) file.on("error", (error) => input.destroy(error));
  let line = 0;
  try {
    for await (const texts of linesOf(input)) {
      for (const text of texts) {
        line += 1;
        const body = line === 1 && text.startsWith("\uFEFF") ? text.slice(1) : text;
        if (body.trim() !== "") yield parseLine(body, `${name}:${line}`);
      }
    }
  } catch (cause) {
    throw unpackError(cause, name);
  }
}

/** Lines end with LF only: JSON may hold the other separators of Unicode as they are. */
async function* linesOf(input: AsyncIterable<Buffer>): AsyncIterable<readonly string[]> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  for await (const chunk of input) {
    const lines = (rest + decoder.write(chunk)).split("\n");
    rest = lines.pop() ?? "";
    yield lines;
  }
  rest += decoder.end();
  if (rest !== "") yield [rest];
}

/** What breaks while a packed file is read is a fault of the file. */
function unpackError(cause: unknown, name: string): unknown {
  const isPacking = cause instanceof Error && "code" in cause && String(cause.code).startsWith("Z_");
  return isPacking ? new MeterError("BadInput", `${name} cannot be unpacked: ${cause.message}`, { cause }) : cause;
}

/** The lines of a journal; a torn last line, one without its newline, is left for later. */
export async function* readJournal(path: string, name: string): AsyncIterable<Input> {
  await needFile(path, name);
  const text = await readText(path);
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  let line = 0;
  for (const body of whole.split("\n")) {
    line += 1;
    if (body.trim() !== "") yield parseLine(body, `${name}:${line}`);
  }
}

/** A line of JSON as an input. */
export function parseLine(text: string, where: string): Input {
  try {
    return { where, value: parseExactJson(text) };
  } catch (error) {
    return { where, unreadable: `not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** JSON where numbers with more digits than a float has stay text. */
export function parseExactJson(text: string): unknown {
  if (!/\d[\d.]{14}|\d[eE]/.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_key, value: unknown, context?: { readonly source?: string }) =>
    typeof value === "number" && context?.source !== undefined && String(value) !== context.source
      ? context.source
      : value,
  );
}

/** A row of Parquet: dimensions are a struct, a map, JSON text, or columns `dim.NAME`; times may have no zone. */
function fromParquet(row: { readonly [name: string]: unknown }): unknown {
  const record: { [name: string]: unknown } = {};
  const dimensions: { [name: string]: unknown } = {};
  for (const [name, value] of Object.entries(row)) {
    if (value === null) continue;
    if (name.startsWith("dim.")) dimensions[name.slice(4)] = value;
    else if (name === "dimensions") Object.assign(dimensions, typeof value === "string" ? JSON.parse(value) : value);
    else if (["at", "start", "end"].includes(name) && typeof value === "string") record[name] = toRfc3339(value);
    else record[name] = value;
  }
  return { ...record, dimensions };
}

function toRfc3339(text: string): string {
  const found = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2}(?:\.\d+)?)(Z|[+-]\d{2}(?::?\d{2})?)?$/.exec(text);
  if (found === null) return text;
  const [, date = "", time = "", offset = "Z"] = found;
  return `${date}T${time}${/^[+-]\d{2}$/.test(offset) ? `${offset}:00` : offset}`;
}
