/** Prints the outcome of an import, and turns it into an exit code. */
import type { ImportResult } from "@capstan/metering";
import type { TextOption } from "../command/define.ts";
import { print } from "../output/print.ts";
import type { Terminal } from "../terminal.ts";

/** `-o` of imports. */
export const importOutput = {
  type: "text",
  short: "o",
  value: "FORMAT",
  choices: ["table", "json"],
  default: "table",
  describe: "how to print: table or json",
} as const satisfies TextOption;

/** The most problems that a table shows. */
const shownProblems = 20;

/** Prints the result; 1 where anything was rejected or in conflict. */
export async function printImport(
  terminal: Terminal,
  output: string,
  { corrections: _corrections, ...result }: ImportResult,
): Promise<number> {
  const { read, stored, duplicate, late, conflict, rejected, problems } = result;
  const table = {
    titles: ["SOURCE", "READ", "STORED", "DUPLICATE", "LATE", "CONFLICT", "REJECTED"],
    rows: [[result.source, ...[read, stored, duplicate, late, conflict, rejected].map(String)]],
  };
  await print({ terminal, output }, { value: result, table });
  if (output === "table") {
    for (const { where, id, reason, message } of problems.slice(0, shownProblems))
      terminal.err(`${where}${id === undefined ? "" : ` (${id})`}: ${reason}: ${message}\n`);
    if (problems.length > shownProblems)
      terminal.err(`and ${problems.length - shownProblems} more; see all with -o json\n`);
  }
  return conflict + rejected > 0 ? 1 : 0;
}
