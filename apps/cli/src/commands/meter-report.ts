/** `capstan meter report`: what was used in a window, and what it costs. */
import { writeFile } from "node:fs/promises";
import {
  type Book,
  type JsonReport,
  type ReportRequest,
  bucketKinds,
  focusVersions,
  parsePeriod,
  reportRelation,
  runReport,
  zoneOf,
  panelsOf,
  sparklines,
  toSvg,
} from "@capstan/metering";
import { defineCommand, type Command } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { meterOptions, openStore, outOption, placeIn, readBook, timeOf, writeResult } from "../meter/options.ts";
import { focusCsv, reportCsv, reportFooter, reportTable } from "../meter/report-output.ts";
import { formatTable } from "../output/print.ts";
import type { Terminal } from "../terminal.ts";

/** Prints a report. */
export const meterReport: Command = defineCommand({
  describe:
    "Quantities are exact; money is rounded once per rating line, and rows are shares that add up. Stretches that nothing observed are listed under coverage.",
  options: {
    ...meterOptions,
    output: {
      type: "text",
      short: "o",
      value: "FORMAT",
      choices: ["table", "json", "csv", "parquet", "focus"],
      default: "table",
      describe: "how to print: table, json, csv, parquet or focus",
    },
    out: outOption,
    from: { type: "text", value: "TIME", describe: "the first instant" },
    to: { type: "text", value: "TIME", describe: "the first instant that is not in the report" },
    period: { type: "text", value: "PERIOD", describe: "instead of --from and --to: 2026-03, 2026-W10 or 2026-03-07" },
    meter: { type: "list", value: "NAME", describe: "only this meter; may be repeated" },
    by: { type: "list", value: "DIM,...", describe: "dimensions of the rows" },
    bucket: {
      type: "text",
      value: "LENGTH",
      choices: bucketKinds,
      default: "total",
      describe: "hour, day, week, month or total",
    },
    "time-zone": { type: "text", value: "ZONE", describe: "zone of days and buckets (the tenant's, else the book's)" },
    tenant: { type: "text", value: "T", describe: "only this tenant" },
    where: { type: "list", commas: "kept", value: "DIM=VALUE", describe: "only rows with this value; may be repeated" },
    idle: {
      type: "text",
      choices: ["show", "hide", "share"],
      default: "show",
      describe: "idle cost of nodes: show, hide or share",
    },
    shared: { type: "text", choices: ["show", "split"], default: "show", describe: "shared cost: show or split" },
    ratio: { type: "text", value: "A/B", describe: "the sum of one meter divided by that of another" },
    "require-complete": { type: "flag", describe: "exit code 1 if a meter is not completely observed" },
    cost: { type: "yes-no", describe: "--no-cost leaves out cost" },
    "as-billed": { type: "flag", describe: "the lines of closed invoices, not what is known today" },
    "focus-version": {
      type: "text",
      choices: focusVersions,
      default: "1.2",
      describe: "the version of -o focus",
    },
    plot: { type: "text", value: "FILE", describe: "draw sparklines, and write the picture to FILE (.svg)" },
    "spreadsheet-safe": { type: "flag", describe: "a quote before CSV cells that a spreadsheet would run" },
  },
  examples: [
    { line: "capstan meter report --period 2026-03 --by tenant", does: "What each tenant used in March" },
    {
      line: "capstan meter report --period 2026-03 --by tenant --bucket day --plot march.svg",
      does: "The same as a picture",
    },
    {
      line: "capstan meter report --from 2026-03-01 --to 2026-03-08 --by namespace --bucket day -o csv",
      does: "A week by namespace and day, for a spreadsheet",
    },
  ],
  run: async ({ options, terminal }) => {
    const { out, output } = options;
    if (output === "parquet" && out === undefined)
      throw new CliError("Usage", "-o parquet needs --out: the file to write");
    if (output === "focus" && (options.cost === false || options.ratio !== undefined))
      throw new CliError("Usage", "-o focus prints costs: leave out --no-cost and --ratio");
    const book = await readBook(options, terminal);
    const request = toRequest(options, book);
    await using store = await openStore(options, terminal);
    const { json: report } = await runReport(store, book, request);
    const { withCost } = request;
    if (options.plot !== undefined) await drawPlot(report, options.plot, terminal);
    else if (output === "parquet" && out !== undefined)
      await store.writeParquet(placeIn(terminal, out), reportRelation(report, { withCost }));
    else {
      const text = format(report, { options, terminal, withCost, book });
      await writeResult(terminal, out, text);
    }
    const isIncomplete = report.coverage.some(({ complete }) => !complete);
    return options["require-complete"] && isIncomplete ? 1 : 0;
  },
});

/** A picture for a document, and sparklines for the terminal. */
async function drawPlot(report: JsonReport, file: string, terminal: Terminal): Promise<void> {
  if (!file.endsWith(".svg"))
    throw new CliError("Usage", `--plot ${JSON.stringify(file)} must be a file such as usage.svg`);
  const panels = panelsOf(report);
  await writeFile(placeIn(terminal, file), toSvg(panels));
  terminal.out(sparklines(panels, terminal.columns));
  terminal.err(`wrote ${file}\n`);
}

/** The options that choose what is reported. */
export interface Values {
  readonly output: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly period: string | undefined;
  readonly meter: readonly string[];
  readonly by: readonly string[];
  readonly bucket: string;
  readonly "time-zone": string | undefined;
  readonly tenant: string | undefined;
  readonly where: readonly string[];
  readonly idle: string;
  readonly shared: string;
  readonly ratio: string | undefined;
  readonly cost: boolean | undefined;
  readonly "spreadsheet-safe": boolean;
  readonly "as-billed"?: boolean;
  readonly "focus-version"?: string;
}

/** What the values of the options ask for. */
export function toRequest(values: Values, book: Book): ReportRequest {
  const { tenant, ratio, "time-zone": timeZone } = values;
  const zone = zoneOf(timeZone ?? (tenant === undefined ? undefined : book.tenantZones.get(tenant)) ?? book.timeZone);
  return {
    window: windowOf(values, zone),
    bucket: bucketKinds.find((kind) => kind === values.bucket) ?? "total",
    by: values.by,
    meters: values.meter,
    ...(timeZone !== undefined && { timeZone }),
    ...(tenant !== undefined && { tenant }),
    where: whereOf(values.where),
    idle: values.idle === "hide" || values.idle === "share" ? values.idle : "show",
    shared: values.shared === "split" ? "split" : "show",
    ...(ratio !== undefined && { ratio: ratioOf(ratio) }),
    withCost: values.cost !== false,
    ...(values["as-billed"] === true && { asBilled: true }),
  };
}

function windowOf({ from, to, period }: Values, zone: ReturnType<typeof zoneOf>): ReportRequest["window"] {
  if (period !== undefined) {
    if (from !== undefined || to !== undefined)
      throw new CliError("Usage", "give --period, or --from and --to, not both");
    return parsePeriod(period, zone);
  }
  if (from === undefined || to === undefined)
    throw new CliError("Usage", "a report needs --from and --to, or --period 2026-03");
  const window = { from: timeOf("from", from, zone), to: timeOf("to", to, zone) };
  if (window.to <= window.from) throw new CliError("BadInput", `--to ${to} is not after --from ${from}`);
  return window;
}

function whereOf(words: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const where = new Map<string, string[]>();
  for (const word of words) {
    const at = word.indexOf("=");
    if (at <= 0) throw new CliError("Usage", `--where ${JSON.stringify(word)} must be DIM=VALUE`);
    where.set(word.slice(0, at), [...(where.get(word.slice(0, at)) ?? []), word.slice(at + 1)]);
  }
  return where;
}

function ratioOf(text: string): readonly [string, string] {
  const [over = "", under = "", more] = text.split("/");
  if (over === "" || under === "" || more !== undefined)
    throw new CliError("Usage", `--ratio ${JSON.stringify(text)} must be A/B: two meters`);
  return [over, under];
}

interface Formatting {
  readonly options: Values;
  readonly terminal: Terminal;
  readonly withCost: boolean;
  readonly book: Book;
}

function format(report: JsonReport, { options, terminal, withCost, book }: Formatting): string {
  switch (options.output) {
    case "json":
      return `${JSON.stringify(report, undefined, 2)}\n`;
    case "csv":
      return reportCsv(report, { withCost, spreadsheetSafe: options["spreadsheet-safe"] });
    case "focus":
      return focusCsv(report, {
        book,
        tenant: options.tenant,
        isBilled: options["as-billed"] === true,
        version: options["focus-version"] === "1.3" ? "1.3" : "1.2",
        spreadsheetSafe: options["spreadsheet-safe"],
      });
    default:
      return `${formatTable(reportTable(report, withCost), terminal)}${reportFooter(report)}`;
  }
}
