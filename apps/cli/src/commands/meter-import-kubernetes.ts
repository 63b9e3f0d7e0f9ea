/** `capstan meter import kubernetes`: observes a cluster into a journal, and imports it. */
import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { createClient, loadConfig, processHost } from "@capstan/client";
import { importKubernetes } from "@capstan/metering";
import { defineCommand, type Command } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { interruptible } from "../interruptible.ts";
import { liveOptions, durationFrom } from "../meter/live.ts";
import { countOf, meterOptions, openWriter, placeIn, readBook } from "../meter/options.ts";
import { audit, importHappenings } from "../meter/auditing.ts";
import { importOutput, printImport } from "../meter/print-import.ts";
import { withOut } from "../meter/with-out.ts";

/** Observes a cluster. */
export const meterImportKubernetes: Command = withOut(
  defineCommand({
    describe:
      "Watches the kinds that the meters of the book count, and Namespaces, and appends what it sees to a journal, which is imported at once. It runs until it is interrupted; killed at any moment it continues with the same journal. What was not observed is a gap, listed with every report.",
    options: {
      ...meterOptions,
      ...liveOptions,
      output: importOutput,
      once: { type: "flag", describe: "one list of each kind, then end" },
      interval: { type: "text", value: "DURATION", default: "1s", describe: "between two imports of the journal" },
      journal: {
        type: "text",
        value: "FILE",
        default: ".capstan/journal.ndjson",
        describe: "the journal; continued if it exists",
      },
      batch: { type: "text", value: "N", default: "50000", describe: "lines of a commit" },
    },
    progress: "own",
    examples: [
      { line: "capstan meter import kubernetes --cluster prod-1", does: "Observe until Ctrl-C" },
      { line: "capstan meter import kubernetes --once --journal prod-1.ndjson", does: "Take one complete list" },
    ],
    run: async ({ options, terminal }) => {
      const book = await readBook(options, terminal);
      const interval = durationFrom("interval", options.interval);
      const batch = countOf("batch", options.batch);
      const length = options.for === undefined ? undefined : durationFrom("for", options.for);
      const kubeconfig = options.kubeconfig === undefined ? undefined : placeIn(terminal, options.kubeconfig);
      const config = await loadConfig(processHost(), { kubeconfig, context: options.context });
      const journal = placeIn(terminal, options.journal);
      await mkdir(dirname(journal), { recursive: true });
      return interruptible(async (interrupt) => {
        await using client = createClient(config, { userAgent: "capstan-meter" });
        if (terminal.isWatched && !options.once)
          terminal.err(
            `observing ${config.cluster.server} into ${options.journal}${length === undefined ? "; Ctrl-C ends it" : ""}\n`,
          );
        const { result, behind } = await importKubernetes({
          book,
          client,
          journal,
          ...(options.cluster !== undefined && { cluster: options.cluster }),
          // Others may write between two steps.
          openStore: () => openWriter(options, terminal, true),
          once: options.once,
          stop: length === undefined ? interrupt : AbortSignal.any([interrupt, AbortSignal.timeout(length)]),
          interval,
          batch,
          now: Date.now,
          sleep: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }),
          newId: randomUUID,
          warn: (message) => terminal.err(`warning: ${message}\n`),
        });
        await audit(options, { terminal, happenings: importHappenings(result) });
        const code = await printImport(terminal, options.output, result);
        if (behind.length === 0) return code;
        const names = behind.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`).join(", ");
        throw new CliError("Cluster", `not observed up to the end: ${names}; what was seen is kept, run it again`);
      });
    },
  }),
);
