/** Tests of imports from metrics.k8s.io: each measurement counts once, and gaps between windows are listed. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { createClient, inProcess } from "@capstan/client";
import { importMetrics, openFolderStore, parseBook, runReport } from "../src/index.ts";

const book = parseBook("meters: [{ name: pod.cpu.usage }, { name: node.memory.usage }]");
const start = Date.parse("2026-03-01T00:00:00Z");

/** A cluster with one pod on one node, measured at a second. */
function clusterAt(second: number, cpu: string) {
  const time = { timestamp: new Date(start + second * 1000).toISOString(), window: "20s" };
  const answers: { readonly [path: string]: readonly object[] } = {
    "/api/v1/pods": [{ metadata: { name: "web", namespace: "a", uid: "pod-1" }, spec: { nodeName: "n1" } }],
    "/api/v1/nodes": [{ metadata: { name: "n1", uid: "node-1" } }],
    "/apis/metrics.k8s.io/v1beta1/pods": [
      {
        metadata: { name: "web", namespace: "a" },
        ...time,
        containers: [{ name: "app", usage: { cpu, memory: "1Ki" } }],
      },
    ],
    "/apis/metrics.k8s.io/v1beta1/nodes": [{ metadata: { name: "n1" }, ...time, usage: { cpu, memory: "1Mi" } }],
  };
  const fetch = async (request: Request): Promise<Response> => {
    const items = answers[new URL(request.url).pathname];
    return items === undefined ? new Response("", { status: 404 }) : Response.json({ metadata: {}, items });
  };
  return createClient(inProcess(fetch));
}

test("measurements count once, overlaps are cut, and gaps are listed", async (context) => {
  const folder = await mkdtemp(join(tmpdir(), "meter-metrics-"));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const counts: unknown[] = [];
  // The second poll sees the same measurement; the third overlaps by 5 s; the fourth leaves a gap of 20 s.
  for (const [second, cpu] of [
    [20, "500m"],
    [20, "500m"],
    [35, "1"],
    [75, "250m"],
  ] as const) {
    // A new store each time: what was stored is found again.
    await using store = await openFolderStore(folder);
    const now = start + second * 1000;
    const client = clusterAt(second, cpu);
    const { stored, duplicate, rejected } = await importMetrics({ client, store, book, cluster: "c", now, batch: 100 });
    counts.push([stored, duplicate, rejected]);
  }
  assert.deepEqual(counts, [
    [2, 0, 0],
    [0, 2, 0],
    [2, 0, 0],
    [2, 0, 0],
  ]);
  await using store = await openFolderStore(folder);
  const { json } = await runReport(store, book, {
    window: { from: start, to: start + 75_000 },
    bucket: "total",
    by: ["cluster", "namespace", "container", "node"],
    meters: [],
    where: new Map(),
    idle: "show",
    shared: "show",
    withCost: false,
  });
  const rows = json.rows.map(({ meter, dimensions, quantity }) => [
    meter,
    Object.values(dimensions).join("/"),
    quantity,
  ]);
  assert.deepEqual(rows, [
    // 1 MiB for 55 s.
    ["node.memory.usage", "c///n1", String(1_048_576 * 55)],
    // 0.5 x 20 + 1 x 15 + 0.25 x 20
    ["pod.cpu.usage", "c/a/app/n1", "30"],
  ]);
  const gap = { start: "2026-03-01T00:00:35.000Z", end: "2026-03-01T00:00:55.000Z" };
  assert.deepEqual(
    json.coverage.map(({ missing }) => missing),
    [[gap], [gap]],
  );
});
