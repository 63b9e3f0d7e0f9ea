/** `capstan meter doctor`: says what is wrong with the book, the store and the sources, and what to do. */
import { type Check, checkStore } from "@capstan/metering";
import { defineCommand, type Command } from "../command/define.ts";
import { checkPrometheus } from "../meter/check-prometheus.ts";
import { meterOptions, nowOf, openStore, readBook } from "../meter/options.ts";
import { importOutput } from "../meter/print-import.ts";
import { print } from "../output/print.ts";
import { withOut } from "../meter/with-out.ts";

/** Checks metering. */
export const meterDoctor: Command = withOut(
  defineCommand({
    describe:
      "Checks the book, the files of the store, the chain of the audit, closed invoices, and whether sources are behind. Exit code 1 if a check fails; warnings do not fail.",
    options: {
      ...meterOptions,
      output: importOutput,
      url: { type: "text", value: "URL", describe: "ask this Prometheus, too" },
    },
    examples: [{ line: "capstan meter doctor --url http://prometheus:9090", does: "Check the store and Prometheus" }],
    run: async ({ options, terminal }) => {
      const checks: Check[] = [];
      const book = await attempt(checks, "book", () => readBook(options, terminal), "mend the book");
      if (book !== undefined) {
        await attempt(
          checks,
          "store",
          async () => {
            await using store = await openStore(options, terminal);
            const found = await checkStore(store, { book, now: nowOf(options) });
            checks.push({ name: "store", status: "ok", message: `${store.state.batch} batches`, cure: "" }, ...found);
          },
          "open the store with the version that wrote it, or restore it from a backup",
        );
      }
      if (options.url !== undefined) checks.push(await checkPrometheus(options.url));
      const rows = checks.map(({ name, status, message, cure }) => [name, status, message, cure]);
      const table = { titles: ["CHECK", "STATUS", "MESSAGE", "CURE"], rows, overflow: "wrap" as const };
      await print({ terminal, output: options.output }, { value: { checks }, table });
      return checks.some(({ status }) => status === "fail") ? 1 : 0;
    },
  }),
);

async function attempt<T>(checks: Check[], name: string, run: () => Promise<T>, cure: string): Promise<T | undefined> {
  try {
    const result = await run();
    if (name === "book") checks.push({ name, status: "ok", message: "the book can be read", cure: "" });
    return result;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    checks.push({ name, status: "fail", message, cure });
    return undefined;
  }
}
