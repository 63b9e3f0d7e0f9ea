/** `capstan meter forget`: removes the usage of a tenant or a namespace, or what the retention of the book no longer keeps. */
import { forgetUsage, retainUsage, zoneOf } from "@capstan/metering";
import { defineCommand, type Command } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { audit } from "../meter/auditing.ts";
import { meterOptions, nowOf, openWriter, readBook, timeOf } from "../meter/options.ts";
import { print } from "../output/print.ts";
import { importOutput } from "../meter/print-import.ts";
import { withOut } from "../meter/with-out.ts";

/** Removes usage. */
export const meterForget: Command = withOut(
  defineCommand({
    describe:
      "Removes records, journal lines, bills and sums; files are written again without them. Closed invoices stay: they hold the tenant, meters, quantities and money. The audit notes how many rows were removed. --retention removes what is older than the book keeps and lies in closed periods; sums by day, tenant and meter stay.",
    options: {
      ...meterOptions,
      output: { ...importOutput, default: "json" },
      tenant: { type: "text", value: "T", describe: "the usage of this tenant" },
      namespace: { type: "text", value: "N", describe: "the usage of this namespace" },
      before: { type: "text", value: "TIME", describe: "only what ends before" },
      retention: { type: "flag", describe: "what is older than the retention of the book" },
      yes: { type: "flag", describe: "remove it: it cannot be brought back" },
      wait: { type: "flag", describe: "wait for another writer to end" },
    },
    examples: [
      { line: "capstan meter forget --tenant acme --yes", does: "Remove all usage of a tenant" },
      { line: "capstan meter forget --retention --yes", does: "Remove what the book no longer keeps" },
    ],
    run: async ({ options, terminal }) => {
      const { tenant, namespace, retention } = options;
      const kinds = [tenant !== undefined || namespace !== undefined, retention].filter(Boolean).length;
      if (kinds !== 1) throw new CliError("Usage", "say what to remove: --tenant, --namespace, or --retention");
      if (!options.yes) throw new CliError("Usage", "removed usage cannot be brought back; say --yes if that is meant");
      const book = await readBook(options, terminal);
      const now = nowOf(options);
      const before = options.before === undefined ? undefined : timeOf("before", options.before, zoneOf(book.timeZone));
      await using store = await openWriter(options, terminal, options.wait);
      const value = retention
        ? await retainUsage(store, book, { now })
        : await forgetUsage(store, book, {
            now,
            ...(tenant !== undefined && { tenant }),
            ...(namespace !== undefined && { namespace }),
            ...(before !== undefined && { before }),
          });
      const details = {
        ...(tenant !== undefined && { tenant }),
        ...(namespace !== undefined && { namespace }),
        ...(before !== undefined && { before: new Date(before).toISOString() }),
        ...(retention && { retention }),
        ...value,
      };
      await audit(options, { terminal, happenings: [{ action: "forget", details }] });
      const rows = Object.entries(value).map(([name, count]) => [name, String(count)]);
      await print({ terminal, output: options.output }, { value, table: { titles: ["TABLE", "REMOVED"], rows } });
    },
  }),
);
