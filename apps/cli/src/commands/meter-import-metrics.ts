/** `capstan meter import metrics`: imports what metrics.k8s.io measures. */
import { setTimeout } from "node:timers/promises";
import { createClient, isApiError, loadConfig, processHost } from "@capstan/client";
import { importMetrics, type ImportResult } from "@capstan/metering";
import { defineCommand, type Command } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { interruptible } from "../interruptible.ts";
import { addResults } from "../meter/add-results.ts";
import { durationFrom, liveOptions } from "../meter/live.ts";
import { countOf, meterOptions, nowOf, openWriter, placeIn, readBook } from "../meter/options.ts";
import { audit, importHappenings } from "../meter/auditing.ts";
import { importOutput, printImport } from "../meter/print-import.ts";
import { withOut } from "../meter/with-out.ts";

/** Imports measurements. */
export const meterImportMetrics: Command = withOut(
  defineCommand({
    describe:
      "For clusters without Prometheus: polls metrics.k8s.io (metrics-server, or the embedded cluster) for pod.cpu.usage, pod.memory.usage, node.cpu.usage and node.memory.usage, if the book names them without a source. A value counts for its window; what lies between windows is a gap.",
    options: {
      ...meterOptions,
      ...liveOptions,
      output: importOutput,
      once: { type: "flag", describe: "poll once, then end" },
      interval: { type: "text", value: "DURATION", default: "60s", describe: "between two polls" },
      batch: { type: "text", value: "N", default: "50000", describe: "rows of a commit" },
    },
    progress: "own",
    examples: [
      { line: "capstan meter import metrics --once", does: "Import what was measured last" },
      { line: "capstan meter import metrics --interval 15s --for 1h", does: "Poll for an hour" },
    ],
    run: async ({ options, terminal }) => {
      const book = await readBook(options, terminal);
      const interval = durationFrom("interval", options.interval);
      const batch = countOf("batch", options.batch);
      const length = options.for === undefined ? undefined : durationFrom("for", options.for);
      const kubeconfig = options.kubeconfig === undefined ? undefined : placeIn(terminal, options.kubeconfig);
      const config = await loadConfig(processHost(), { kubeconfig, context: options.context });
      const cluster = options.cluster ?? "";
      return interruptible(async (interrupt) => {
        await using client = createClient(config, { userAgent: "capstan-meter" });
        const stop = length === undefined ? interrupt : AbortSignal.any([interrupt, AbortSignal.timeout(length)]);
        let total: ImportResult | undefined;
        const poll = async (): Promise<void> => {
          await using store = await openWriter(options, terminal, true);
          const result = await importMetrics({ client, store, book, cluster, batch, now: nowOf(options) });
          total = addResults(total, result);
        };
        await poll().catch((error: unknown) => {
          if (!isApiError(error, "NotFound", "UnknownKind")) throw error;
          throw new CliError("Cluster", "the cluster does not serve metrics.k8s.io; install metrics-server", {
            cause: error,
          });
        });
        while (!options.once && !stop.aborted) {
          await setTimeout(interval, undefined, { signal: stop }).catch(() => undefined);
          // A poll that fails leaves a gap; the next one goes on.
          await poll().catch((error: unknown) => {
            if (!isApiError(error)) throw error;
            terminal.err(`warning: ${error.message}\n`);
          });
        }
        if (total === undefined) return 0;
        await audit(options, { terminal, happenings: importHappenings(total) });
        return printImport(terminal, options.output, total);
      });
    },
  }),
);
