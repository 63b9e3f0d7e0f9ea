/** Kills imports at random moments and imports again until one ends: the store must be as if nothing had happened. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { capstan } from "./terminal.ts";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** An import that is killed. */
export interface CrashCase {
  readonly book: string;
  /** Files by name. */
  readonly files: { readonly [name: string]: string };
  /** The words of the import. */
  readonly words: readonly string[];
}

/** Kills the import a number of times, lets it end, and compares the report with that of an undisturbed one. */
export async function survives({ book, files, words }: CrashCase, kills: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "meter-crash-"));
  try {
    await writeFile(join(folder, "metering.yaml"), book);
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const tail = ["--now", "2026-06-01T00:00:00Z"];
    await run(folder, [...words, ...tail, "--store", "calm"]);
    let killed = 0;
    for (let round = 0; killed < kills && round < 20 * kills; round++) {
      // What is complete is begun again.
      if (await killOnce(folder, [...words, ...tail, "--store", "torn"])) killed += 1;
      else if (killed < kills) await rm(join(folder, "torn"), { recursive: true, force: true });
    }
    assert.equal(killed, kills, "the import ends before it can be killed: give it more to do");
    await run(folder, [...words, ...tail, "--store", "torn"]);
    const report = [
      "report",
      "--from",
      "2026-02-01",
      "--to",
      "2026-05-01",
      "--by",
      "namespace",
      "--bucket",
      "day",
      "-o",
      "json",
    ];
    assert.equal(await run(folder, [...report, "--store", "torn"]), await run(folder, [...report, "--store", "calm"]));
    assert.equal(await storedRows(join(folder, "torn")), await storedRows(join(folder, "calm")));
    await run(folder, ["doctor", "--store", "torn"]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function run(folder: string, words: readonly string[]): Promise<string> {
  const ran = await capstan(["meter", ...words], { cwd: folder });
  assert.equal(ran.code, 0, `${words.join(" ")}: ${ran.err}`);
  return ran.out;
}

async function storedRows(store: string): Promise<number> {
  const lines = (await readFile(join(store, "manifest.ndjson"), "utf8")).trimEnd().split("\n");
  const entries = lines.map((line) => JSON.parse(line) as { files: readonly { rows: number }[] });
  return entries.flatMap(({ files }) => files).reduce((sum, { rows }) => sum + rows, 0);
}

/** Kills after a random number of commits and a random pause; false where the import ended before. */
async function killOnce(folder: string, words: readonly string[]): Promise<boolean> {
  const commits = (await commitsOf(join(folder, "torn"))) + randomInt(0, 4);
  const child = spawn(process.execPath, ["--conditions=@capstan/source", main, "meter", ...words], {
    cwd: folder,
    stdio: "ignore",
  });
  const ended = once(child, "exit");
  while (child.exitCode === null && (await commitsOf(join(folder, "torn"))) < commits) await setTimeout(2);
  await setTimeout(randomInt(0, 60));
  child.kill("SIGKILL");
  await ended;
  return child.signalCode === "SIGKILL";
}

async function commitsOf(store: string): Promise<number> {
  const text = await readFile(join(store, "manifest.ndjson"), "utf8").catch(() => "");
  return text.split("\n").length - 1;
}

const at = (minute: number): string => new Date(Date.UTC(2026, 2, 1) + minute * 60_000).toISOString();
const lines = (values: readonly object[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join("");

/** Usage records with corrections. */
export function usageCase(count: number): CrashCase {
  const records = Array.from({ length: count }, (_, index) =>
    index % 10 === 9
      ? { id: `c${index}`, corrects: `r${index - 1}`, amount: "-0.5" }
      : { id: `r${index}`, meter: "calls", at: at(index), amount: "1.25", namespace: `n${index % 3}` },
  );
  const book =
    'meters: [{ name: calls, type: event, unit: call }]\nprices: [{ meter: calls, amount: "0.003", per: call }]';
  return {
    book,
    files: { "a.ndjson": lines(records) },
    words: ["import", "usage", "a.ndjson", "--batch", String(Math.ceil(count / 40))],
  };
}

/** A journal of objects that change size. */
export function objectsCase(count: number): CrashCase {
  const object = (index: number) => ({
    apiVersion: "example.com/v1",
    kind: "Box",
    metadata: {
      uid: `u${index % 5}`,
      name: `b${index % 5}`,
      namespace: `n${index % 2}`,
      resourceVersion: String(index + 10),
      creationTimestamp: at(0),
    },
    spec: { size: index % 7 },
  });
  const journal = [
    { n: 1, type: "JOURNAL", id: "j", cluster: "one", at: at(0) },
    { n: 2, type: "SYNCED", at: at(0), apiVersion: "example.com/v1", kind: "Box", uids: [] },
    ...Array.from({ length: count }, (_, index) => ({
      n: index + 3,
      type: index < 5 ? "ADDED" : "MODIFIED",
      at: at(index),
      object: object(index),
    })),
  ];
  const book =
    'meters: [{ name: boxes, type: level, unit: box, objects: { apiVersion: example.com/v1, kind: Box, value: object.spec.size } }]\nprices: [{ meter: boxes, amount: "0.1", per: box-hour }]';
  return {
    book,
    files: { "j.ndjson": lines(journal) },
    words: ["import", "objects", "j.ndjson", "--batch", String(Math.ceil(count / 40))],
  };
}

/** Bills of many accounts, one file each. */
export function focusCase(count: number): CrashCase {
  const header =
    "ProviderName,BillingAccountId,BillingPeriodStart,ChargePeriodStart,ChargePeriodEnd,EffectiveCost,BillingCurrency,ResourceId,Tags";
  const files = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `b${index}.csv`,
      `${header}\ncloud,${index},2026-03-01T00:00:00Z,2026-03-01T00:00:00Z,2026-03-03T00:00:00Z,1.0000${index},USD,NULL,"{""namespace"":""n${index % 3}""}"\n`,
    ]),
  );
  return {
    book: "meters: [{ name: calls, type: event, unit: call }]",
    files,
    words: ["import", "focus", ...Object.keys(files)],
  };
}

/** Levels and counters of a server: each sample follows from its time, whatever is asked. */
export function prometheusCase(url: string): CrashCase {
  const book = `meters:
- { name: cpu, type: level, unit: core, prometheus: { query: level, dimensions: { pod: pod } } }
- { name: bytes, type: counter, unit: byte, prometheus: { query: counter, dimensions: { pod: pod } } }
prices: [{ meter: cpu, amount: "0.1", per: core-hour }, { meter: bytes, amount: "0.5", per: GB }]`;
  const window = ["--from", "2026-03-01", "--to", "2026-03-02", "--chunk", "30m"];
  return { book, files: {}, words: ["import", "prometheus", "--url", url, ...window] };
}

/** A server for `prometheusCase`. */
export async function startSamples(): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? "/", "http://localhost");
    const result = ["p", "q"].map((pod) => ({ metric: { namespace: "n0", pod }, values: valuesOf(searchParams) }));
    response.end(JSON.stringify({ status: "success", data: { resultType: "matrix", result } }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** A level at each step, or the readings of a counter, which is reset every 1,000 s, at each half minute. */
function valuesOf(query: URLSearchParams): readonly (readonly [number, string])[] {
  const [, range] = /\[(\d+)s\]$/.exec(query.get("query") ?? "") ?? [];
  const end = Number(query.get("end") ?? query.get("time"));
  const step = range === undefined ? Number(query.get("step")) : 30;
  const start = range === undefined ? Number(query.get("start")) : Math.ceil((end - Number(range)) / step) * step;
  const values: [number, string][] = [];
  for (let time = start; time <= end; time += step)
    values.push([time, range === undefined ? String(time % 7) : String((time % 1000) * 1_000_000)]);
  return values;
}
