/** `capstan meter import rows`: imports rows of a classic data source. */
import { readFile } from "node:fs/promises";
import { type Input, importClassicRows, parseLine } from "@capstan/metering";
import { defineCommand, type Command } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { countOf, meterOptions, nowOf, openWriter, placeIn } from "../meter/options.ts";
import { audit, importHappenings } from "../meter/auditing.ts";
import { importOutput, printImport } from "../meter/print-import.ts";
import type { Terminal } from "../terminal.ts";
import { withOut } from "../meter/with-out.ts";

/** Imports classic rows. */
export const meterImportRows: Command = withOut(
  defineCommand({
    describe:
      "Reads [{amount, timestamp, labels, stepSize (nanoseconds) or timePrecision (seconds)}] as metering-operator stored and fetched it: JSON, or an object a line (.ndjson). Each labels and time count once.",
    arguments: [{ name: "FILE", describe: "rows as JSON", presence: "many" }],
    options: {
      ...meterOptions,
      output: importOutput,
      datasource: { type: "text", value: "NAME", describe: "the ReportDataSource that the rows belong to" },
      batch: { type: "text", value: "N", default: "50000", describe: "rows of a commit" },
      wait: { type: "flag", describe: "wait for another writer to end" },
    },
    examples: [
      {
        line: "capstan meter import rows --datasource pod-request-cpu-cores rows.json",
        does: "Import the rows of a file",
      },
    ],
    run: async ({ options, args, terminal }) => {
      const { datasource } = options;
      if (datasource === undefined || args.length === 0)
        throw new CliError("Usage", "capstan meter import rows needs --datasource NAME and FILE: rows as JSON");
      const batch = countOf("batch", options.batch);
      await using opened = await openWriter(options, terminal, options.wait);
      const result = await importClassicRows(readAll(args, terminal), {
        store: opened,
        dataSource: datasource,
        batch,
        now: nowOf(options),
      });
      await audit(options, { terminal, happenings: importHappenings(result), book: "optional" });
      return printImport(terminal, options.output, result);
    },
  }),
);

async function* readAll(files: readonly string[], terminal: Terminal): AsyncIterable<Input> {
  for (const name of files) {
    const text = await readFile(placeIn(terminal, name), "utf8").catch((cause: unknown) => {
      throw new CliError("BadInput", `there is no file ${name}`, { cause });
    });
    if (/\.(ndjson|jsonl)$/.test(name)) {
      for (const [at, line] of text.split("\n").entries())
        if (line.trim() !== "") yield parseLine(line, `${name}:${at + 1}`);
    } else yield* rowsOf(text, name);
  }
}

function* rowsOf(text: string, name: string): Iterable<Input> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new CliError("BadInput", `${name} is not JSON; it must be a list of rows`, { cause });
  }
  const rows: readonly unknown[] = Array.isArray(value) ? value : [value];
  for (const [at, row] of rows.entries()) yield { where: `${name}:${at + 1}`, value: row };
}
