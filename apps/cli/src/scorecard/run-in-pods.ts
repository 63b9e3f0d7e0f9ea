/** Runs scorecard tests as pods of a cluster. The output of a test is its result. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type BundleFiles, failure, type RunTest, type TestConfig, type TestStatus } from "@capstan/bundle";
import type { Client } from "@capstan/client";
import { ConfigMap, Pod } from "@capstan/kinds/v1";
import { unpackLayer } from "@capstan/oci";
import { type BundlePart, configMapOf, partsOf, podOf, type PodOptions } from "./pod.ts";

/** The options of a run. */
export interface PodRun extends PodOptions {
  readonly client: Client;
  readonly files: BundleFiles;
  /** The folder for the files of tests. */
  readonly output: string;
  readonly signal: AbortSignal;
  readonly pause: () => Promise<void>;
}

/** Runs tests and removes their objects afterwards. */
export interface PodRunner extends AsyncDisposable {
  readonly runTest: RunTest;
}

/** Creates the ConfigMaps of the bundle. */
export async function startPodRunner(run: PodRun): Promise<PodRunner> {
  const parts = partsOf(run.files, run.run);
  for (const part of parts) await run.client.create(ConfigMap, configMapOf(part, run), { signal: run.signal });
  return {
    runTest: (test) => runTest(test, parts, run),
    [Symbol.asyncDispose]: () => cleanUp(run),
  };
}

/** Deletes the objects of a run, also of one without a bundle. */
export async function cleanUp({ client, namespace, run }: Pick<PodRun, "client" | "namespace" | "run">): Promise<void> {
  const labels = `testrun=${run}`;
  await client.deleteCollection(Pod, { namespace, labelSelector: labels, gracePeriodSeconds: 0 });
  await client.deleteCollection(ConfigMap, { namespace, labelSelector: labels });
}

async function runTest(test: TestConfig, parts: readonly BundlePart[], run: PodRun): Promise<TestStatus> {
  const pod = await run.client.create(Pod, podOf(test, parts, run), { signal: run.signal });
  const name = pod.metadata.name ?? "";
  const target = { namespace: run.namespace, name };
  const ended = await untilEnded(target, run);
  if (ended !== undefined) return failure(ended);
  if (test.storagePath !== undefined) await gather(test, target, run);
  return toStatus(await run.client.logs({ ...target, container: "scorecard-test" }).text());
}

interface Target {
  readonly namespace: string;
  readonly name: string;
}

/** Waits for the test's container; returns a reason if it will never end. */
async function untilEnded(target: Target, run: PodRun): Promise<string | undefined> {
  for (;;) {
    if (run.signal.aborted) return await stuck(target, run);
    const { status } = await run.client.get(Pod, target);
    const test = status?.containerStatuses?.find(({ name }) => name === "scorecard-test");
    if (test?.state?.terminated !== undefined) return undefined;
    if (status?.phase === "Failed")
      return `the pod ${target.name} failed: ${status.message ?? status.reason ?? "no reason given"}`;
    await run.pause();
  }
}

/** The message for a test that does not end in time, with what its pod waits for. operator-sdk does not print this. */
async function stuck({ namespace, name }: Target, { client }: PodRun): Promise<string> {
  const { status } = await client.get(Pod, { namespace, name });
  const waiting = (status?.containerStatuses ?? []).flatMap(({ state }) => state?.waiting ?? []);
  const why = waiting.map(({ reason = "", message = "" }) => [reason, message].filter((one) => one !== "").join(": "));
  const scheduled = (status?.conditions ?? []).find((one) => one.type === "PodScheduled" && one.status === "False");
  const because = [...why, ...(scheduled?.message === undefined ? [] : [scheduled.message])].join("; ");
  return `the test did not end in time; its pod ${name} is ${status?.phase ?? "unknown"}${because === "" ? "" : ` (${because})`}; give it longer with --wait-time`;
}

function toStatus(log: string): TestStatus {
  try {
    const { results } = JSON.parse(log) as { readonly results?: TestStatus["results"] };
    return { results: results ?? [] };
  } catch (error) {
    return failure((error as Error).message, log);
  }
}

/** Fetches the files of a test from the container beside it. */
async function gather(test: TestConfig, { namespace, name }: Target, run: PodRun): Promise<void> {
  const folder = join(run.output, test.labels["suite"] ?? "", test.labels["test"] ?? name);
  await mkdir(folder, { recursive: true });
  const session = await run.client.exec({
    namespace,
    name,
    container: "scorecard-gather",
    command: ["tar", "cf", "-", "-C", test.storagePath ?? "/", "."],
  });
  async function* stdout(): AsyncGenerator<Uint8Array> {
    for await (const { stream, bytes } of session) if (stream === "stdout") yield bytes;
  }
  await unpackLayer(stdout(), "none", folder, {
    owners: "mine",
    whiteouts: "remove",
    maxBytes: 2 ** 30,
    maxEntries: 100_000,
  });
}
