/** Imports the sources of the book beside a server: Prometheus, the Kubernetes API and metrics.k8s.io, until it is stopped. */
import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { Client } from "@capstan/client";
import { type Book, type ImportResult, importKubernetes, importMetrics, importPrometheus } from "@capstan/metering";
import { importHappenings } from "../auditing.ts";
import type { Setting } from "./setting.ts";

/** What runs sources. */
export interface SourceOptions {
  readonly setting: Setting;
  /** The cluster that is observed; absent for none. */
  readonly client: Client | undefined;
  /** The journal of what is observed. */
  readonly journal: string;
  readonly log: (line: string) => void;
}

/** Between two imports from Prometheus, and before a source that failed is read again. */
const pollInterval = 15_000;
/** Between two readings of metrics.k8s.io. */
const metricsInterval = 60_000;
const hour = 3_600_000;

/** Runs until it is disposed of. A source that fails is logged and read again; the server goes on. */
export function runSources(options: SourceOptions): AsyncDisposable {
  const stop = new AbortController();
  const { client } = options;
  const running = [
    repeat("prometheus", pollInterval, { options, stop: stop.signal }, () => importServers(options, stop.signal)),
    ...(client === undefined
      ? []
      : [
          repeat("kubernetes", pollInterval, { options, stop: stop.signal }, () =>
            observe(options, client, stop.signal),
          ),
          repeat("metrics", metricsInterval, { options, stop: stop.signal }, () => readMetrics(options, client)),
        ]),
  ];
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await Promise.all(running);
    },
  };
}

interface Repeating {
  readonly options: SourceOptions;
  readonly stop: AbortSignal;
}

async function repeat(
  name: string,
  pause: number,
  { options, stop }: Repeating,
  run: () => Promise<void>,
): Promise<void> {
  while (!stop.aborted) {
    await run().catch((error: unknown) => {
      if (!stop.aborted)
        options.log(`importing from ${name}: ${error instanceof Error ? error.message : String(error)}`);
    });
    await setTimeout(pause, undefined, { signal: stop }).catch(() => undefined);
  }
}

/** Notes an import that read something. */
async function note({ setting }: SourceOptions, result: ImportResult): Promise<void> {
  if (result.read === 0) return;
  setting.metrics.imported(result);
  await setting.audit("capstan", importHappenings(result));
}

/** Each meter with the address of its server; one server that fails does not hold up the others. */
async function importServers(options: SourceOptions, stop: AbortSignal): Promise<void> {
  const { setting, log } = options;
  const book = await setting.book();
  const pause = (milliseconds: number): Promise<void> => setTimeout(milliseconds, undefined, { signal: stop });
  for (const { name, prometheus } of book.meters.values()) {
    if (prometheus?.url === undefined || stop.aborted) continue;
    await using store = await setting.openWriter();
    const { result, failure } = await importPrometheus({
      store,
      book,
      now: setting.now(),
      server: { url: prometheus.url, headers: {}, retries: 2, pause, signal: stop },
      meters: [name],
      chunk: hour,
      backfill: 2 * hour,
      delay: 120_000,
      allowPartial: false,
    });
    await note(options, result);
    if (failure !== undefined) log(failure.message);
  }
}

async function observe(options: SourceOptions, client: Client, stop: AbortSignal): Promise<void> {
  const { setting, log, journal } = options;
  const { result, behind } = await importKubernetes({
    book: await setting.book(),
    client,
    journal,
    openStore: setting.openWriter,
    once: false,
    stop,
    interval: 1000,
    batch: 50_000,
    now: Date.now,
    sleep: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }),
    newId: randomUUID,
    warn: log,
  });
  await note(options, result);
  for (const { apiVersion, kind } of behind) log(`not observed up to the end: ${apiVersion} ${kind}`);
}

/** Whether the book names a meter that only metrics.k8s.io fills. */
function needsMetrics({ meters }: Book): boolean {
  return ["pod.cpu.usage", "pod.memory.usage", "node.cpu.usage", "node.memory.usage"].some((name) => {
    const meter = meters.get(name);
    return meter !== undefined && meter.prometheus === undefined && meter.objects === undefined;
  });
}

async function readMetrics(options: SourceOptions, client: Client): Promise<void> {
  const { setting } = options;
  const book = await setting.book();
  if (!needsMetrics(book)) return;
  await using store = await setting.openWriter();
  const result = await importMetrics({ client, store, book, cluster: "", batch: 50_000, now: setting.now() });
  await note(options, result);
}

/** Why nothing would be imported; undefined if a source can be read. */
export function noSource(book: Book, hasCluster: boolean): string | undefined {
  const meters = [...book.meters.values()];
  const canAsk = meters.some(({ prometheus }) => prometheus?.url !== undefined);
  const canObserve = hasCluster && (meters.some(({ objects }) => objects !== undefined) || needsMetrics(book));
  if (canAsk || canObserve) return undefined;
  return "--import has nothing to read: give meters a prometheus.url in the book, or a cluster with --kubeconfig";
}
