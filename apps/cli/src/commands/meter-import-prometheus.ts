/** `capstan meter import prometheus`: imports levels and counters from Prometheus. */
import { readFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { type PrometheusImport, importPrometheus, parseDuration, type Server, zoneOf } from "@capstan/metering";
import { defineCommand, type Command } from "../command/define.ts";
import { CliError } from "../errors.ts";
import { interruptible } from "../interruptible.ts";
import { type MeterValues, meterOptions, nowOf, openWriter, placeIn, readBook, timeOf } from "../meter/options.ts";
import { audit, importHappenings } from "../meter/auditing.ts";
import { importOutput, printImport } from "../meter/print-import.ts";
import { withProgress } from "../output/progress.ts";
import type { Terminal } from "../terminal.ts";
import { withOut } from "../meter/with-out.ts";

/** Imports from Prometheus. */
export const meterImportPrometheus: Command = withOut(
  defineCommand({
    describe:
      "Imports the meters of the book that have a query, from the watermark on. Each chunk is stored with its watermark in one commit: an import that was cut continues there. A server that cannot be read is asked again, then the exit code is 6 and all before is kept.",
    options: {
      ...meterOptions,
      output: importOutput,
      url: { type: "text", value: "URL", describe: "the server (else the url of the meter)" },
      meter: { type: "list", value: "NAME", describe: "only this meter; may be repeated" },
      from: { type: "text", value: "TIME", describe: "the first instant (the watermark, at first --backfill ago)" },
      to: { type: "text", value: "TIME", describe: "the end (now less --delay)" },
      step: { type: "text", value: "DURATION", describe: "the step of levels (that of the meter)" },
      chunk: { type: "text", value: "DURATION", default: "1h", describe: "the length of one query and commit" },
      backfill: { type: "text", value: "DURATION", default: "2h", describe: "how far the first import goes back" },
      delay: { type: "text", value: "DURATION", default: "2m", describe: "how old samples must be" },
      retries: { type: "text", value: "N", default: "5", describe: "how often a failed request is repeated" },
      "allow-partial": { type: "flag", describe: "store responses that may lack data" },
      header: { type: "list", commas: "kept", value: "K=V", describe: "a header of requests; may be repeated" },
      "bearer-token-file": { type: "text", value: "FILE", describe: "a token for requests" },
      "ca-file": { type: "text", value: "FILE", describe: "the authorities of the server, as PEM" },
      follow: { type: "flag", describe: "go on until interrupted" },
      wait: { type: "flag", describe: "wait for another writer to end" },
    },
    examples: [
      {
        line: "capstan meter import prometheus --url http://prometheus:9090",
        does: "Import what came since the last import",
      },
      {
        line: "capstan meter import prometheus --url http://prometheus:9090 --from 2026-03-01 --to 2026-03-02",
        does: "Import one day again; what is known is a duplicate",
      },
    ],
    run: async ({ options, terminal }) => {
      const book = await readBook(options, terminal);
      const zone = zoneOf(book.timeZone);
      const { from, to, step } = options;
      return interruptible(async (interrupt) => {
        const server = await serverOf(options, { terminal, interrupt });
        await using store = await openWriter(options, terminal, options.wait);
        const fixed: Omit<PrometheusImport, "now"> = {
          store,
          book,
          server,
          meters: options.meter,
          ...(from !== undefined && { from: timeOf("from", from, zone) }),
          ...(to !== undefined && { to: timeOf("to", to, zone) }),
          ...(step !== undefined && { step: durationOf("step", step) }),
          chunk: durationOf("chunk", options.chunk),
          backfill: durationOf("backfill", options.backfill),
          delay: durationOf("delay", options.delay, true),
          allowPartial: options["allow-partial"],
        };
        if (fixed.from !== undefined && fixed.to !== undefined && fixed.to <= fixed.from)
          throw new CliError("BadInput", `--to ${to ?? ""} is not after --from ${from ?? ""}`);
        const { pause } = server;
        for (;;) {
          const code = await importOnce({ ...fixed, now: nowOf(options) }, { terminal, options });
          if (!options.follow) return code;
          await pause(pollInterval).catch(() => undefined);
          if (interrupt.aborted) return code;
        }
      });
    },
  }),
);

/** Between two imports of `--follow`. */
const pollInterval = 15_000;

async function importOnce(
  request: PrometheusImport,
  { terminal, options }: { readonly terminal: Terminal; readonly options: MeterValues & { readonly output: string } },
): Promise<number> {
  const doing = `importing from ${request.server.url ?? "Prometheus"}`;
  const { result, failure } = await withProgress(terminal, doing, () => importPrometheus(request));
  await audit(options, { terminal, happenings: importHappenings(result) });
  const code = await printImport(terminal, options.output, result);
  if (failure !== undefined) throw failure;
  return code;
}

interface ServerValues {
  readonly url: string | undefined;
  readonly retries: string;
  readonly header: readonly string[];
  readonly "bearer-token-file": string | undefined;
  readonly "ca-file": string | undefined;
}

async function serverOf(
  { url, retries, header, ...files }: ServerValues,
  { terminal, interrupt }: { readonly terminal: Terminal; readonly interrupt: AbortSignal },
): Promise<Omit<Server, "url"> & { readonly url?: string }> {
  if (!/^\d{1,3}$/.test(retries)) throw new CliError("Usage", `--retries must be a whole number, not ${retries}`);
  const [token, ca] = await Promise.all(
    [files["bearer-token-file"], files["ca-file"]].map((path) => readText(path, terminal)),
  );
  return {
    ...(url !== undefined && { url }),
    headers: { ...(token !== undefined && { authorization: `Bearer ${token.trim()}` }), ...headersOf(header) },
    ...(ca !== undefined && { ca }),
    retries: Number(retries),
    signal: interrupt,
    pause: (milliseconds) => setTimeout(milliseconds, undefined, { signal: interrupt }),
  };
}

async function readText(path: string | undefined, terminal: Terminal): Promise<string | undefined> {
  if (path === undefined) return undefined;
  return readFile(placeIn(terminal, path), "utf8").catch((cause: unknown) => {
    throw new CliError("BadInput", `${path} cannot be read: give the path of a file`, { cause });
  });
}

function headersOf(words: readonly string[]): { readonly [name: string]: string } {
  return Object.fromEntries(
    words.map((word) => {
      const found = /^([^=\s]+)=(.*)$/.exec(word);
      if (found === null) throw new CliError("Usage", `--header ${JSON.stringify(word)} must be NAME=VALUE`);
      return [(found[1] ?? "").toLowerCase(), found[2] ?? ""];
    }),
  );
}

function durationOf(option: string, text: string, mayBeZero = false): number {
  const duration = parseDuration(text);
  if (duration === undefined || (duration === 0 && !mayBeZero))
    throw new CliError("Usage", `--${option} ${JSON.stringify(text)} is not a duration such as 60s`);
  return duration;
}
