/** `capstan meter query`: SQL on the records, reading only. */
import { readFile } from "node:fs/promises";
import { parseDuration, runStoreQuery } from "@capstan/metering";
import { defineCommand, type Command } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { countOf, meterOptions, openStore, outOption, placeIn, readBook, writeResult } from "../meter/options.ts";
import { formatCsv } from "../meter/report-output.ts";
import { formatTable } from "../output/print.ts";

/** Answers SQL. */
export const meterQuery: Command = defineCommand({
  describe:
    "Relations: usage, bill, invoices, invoice_lines, coverage, audit. A query reads and changes nothing; it reaches no files and no network.",
  arguments: [{ name: "SQL", describe: "one SELECT", presence: "optional" }],
  options: {
    ...meterOptions,
    output: {
      type: "text",
      short: "o",
      value: "FORMAT",
      choices: ["table", "json", "csv", "parquet"],
      default: "table",
      describe: "how to print: table, json, csv or parquet",
    },
    out: outOption,
    file: { type: "text", short: "f", value: "FILE", describe: "read the SQL from a file" },
    timeout: { type: "text", value: "DURATION", default: "60s", describe: "the longest time" },
    "max-rows": { type: "text", value: "N", default: "100000", describe: "the most rows" },
  },
  examples: [
    { line: 'capstan meter query "SELECT tenant, sum(quantity) FROM usage GROUP BY 1"', does: "Quantities by tenant" },
  ],
  run: async ({ options, args: [words], terminal }) => {
    const { file, output, out } = options;
    if (output === "parquet" && out === undefined)
      throw new CliError("Usage", "-o parquet needs --out: the file to write");
    if ((words === undefined) === (file === undefined))
      throw new CliError("Usage", "give the SQL as argument, or a file with -f");
    const sql = words ?? (await readSql(placeIn(terminal, file ?? "")));
    const timeout = parseDuration(options.timeout);
    if (timeout === undefined)
      throw new CliError("Usage", `--timeout ${options.timeout} is not a duration such as 60s`);
    const book = await readBook(options, terminal);
    await using store = await openStore(options, terminal);
    const limits = { expired: AbortSignal.timeout(timeout), maxRows: countOf("max-rows", options["max-rows"]) };
    const parquet = output === "parquet" && out !== undefined ? { parquet: placeIn(terminal, out) } : {};
    const { names, rows } = await runStoreQuery(store, book, { sql, limits, ...parquet });
    if (output === "parquet") return;
    const texts = rows.map((row) => row.map((cell) => (cell === null ? "" : String(cell))));
    const text =
      output === "json"
        ? `${JSON.stringify(
            rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at] ?? null]))),
            undefined,
            2,
          )}\n`
        : output === "csv"
          ? formatCsv([names, ...texts])
          : formatTable({ titles: names, rows: texts }, terminal);
    await writeResult(terminal, out, text);
  },
});

async function readSql(path: string): Promise<string> {
  return readFile(path, "utf8").catch((cause: unknown) => {
    throw new CliError("BadInput", `there is no file ${path}`, { cause });
  });
}
