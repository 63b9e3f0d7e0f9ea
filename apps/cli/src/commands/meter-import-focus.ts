/** `capstan meter import focus`: imports cloud bills. */
import { type BillFile, importFocus, readBillFile } from "@capstan/metering";
import { defineCommand, type Command } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { countOf, meterOptions, nowOf, openWriter, placeIn, readBook } from "../meter/options.ts";
import { audit, importHappenings } from "../meter/auditing.ts";
import { importOutput, printImport } from "../meter/print-import.ts";
import { withOut } from "../meter/with-out.ts";

/** Imports bills in FOCUS. */
export const meterImportFocus: Command = withOut(
  defineCommand({
    describe:
      "Reads FOCUS 1.0 to 1.3 as CSV (.csv, .csv.gz) or Parquet (.parquet). A newer file for the same provider, billing account and billing period replaces the former one; equal files are duplicates.",
    arguments: [{ name: "FILE", describe: "bills as CSV or Parquet", presence: "many" }],
    options: {
      ...meterOptions,
      output: importOutput,
      source: { type: "text", value: "NAME", default: "focus", describe: "the name of the source in the result" },
      batch: {
        type: "text",
        value: "N",
        default: "50000",
        describe: "a bill is stored as a whole, whatever is given here",
      },
      wait: { type: "flag", describe: "wait for another writer to end" },
    },
    examples: [{ line: "capstan meter import focus march.csv", does: "Import the bill, or its newer version" }],
    run: async ({ options, args, terminal }) => {
      if (args.length === 0)
        throw new CliError("Usage", "capstan meter import focus needs FILE: bills as CSV or Parquet");
      const book = await readBook(options, terminal);
      await using store = await openWriter(options, terminal, options.wait);
      const files: BillFile[] = [];
      for (const name of args) files.push(await readBillFile(placeIn(terminal, name), { name, store }));
      countOf("batch", options.batch);
      const result = { ...(await importFocus(files, { store, book, now: nowOf(options) })), source: options.source };
      await audit(options, { terminal, happenings: importHappenings(result) });
      return printImport(terminal, options.output, result);
    },
  }),
);
