/** `capstan meter import objects`: imports journals of what a watch of the Kubernetes API saw. */
import { type Input, importObjects, needFile, readJournal } from "@capstan/metering";
import { defineCommand, type Command } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { countOf, meterOptions, nowOf, openWriter, placeIn, readBook } from "../meter/options.ts";
import { audit, importHappenings } from "../meter/auditing.ts";
import { importOutput, printImport } from "../meter/print-import.ts";
import type { Terminal } from "../terminal.ts";
import { withOut } from "../meter/with-out.ts";

/** Imports journals. */
export const meterImportObjects: Command = withOut(
  defineCommand({
    describe:
      "Each line of a journal is imported once, by the id of the journal and its number. A torn last line is left until it is whole. What is not observed is a gap, listed with every report.",
    arguments: [{ name: "FILE", describe: "journals", presence: "many" }],
    options: {
      ...meterOptions,
      output: importOutput,
      source: { type: "text", value: "NAME", default: "objects", describe: "the name of the source in the result" },
      batch: { type: "text", value: "N", default: "50000", describe: "lines of a commit" },
      wait: { type: "flag", describe: "wait for another writer to end" },
    },
    examples: [
      { line: "capstan meter import objects journal.ndjson", does: "Import what was seen since the last import" },
    ],
    run: async ({ options, args, terminal }) => {
      if (args.length === 0) throw new CliError("Usage", "capstan meter import objects needs FILE: journals");
      const book = await readBook(options, terminal);
      const batch = countOf("batch", options.batch);
      // A missing file is found before anything is stored.
      for (const name of args) await needFile(placeIn(terminal, name), name);
      await using store = await openWriter(options, terminal, options.wait);
      const warn = (message: string): void => terminal.err(`warning: ${message}\n`);
      const imported = await importObjects(readAll(args, terminal), { store, book, batch, warn, now: nowOf(options) });
      const result = { ...imported, source: options.source };
      await audit(options, { terminal, happenings: importHappenings(result) });
      return printImport(terminal, options.output, result);
    },
  }),
);

async function* readAll(files: readonly string[], terminal: Terminal): AsyncIterable<Input> {
  for (const name of files) yield* readJournal(placeIn(terminal, name), name);
}
