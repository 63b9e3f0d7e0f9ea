/** The options that all commands of metering have, and what they open. */
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import {
  type Book,
  type Store,
  type Zone,
  folderArchive,
  openFolderStore,
  openPostgresArchive,
  openPostgresStore,
  parseBook,
  parseTime,
  zoneOf,
} from "@capstan/metering";
import type { TextOption } from "../command/define.ts";
import { CliError } from "../errors.ts";
import type { Terminal } from "../terminal.ts";

/** `--store`, `--book` and `--now`. */
export const meterOptions = {
  store: {
    type: "text",
    value: "DIR|URL",
    describe: "where usage is kept: a folder or postgres:// (.capstan/meter; CAPSTAN_METER_STORE)",
  },
  book: { type: "text", value: "FILE", describe: "meters and prices (metering.yaml; CAPSTAN_METER_BOOK)" },
  now: { type: "text", value: "TIME", describe: "what counts as now" },
} as const satisfies { readonly [name: string]: TextOption };

/** Where the result goes. */
export const outOption = {
  type: "text",
  value: "FILE",
  describe: "write the result to a file",
} as const satisfies TextOption;

/** The values of the options. */
export interface MeterValues {
  readonly store: string | undefined;
  readonly book: string | undefined;
  readonly now: string | undefined;
}

/** A path as the user means it. */
export function placeIn(terminal: Terminal, path: string): string {
  return isAbsolute(path) ? path : join(terminal.cwd, path);
}

/** Prints the result, or writes it to the file of `--out`. */
export async function writeResult(terminal: Terminal, out: string | undefined, text: string): Promise<void> {
  if (out === undefined) terminal.out(text);
  else await writeFile(placeIn(terminal, out), text);
}

/** Where the store is: a folder, or the URL of a database. */
type StorePlace =
  | { readonly kind: "folder"; readonly path: string }
  | { readonly kind: "postgres"; readonly url: string };

function storePlace({ store }: Pick<MeterValues, "store">, terminal: Terminal): StorePlace {
  const asked = store ?? terminal.env["CAPSTAN_METER_STORE"] ?? "";
  const path = asked === "" ? ".capstan/meter" : asked;
  if (/^postgres(?:ql)?:/.test(path)) return { kind: "postgres", url: path };
  if (/^(?:clickhouse|s3):/.test(path))
    throw new CliError("BadInput", `--store ${path}: this version keeps usage in a folder or on PostgreSQL`);
  return { kind: "folder", path: placeIn(terminal, path) };
}

/** How a store is opened. */
export interface OpenOptions {
  /** Present for writers. */
  readonly lock?: { readonly wait?: () => Promise<void> };
}

/** Opens the store. */
export async function openStore(
  values: Pick<MeterValues, "store">,
  terminal: Terminal,
  { lock }: OpenOptions = {},
): Promise<Store> {
  const place = storePlace(values, terminal);
  const { pid } = process;
  return place.kind === "folder"
    ? openFolderStore(place.path, { ...(lock !== undefined && { lock: { pid, ...lock } }) })
    : openPostgresStore(place.url, { pid, temporary: tmpdir(), ...(lock !== undefined && { lock }) });
}

/** Opens the invoices and the audit of the store. */
export async function openArchive(
  values: Pick<MeterValues, "store">,
  terminal: Terminal,
): Promise<AsyncDisposable & Pick<Store, "archive">> {
  const place = storePlace(values, terminal);
  const { pid } = process;
  if (place.kind === "postgres") return openPostgresArchive(place.url, { pid });
  const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));
  return { archive: folderArchive(place.path, { pid, pause }), [Symbol.asyncDispose]: async () => {} };
}

/** Opens the store as its only writer. */
export function openWriter(values: Pick<MeterValues, "store">, terminal: Terminal, wait: boolean): Promise<Store> {
  const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 200));
  return openStore(values, terminal, { lock: wait ? { wait: pause } : {} });
}

/** The text of the book. */
export async function readBookText({ book }: Pick<MeterValues, "book">, terminal: Terminal): Promise<string> {
  const asked = book ?? terminal.env["CAPSTAN_METER_BOOK"] ?? "";
  const name = asked === "" ? "metering.yaml" : asked;
  try {
    return await readFile(placeIn(terminal, name), "utf8");
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT")
      throw new CliError("BadInput", `there is no book ${name}; write one, or give its path with --book`, { cause });
    throw cause;
  }
}

/** The book. */
export async function readBook(values: Pick<MeterValues, "book">, terminal: Terminal): Promise<Book> {
  return parseBook(await readBookText(values, terminal));
}

/** What counts as now. */
export function nowOf({ now }: Pick<MeterValues, "now">): number {
  return now === undefined ? Date.now() : timeOf("now", now, zoneOf("UTC"));
}

/** A time of the command line. */
export function timeOf(option: string, text: string, zone: Zone): number {
  const time = parseTime(text, zone);
  if (time === undefined)
    throw new CliError(
      "BadInput",
      `--${option} ${JSON.stringify(text)} is not a time; write 2026-03-01 or 2026-03-01T12:00:00Z`,
    );
  return time;
}

/** A whole number of the command line. */
export function countOf(option: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new CliError("Usage", `--${option} must be a whole number from 1, not ${JSON.stringify(text)}`);
  return Number(text);
}
