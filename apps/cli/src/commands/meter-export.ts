/** `capstan meter export`: writes usage, charges or invoices to files for other programs and other stores. */
import { mkdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  type Book,
  type JsonReport,
  type Store,
  exportUsage,
  focusVersions,
  readInvoices,
  reportRelation,
  runReport,
  tableOfRecords,
  textRelation,
  zoneOf,
} from "@capstan/metering";
import { defineCommand, type Command } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { meterOptions, nowOf, openStore, placeIn, readBook, timeOf } from "../meter/options.ts";
import { importOutput } from "../meter/print-import.ts";
import { focusCsv, formatCsv, reportCsv } from "../meter/report-output.ts";
import { csvRows, csvTitles } from "./meter-invoice.ts";

/** Exports. */
export const meterExport: Command = defineCommand({
  describe:
    "usage: records that another store imports with the same identities; journals become levels, counters one record an hour. charges: a report by tenant, namespace, cluster and day. invoices: closed ones. --out is a file, or a folder that gets a file named after --what.",
  options: {
    ...meterOptions,
    what: {
      type: "text",
      choices: ["usage", "charges", "invoices"],
      default: "usage",
      describe: "usage, charges or invoices",
    },
    format: {
      type: "text",
      choices: ["csv", "ndjson", "parquet", "focus"],
      default: "ndjson",
      describe: "csv, ndjson, parquet or focus",
    },
    out: { type: "text", value: "PATH", describe: "the file or folder to write" },
    from: { type: "text", value: "TIME", describe: "the first instant (the first usage)" },
    to: { type: "text", value: "TIME", describe: "the first instant that is not exported (now)" },
    tenant: { type: "text", value: "T", describe: "only this tenant" },
    output: importOutput,
    "focus-version": {
      type: "text",
      choices: focusVersions,
      default: "1.2",
      describe: "the version of --format focus",
    },
  },
  examples: [
    { line: "capstan meter export --what usage --out usage.ndjson", does: "All records, for another store" },
    {
      line: "capstan meter export --what charges --format focus --from 2026-03-01 --to 2026-04-01 --out march.csv",
      does: "March for a cost tool",
    },
  ],
  run: async ({ options, terminal }) => {
    const { what, format } = options;
    if (options.out === undefined) throw new CliError("Usage", "capstan meter export needs --out: the file to write");
    if (format === "focus" && what !== "charges")
      throw new CliError("Usage", `FOCUS holds charges, not ${what}: use --what charges`);
    const book = await readBook(options, terminal);
    const path = await fileOf(placeIn(terminal, options.out), { what, format });
    await using store = await openStore(options, terminal);
    const asked = windowOf(options, book);
    const window = { from: asked.from ?? firstUsage(store), to: asked.to ?? nowOf(options) };
    const version = options["focus-version"] === "1.3" ? "1.3" : "1.2";
    const writing: Writing = {
      store,
      book,
      window,
      tenant: options.tenant,
      format,
      path,
      version,
      isBounded: asked.from !== undefined || asked.to !== undefined,
    };
    const count = await write(what, writing);
    terminal.err(`${path}: ${count} rows\n`);
    if (options.output === "json") terminal.out(`${JSON.stringify({ what, file: path, rows: count })}\n`);
  },
});

interface Bounds {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly tenant: string | undefined;
}

function windowOf({ from, to, tenant }: Bounds, book: Book): { readonly from?: number; readonly to?: number } {
  const zone = zoneOf((tenant === undefined ? undefined : book.tenantZones.get(tenant)) ?? book.timeZone);
  const window = {
    ...(from !== undefined && { from: timeOf("from", from, zone) }),
    ...(to !== undefined && { to: timeOf("to", to, zone) }),
  };
  if (window.from !== undefined && window.to !== undefined && window.to <= window.from)
    throw new CliError("BadInput", `--to ${to ?? ""} is not after --from ${from ?? ""}`);
  return window;
}

interface Writing {
  readonly store: Store;
  readonly book: Book;
  readonly window: { readonly from: number; readonly to: number };
  readonly isBounded: boolean;
  readonly tenant: string | undefined;
  readonly format: string;
  readonly path: string;
  readonly version: (typeof focusVersions)[number];
}

async function fileOf(path: string, { what, format }: { what: string; format: string }): Promise<string> {
  const isFolder = path.endsWith("/") || (await stat(path).catch(() => undefined))?.isDirectory() === true;
  const file = isFolder ? join(path, `${what}.${format === "focus" ? "csv" : format}`) : path;
  await mkdir(dirname(file), { recursive: true });
  return file;
}

function firstUsage(store: Store): number {
  let first = Number.POSITIVE_INFINITY;
  for (const table of ["usage", "samples", "journal", "bills", "sums"] as const) {
    const at = store.firstOf(table);
    if (at !== undefined && at < first) first = at;
  }
  return Number.isFinite(first) ? first : 0;
}

function write(what: string, writing: Writing): Promise<number> {
  switch (what) {
    case "charges":
      return writeCharges(writing);
    case "invoices":
      return writeInvoices(writing);
    default:
      return writeUsage(writing);
  }
}

async function writeUsage({ store, book, window, tenant, format, path }: Writing): Promise<number> {
  const records = await exportUsage(store, book, { window, tenant });
  await writeRows({ store, format, path }, { objects: records, table: tableOfRecords(records) });
  return records.length;
}

async function writeInvoices({ store, window, isBounded, tenant, format, path }: Writing): Promise<number> {
  const isAsked = (start: number): boolean => !isBounded || (start >= window.from && start < window.to);
  const invoices = (await readInvoices(store)).filter(
    (invoice) => isAsked(Date.parse(invoice.start)) && (tenant === undefined || invoice.tenant === tenant),
  );
  await writeRows({ store, format, path }, { objects: invoices, table: [csvTitles, ...invoices.flatMap(csvRows)] });
  return invoices.length;
}

interface Rows {
  readonly objects: readonly object[];
  readonly table: readonly (readonly string[])[];
}

async function writeRows(
  { store, format, path }: Pick<Writing, "store" | "format" | "path">,
  { objects, table }: Rows,
): Promise<void> {
  if (format === "parquet") await store.writeParquet(path, textRelation(table));
  else if (format === "csv") await writeFile(path, formatCsv(table));
  else await writeFile(path, objects.map((object) => `${JSON.stringify(object)}\n`).join(""));
}

async function writeCharges({ store, book, window, tenant, format, path, version }: Writing): Promise<number> {
  const { json } = await runReport(store, book, {
    window,
    bucket: "day",
    by: ["tenant", "namespace", "cluster"],
    meters: [],
    ...(tenant !== undefined && { tenant }),
    where: new Map(),
    idle: "show",
    shared: "show",
    withCost: true,
  });
  await writeReport(json, { store, book, tenant, format, path, version });
  return json.rows.length;
}

async function writeReport(
  report: JsonReport,
  { store, book, tenant, format, path, version }: Omit<Writing, "window" | "isBounded">,
): Promise<void> {
  if (format === "parquet") return store.writeParquet(path, reportRelation(report, { withCost: true }));
  if (format === "focus") return writeFile(path, focusCsv(report, { book, tenant, version }));
  if (format === "csv") return writeFile(path, reportCsv(report, { withCost: true, spreadsheetSafe: false }));
  return writeFile(
    path,
    report.rows.map((row) => `${JSON.stringify({ ...row, currency: report.currency })}\n`).join(""),
  );
}
