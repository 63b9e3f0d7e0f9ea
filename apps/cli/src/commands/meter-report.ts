/** `capstan meter report`: what was used in a window, and what it costs. */
import { writeFile } from "node:fs/promises";
import { type Book, type ReportRequest, bucketKinds, parsePeriod, runReport, zoneOf } from "@capstan/metering";
import { defineCommand, type Command } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { meterOptions, openStore, outOption, placeIn, readBook, timeOf } from "../meter/options.ts";
import { reportCsv, reportFooter, reportTable } from "../meter/report-output.ts";
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
      choices: ["table", "json", "csv"],
      default: "table",
      describe: "how to print: table, json, csv",
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
    "spreadsheet-safe": { type: "flag", describe: "a quote before CSV cells that a spreadsheet would run" },
  },
  examples: [
    { line: "capstan meter report --period 2026-03 --by tenant", does: "What each tenant used in March" },
    {
      line: "capstan meter report --from 2026-03-01 --to 2026-03-08 --by namespace --bucket day -o csv",
      does: "A week by namespace and day, for a spreadsheet",
    },
  ],
  run: async ({ options, terminal }) => {
    const book = await readBook(options, terminal);
    const request = toRequest(options, book);
    await using store = await openStore(options, terminal);
    const report = await runReport(store, book, request);
    const text = format(report.json, { options, terminal, withCost: request.withCost });
    if (options.out === undefined) terminal.out(text);
    else await writeFile(placeIn(terminal, options.out), text);
    const isIncomplete = report.json.coverage.some(({ complete }) => !complete);
    return options["require-complete"] && isIncomplete ? 1 : 0;
  },
});

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
}

function format(report: Parameters<typeof reportCsv>[0], { options, terminal, withCost }: Formatting): string {
  switch (options.output) {
    case "json":
      return `${JSON.stringify(report, undefined, 2)}\n`;
    case "csv":
      return reportCsv(report, { withCost, spreadsheetSafe: options["spreadsheet-safe"] });
    default:
      return `${formatTable(reportTable(report, withCost), terminal)}${reportFooter(report)}`;
  }
}
