/** `capstan meter audit`: who imported, closed, corrected and removed what, and when. */
import { readAudit, zoneOf } from "@capstan/metering";
import { defineCommand, type Command } from "../command/define.ts";
import { meterOptions, openArchive, timeOf } from "../meter/options.ts";
import { importOutput } from "../meter/print-import.ts";
import { print } from "../output/print.ts";
import { withOut } from "../meter/with-out.ts";

/** Prints the audit. */
export const meterAudit: Command = withOut(
  defineCommand({
    describe:
      "One line for each import, close, correction, removal, change of the book and refused access, each with the hash of the line before. capstan meter doctor verifies the chain.",
    options: {
      ...meterOptions,
      output: importOutput,
      from: { type: "text", value: "TIME", describe: "the first instant" },
      to: { type: "text", value: "TIME", describe: "the first instant that is not printed" },
    },
    examples: [{ line: "capstan meter audit --from 2026-03-01", does: "What happened since March" }],
    run: async ({ options, terminal }) => {
      const zone = zoneOf("UTC");
      const from = options.from === undefined ? Number.NEGATIVE_INFINITY : timeOf("from", options.from, zone);
      const to = options.to === undefined ? Number.POSITIVE_INFINITY : timeOf("to", options.to, zone);
      await using opened = await openArchive(options, terminal);
      const all = await readAudit(opened);
      const value = all.filter(({ at }) => Date.parse(at) >= from && Date.parse(at) < to);
      const rows = value.map(({ at, action, user, details }) => [
        at,
        action,
        user,
        Object.entries(details)
          .map(([name, detail]) => `${name}=${String(detail)}`)
          .join(" "),
      ]);
      await print(
        { terminal, output: options.output },
        { value, table: { titles: ["TIME", "ACTION", "USER", "DETAILS"], rows } },
      );
    },
  }),
);
