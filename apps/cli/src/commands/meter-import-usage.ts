/** `capstan meter import usage`: imports usage records from files. */
import { type Input, importUsage, needFile, readRecords, type Store } from "@capstan/metering";
import { defineCommand, type Command } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { countOf, meterOptions, nowOf, openWriter, placeIn, readBook } from "../meter/options.ts";
import { audit, importHappenings } from "../meter/auditing.ts";
import { importOutput, printImport } from "../meter/print-import.ts";
import type { Terminal } from "../terminal.ts";
import { withOut } from "../meter/with-out.ts";

/** Imports usage records. */
export const meterImportUsage: Command = withOut(
  defineCommand({
    describe:
      "Reads NDJSON, CSV and Parquet by extension (.ndjson, .jsonl, .csv, .parquet, the texts also with .gz), and CloudEvents as they are. Every record counts once: what is imported again is a duplicate. Exit code 1 says that records were rejected or in conflict; the others are stored.",
    arguments: [{ name: "FILE", describe: "files of records", presence: "many" }],
    options: {
      ...meterOptions,
      output: importOutput,
      source: { type: "text", value: "NAME", default: "usage", describe: "the source that ids belong to" },
      batch: { type: "text", value: "N", default: "50000", describe: "rows of a commit" },
      wait: { type: "flag", describe: "wait for another writer to end" },
    },
    examples: [
      { line: "capstan meter import usage calls.ndjson", does: "Import the records of a file" },
      {
        line: "capstan meter import usage march/*.csv.gz --source billing -o json",
        does: "Ids belong to the source billing",
      },
    ],
    run: async ({ options, args, terminal }) => {
      if (args.length === 0) throw new CliError("Usage", "capstan meter import usage needs FILE: files of records");
      const book = await readBook(options, terminal);
      const batch = countOf("batch", options.batch);
      // A missing file is found before anything is stored.
      for (const name of args) await needFile(placeIn(terminal, name), name);
      await using store = await openWriter(options, terminal, options.wait);
      const inputs = readAll(args, { terminal, store });
      const result = await importUsage(inputs, { store, book, batch, source: options.source, now: nowOf(options) });
      await audit(options, { terminal, happenings: importHappenings(result) });
      return printImport(terminal, options.output, result);
    },
  }),
);

async function* readAll(
  files: readonly string[],
  { terminal, store }: { terminal: Terminal; store: Store },
): AsyncIterable<Input> {
  for (const name of files) yield* readRecords(placeIn(terminal, name), { name, store });
}
