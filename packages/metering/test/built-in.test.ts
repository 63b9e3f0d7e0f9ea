/** Tests of the built-in meters: what pods request, volumes and nodes, of two clusters in one store, and ratios of their sums. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { importObjects, openFolderStore, parseBook, runReport } from "../src/index.ts";

const book = parseBook(`
meters:
- { name: pod.cpu.request, type: level, unit: core }
- { name: pvc.size, type: level, unit: byte }
- { name: node.cpu, type: level, unit: core }
- { name: node.count, type: level, unit: node }
prices:
- { meter: pvc.size, amount: "0.10", per: GiB-month730, when: { storageclass: fast } }
`);
const at = (hour: number): string => new Date(Date.UTC(2026, 2, 1, hour)).toISOString();

function object(kind: string, name: string, more: object): object {
  const metadata = { name, namespace: "a", uid: `${kind}-${name}`, creationTimestamp: at(0) };
  return { apiVersion: "v1", kind, metadata, ...more };
}

const container = (cpu: string): object => ({ resources: { requests: { cpu } } });
const seen: readonly (readonly [string, object])[] = [
  [
    "Pod",
    object("Pod", "p", {
      spec: {
        nodeName: "n",
        overhead: { cpu: "50m" },
        initContainers: [container("3"), { ...container("250m"), restartPolicy: "Always" }],
        containers: [container("1"), container("500m")],
      },
      status: { phase: "Running" },
    }),
  ],
  [
    "Pod",
    object("Pod", "done", { spec: { nodeName: "n", containers: [container("9")] }, status: { phase: "Failed" } }),
  ],
  ["Pod", object("Pod", "waiting", { spec: { containers: [container("9")] }, status: { phase: "Pending" } })],
  [
    "PersistentVolumeClaim",
    object("PersistentVolumeClaim", "v", {
      spec: { storageClassName: "fast" },
      status: { capacity: { storage: "73Gi" } },
    }),
  ],
  ["Node", object("Node", "n", { spec: { providerID: "aws:///z/i-1" }, status: { capacity: { cpu: "4" } } })],
];

function journal(cluster: string): readonly object[] {
  const kinds = ["Pod", "PersistentVolumeClaim", "Node"];
  const lines = [
    { type: "JOURNAL", id: cluster, cluster, at: at(0) },
    ...kinds.flatMap((kind) => [
      ...seen
        .filter(([own]) => own === kind)
        .map(([, each]) => ({ type: "ADDED", list: true, at: at(0), object: each })),
      { type: "SYNCED", at: at(0), apiVersion: "v1", kind },
      { type: "BOOKMARK", at: at(10), apiVersion: "v1", kind },
    ]),
  ];
  return lines.map((line, index) => ({ n: index + 1, ...line }));
}

test("pods, volumes and nodes of two clusters are metered by the rules of Kubernetes", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "built-in-"));
  t.after(() => rm(folder, { recursive: true }));
  await using store = await openFolderStore(folder, { lock: { pid: process.pid } });
  async function* inputs() {
    for (const [index, value] of [...journal("one"), ...journal("two")].entries())
      yield { where: `journal:${index + 1}`, value };
  }
  const warn = (message: string): void => assert.fail(message);
  await importObjects(inputs(), { store, book, now: Date.UTC(2026, 2, 2), batch: 1000, warn });
  assert.deepEqual(await readdir(join(folder, "journal")), ["dt=2026-03-01"]);
  const request = {
    window: { from: Date.UTC(2026, 2, 1), to: Date.UTC(2026, 2, 1, 10) },
    bucket: "total",
    by: ["cluster"],
    meters: [],
    where: new Map(),
    idle: "show",
    shared: "show",
    withCost: true,
  } as const;
  const { json } = await runReport(store, book, request);
  const rows = json.rows.map(({ meter, dimensions, quantity, cost }) => [meter, dimensions["cluster"], quantity, cost]);
  // The init container of 3 cores runs alone: with the overhead it is more than all that run together.
  assert.deepEqual(rows, [
    ["node.count", "one", "36000", null],
    ["node.count", "two", "36000", null],
    ["node.cpu", "one", "144000", null],
    ["node.cpu", "two", "144000", null],
    ["pod.cpu.request", "one", "109800", null],
    ["pod.cpu.request", "two", "109800", null],
    ["pvc.size", "one", String(73n * 1024n ** 3n * 36_000n), "0.100000"],
    ["pvc.size", "two", String(73n * 1024n ** 3n * 36_000n), "0.100000"],
  ]);
  assert.ok(json.coverage.every(({ complete }) => complete));
  const ratio = ["pod.cpu.request", "node.cpu"] as const;
  const shares = (await runReport(store, book, { ...request, by: [], ratio })).json.rows;
  assert.deepEqual(
    shares.map((row) => row.ratio),
    ["0.762500"],
  );
});
