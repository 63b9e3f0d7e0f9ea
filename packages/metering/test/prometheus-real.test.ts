/** Tests of imports from a real Prometheus: what it scraped, resets, replicas, and a server that goes away. */
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { ensureSystemPackages } from "@capstan/kubernetes";
import { importPrometheus, openFolderStore, parseBook, runReport, type Store } from "../src/index.ts";

const run = promisify(execFile);
const day = Date.UTC(2026, 2, 1);
const hour = 3_600_000;
const book = parseBook(`
meters:
- { name: cpu, type: level, unit: core, prometheus: { query: 'sum by (namespace, pod, replica) (usage_cores)', step: 60s, dimensions: { pod: pod }, replicaLabels: [replica] } }
- { name: sent, type: counter, unit: byte, prometheus: { query: 'sent_bytes_total{job="node"}', dimensions: { pod: pod } } }
`);

/** Samples as OpenMetrics: a level every minute, a counter every 15 seconds with a reset after 30 minutes. */
function openMetrics(): string {
  const seconds = day / 1000;
  const lines: string[] = ["# TYPE usage_cores gauge"];
  for (const replica of ["a", "b"])
    for (let at = 0; at < 3600; at += 60)
      lines.push(
        `usage_cores{namespace="x",pod="p",replica="${replica}"} ${replica === "a" ? "0.25" : "7"} ${seconds + at}`,
      );
  lines.push("# TYPE sent_bytes counter");
  for (let at = 0; at <= 3600; at += 15)
    lines.push(`sent_bytes_total{job="node",namespace="x",pod="p"} ${(at % 1800) * 10} ${seconds + at}`);
  return `${lines.join("\n")}\n# EOF\n`;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

interface Running {
  readonly url: string;
  readonly stop: () => Promise<void>;
  readonly start: () => Promise<void>;
}

async function prometheus(t: TestContext, folder: string): Promise<Running> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  const stop = async (): Promise<void> => {
    if (child === undefined || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child?.once("exit", resolve));
    child.kill("SIGTERM");
    await ended;
  };
  const start = async (): Promise<void> => {
    const options = [
      `--config.file=${join(folder, "prometheus.yml")}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      "--storage.tsdb.retention.time=100y",
      `--web.listen-address=127.0.0.1:${port}`,
    ];
    child = spawn("prometheus", options, { stdio: "ignore" });
    await until(async () => (await fetch(`${url}/-/ready`)).ok);
  };
  t.after(stop);
  await start();
  return { url, stop, start };
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (;;) {
    if (await isTrue().catch(() => false)) return;
    await setTimeout(50);
  }
}

async function quantity(store: Store, meter: string, minutes: readonly [number, number]): Promise<string> {
  const [from, to] = minutes.map((minute) => day + minute * 60_000);
  const { json } = await runReport(store, book, {
    window: { from: from ?? 0, to: to ?? 0 },
    bucket: "total",
    by: ["namespace", "pod"],
    meters: [meter],
    where: new Map(),
    idle: "show",
    shared: "show",
    withCost: false,
  });
  assert.deepEqual(
    json.rows.map(({ dimensions }) => dimensions),
    [{ namespace: "x", pod: "p" }],
  );
  return json.rows[0]?.quantity ?? "0";
}

test("a real Prometheus is imported to the last digit, also when it goes away", { timeout: 120_000 }, async (t) => {
  await ensureSystemPackages(["prometheus"]);
  const folder = await mkdtemp(join(tmpdir(), "metering-prometheus-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "prometheus.yml"), "global: { scrape_interval: 1m }\n");
  await writeFile(join(folder, "samples"), openMetrics());
  await run("promtool", ["tsdb", "create-blocks-from", "openmetrics", join(folder, "samples"), join(folder, "data")]);
  const server = await prometheus(t, folder);
  await using store = await openFolderStore(join(folder, "store"));
  const request = {
    store,
    book,
    now: day + 24 * hour,
    meters: [],
    server: { url: server.url, headers: {}, retries: 1, pause: async () => {} },
    from: day,
    to: day + hour,
    chunk: hour / 4,
    backfill: hour,
    delay: 120_000,
    allowPartial: false,
  };
  await server.stop();
  const down = await importPrometheus(request);
  assert.equal(down.failure?.code, "Unreachable");
  assert.equal(down.result.stored, 0);
  await server.start();
  const { result } = await importPrometheus(request);
  // 60 minutes of two replicas, 241 readings.
  assert.deepEqual([result.read, result.stored, result.duplicate], [361, 301, 60]);
  assert.equal(await quantity(store, "cpu", [0, 60]), "900");
  // Up to 17850 before each reset; the last reading is the reset at 60 minutes, to 0.
  assert.equal(await quantity(store, "sent", [0, 60]), "35700");
  assert.equal(await quantity(store, "sent", [0, 10]), "6000");
  const again = await importPrometheus({ ...request, chunk: hour });
  assert.deepEqual([again.result.stored, again.result.duplicate], [0, 361]);
});
