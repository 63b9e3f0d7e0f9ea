/** `capstan meter classic run`: runs the reports of metering-operator without a cluster. */
import { readdir, readFile, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  addClassicObjects,
  type ClassicFormat,
  type ClassicObjects,
  formatClassic,
  noClassicObjects,
  readClassicRows,
  runClassicReport,
} from "@capstan/metering";
import { defineCommand, type Command } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { meterOptions, nowOf, openStore, placeIn } from "../meter/options.ts";
import type { Terminal } from "../terminal.ts";
import { withOut } from "../meter/with-out.ts";

/** Runs a classic report. */
export const meterClassicRun: Command = withOut(
  defineCommand({
    describe:
      "Reads Report, ReportQuery, ReportDataSource and PrestoTable of metering.openshift.io/v1 from files or folders, and runs a report with all that it reads: period after period up to now. Rows of data sources come from `meter import rows`.",
    options: {
      ...meterOptions,
      file: {
        type: "list",
        short: "f",
        commas: "kept",
        value: "PATH",
        describe: "files or folders of objects; may be repeated",
      },
      report: { type: "text", value: "NAME", describe: "the Report to run" },
      output: {
        type: "text",
        short: "o",
        value: "FORMAT",
        choices: ["json", "csv", "tab"],
        default: "tab",
        describe: "how to print: json, csv or tab",
      },
      render: { type: "flag", describe: "print the last rendered query instead of rows" },
    },
    examples: [
      {
        line: "capstan meter classic run -f reports/ --report namespace-cpu-hourly",
        does: "Run it, and print its rows",
      },
      { line: "capstan meter classic run -f reports/ --report namespace-cpu-hourly -o json", does: "The rows as JSON" },
    ],
    run: async ({ options, terminal }) => {
      const { report, file, output } = options;
      if (report === undefined || file.length === 0)
        throw new CliError("Usage", "capstan meter classic run needs -f PATH and --report NAME");
      const objects = noClassicObjects();
      for (const path of file) await addPath(objects, path, terminal);
      await using opened = await openStore(options, terminal);
      const result = await runClassicReport(
        { objects, rows: (name) => readClassicRows(opened, name), now: nowOf(options), temporary: tmpdir() },
        report,
      );
      if (options.render) terminal.out(`${result.rendered ?? ""}\n`);
      // The choices are those of the option.
      else terminal.out(formatClassic(result, output as ClassicFormat));
      const { waiting } = result;
      if (waiting === undefined) return 0;
      terminal.err(`${report}: ${waiting.reason}: ${waiting.message}\n`);
      return result.lastReportTime === undefined ? 1 : 0;
    },
  }),
);

/** Adds the objects of a file, or of the files of a folder. */
export async function addPath(objects: ClassicObjects, path: string, terminal: Terminal): Promise<void> {
  const whole = placeIn(terminal, path);
  const found = await stat(whole).catch((cause: unknown) => {
    throw new CliError("BadInput", `there is no file or folder ${path}`, { cause });
  });
  if (!found.isDirectory()) return addClassicObjects(objects, await readFile(whole, "utf8"), path);
  for (const name of (await readdir(whole)).sort())
    if (/\.(ya?ml|json)$/.test(name)) await addPath(objects, join(path, name), terminal);
}
