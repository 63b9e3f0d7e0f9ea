/** Tests of classic reports: old objects run unchanged on imported rows, with schedules, roll-ups and the old formats. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import {
  addClassicObjects,
  formatClassic,
  importClassicRows,
  noClassicObjects,
  openFolderStore,
  readClassicRows,
  runClassicReport,
} from "../src/index.ts";

const objects = `
apiVersion: metering.openshift.io/v1
kind: ReportDataSource
metadata: { name: pod-request-cpu-cores }
spec: { prometheusMetricsImporter: { query: "sum(kube_pod_container_resource_requests_cpu_cores) by (pod, namespace, node)" } }
---
apiVersion: metering.openshift.io/v1
kind: ReportDataSource
metadata: { name: pod-cpu-request-raw }
spec: { reportQueryView: { queryName: pod-cpu-request-raw } }
---
apiVersion: metering.openshift.io/v1
kind: ReportQuery
metadata: { name: pod-cpu-request-raw }
spec:
  columns:
  - { name: pod, type: varchar }
  - { name: namespace, type: varchar }
  - { name: labels, type: "map<varchar, varchar>", tableHidden: true }
  - { name: core_seconds, type: double }
  - { name: timestamp, type: timestamp }
  - { name: dt, type: varchar }
  inputs:
  - { name: Source, type: ReportDataSource, default: pod-request-cpu-cores }
  query: |
    SELECT labels['pod'] as pod, labels['namespace'] as namespace, labels,
      amount * timeprecision as core_seconds, "timestamp", dt
    FROM {| dataSourceTableName .Report.Inputs.Source |}
    WHERE element_at(labels, 'node') IS NOT NULL
---
apiVersion: metering.openshift.io/v1
kind: ReportQuery
metadata: { name: namespace-cpu }
spec:
  columns:
  - { name: period_start, type: timestamp }
  - { name: period_end, type: timestamp }
  - { name: namespace, type: varchar }
  - { name: core_seconds, type: double }
  - { name: pods, type: bigint, tableHidden: true }
  inputs:
  - { name: ReportingStart, type: time }
  - { name: ReportingEnd, type: time }
  - { name: SubReport, type: Report }
  - { name: Raw, type: ReportDataSource, default: pod-cpu-request-raw }
  query: |
    SELECT
      timestamp '{| default .Report.ReportingStart .Report.Inputs.ReportingStart| prestoTimestamp |}' AS period_start,
      timestamp '{| default .Report.ReportingEnd .Report.Inputs.ReportingEnd | prestoTimestamp |}' AS period_end,
    {|- if .Report.Inputs.SubReport |}
      namespace, sum(core_seconds), max(pods)
    FROM {| .Report.Inputs.SubReport | reportTableName |}
    WHERE period_start >= timestamp '{| .Report.ReportingStart | prestoTimestamp |}'
    AND period_end <= timestamp '{| .Report.ReportingEnd | prestoTimestamp |}'
    GROUP BY namespace
    {|- else |}
      namespace, sum(core_seconds) as core_seconds, count(DISTINCT pod)
    FROM {| dataSourceTableName .Report.Inputs.Raw |}
    WHERE "timestamp" >= timestamp '{| default .Report.ReportingStart .Report.Inputs.ReportingStart | prestoTimestamp |}'
    AND "timestamp" < timestamp '{| default .Report.ReportingEnd .Report.Inputs.ReportingEnd | prestoTimestamp |}'
    AND dt >= '{| default .Report.ReportingStart .Report.Inputs.ReportingStart | prometheusMetricPartitionFormat |}'
    AND dt <= '{| default .Report.ReportingEnd .Report.Inputs.ReportingEnd | prometheusMetricPartitionFormat |}'
    GROUP BY namespace
    {|- end |}
---
apiVersion: metering.openshift.io/v1
kind: ReportList
items:
- apiVersion: metering.openshift.io/v1
  kind: Report
  metadata: { name: once }
  spec: { query: namespace-cpu, reportingStart: "2019-03-18T16:00:00Z", reportingEnd: "2019-03-18T16:05:00Z", runImmediately: true }
- apiVersion: metering.openshift.io/v1
  kind: Report
  metadata: { name: hourly }
  spec: { query: namespace-cpu, reportingStart: "2019-03-18T15:30:00Z", schedule: { period: hourly } }
- apiVersion: metering.openshift.io/v1
  kind: Report
  metadata: { name: daily }
  spec:
    query: namespace-cpu
    reportingStart: "2019-03-18T00:00:00Z"
    schedule: { period: daily }
    inputs: [{ name: SubReport, value: hourly }]
`;

/** One row a minute from 15:58 to 16:03: two pods of namespace a, one of b, one without a node. */
function rows(): readonly object[] {
  const minutes = ["15:58", "15:59", "16:00", "16:01", "16:02", "16:03"];
  const pods = [
    { amount: 0.005, labels: { namespace: "a", node: "n", pod: "a-0" } },
    { amount: 0.25, labels: { namespace: "a", node: "n", pod: "a-1" } },
    { amount: 1, labels: { namespace: "b", node: "n", pod: "b-0" } },
    { amount: 9, labels: { namespace: "b", pod: "pending" } },
  ];
  return minutes.flatMap((minute) =>
    pods.map((pod) => ({ ...pod, stepSize: 60_000_000_000, timestamp: `2019-03-18T${minute}:00Z`, dt: "2019-03-18" })),
  );
}

async function setUp(context: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), "meter-classic-"));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const store = await openFolderStore(folder);
  context.after(() => store[Symbol.asyncDispose]());
  const parsed = noClassicObjects();
  addClassicObjects(parsed, objects, "objects.yaml");
  const load = async (values: readonly object[]) =>
    importClassicRows(inputs(values), {
      store,
      dataSource: "pod-request-cpu-cores",
      batch: 10,
      now: Date.parse("2019-03-20T00:00:00Z"),
    });
  const run = (name: string, now: string) =>
    runClassicReport(
      { objects: parsed, rows: (source) => readClassicRows(store, source), now: Date.parse(now), temporary: folder },
      name,
    );
  return { load, run };
}

async function* inputs(values: readonly object[]) {
  for (const [at, value] of values.entries()) yield { where: `rows:${at + 1}`, value };
}

test("rows count once; another value of the same row is a conflict", async (context) => {
  const { load } = await setUp(context);
  const first = await load(rows());
  assert.deepEqual([first.read, first.stored, first.duplicate], [24, 24, 0]);
  assert.deepEqual(first.watermarks, { "pod-request-cpu-cores": "2019-03-18T16:04:00.000Z" });
  const [row] = rows();
  const again = await load([...rows(), { ...row, amount: 7 }, { amount: 1 }, { ...row, amount: "x" }]);
  assert.deepEqual([again.stored, again.duplicate, again.conflict, again.rejected], [0, 24, 1, 2]);
  assert.deepEqual(
    again.problems.map(({ reason }) => reason),
    ["Conflict", "BadTime", "BadAmount"],
  );
});

test("a report that runs once prints JSON, CSV and aligned tabs", async (context) => {
  const { load, run } = await setUp(context);
  await load(rows());
  const result = await run("once", "2019-03-18T16:02:00Z");
  assert.equal(result.waiting, undefined);
  const times = { period_end: "2019-03-18T16:05:00Z", period_start: "2019-03-18T16:00:00Z" };
  // 4 minutes of 0.255 cores, and of 1.
  assert.equal(
    formatClassic(result, "json"),
    `${JSON.stringify([
      { core_seconds: (0.005 * 60 + 0.25 * 60) * 4, namespace: "a", ...times },
      { core_seconds: 240, namespace: "b", ...times },
    ])}\n`,
  );
  assert.equal(
    formatClassic(result, "csv"),
    "period_start,period_end,namespace,core_seconds\n" +
      "2019-03-18 16:00:00 +0000 UTC,2019-03-18 16:05:00 +0000 UTC,a,61.200000\n" +
      "2019-03-18 16:00:00 +0000 UTC,2019-03-18 16:05:00 +0000 UTC,b,240.000000\n",
  );
  assert.equal(
    formatClassic(result, "tab"),
    "period_start\t\t\tperiod_end\t\t\tnamespace\tcore_seconds\n" +
      "2019-03-18 16:00:00 +0000 UTC\t2019-03-18 16:05:00 +0000 UTC\ta\t\t61.200000\n" +
      "2019-03-18 16:00:00 +0000 UTC\t2019-03-18 16:05:00 +0000 UTC\tb\t\t240.000000\n",
  );
});

test("a schedule runs every period that is over, and a roll-up waits for its report", async (context) => {
  const { load, run } = await setUp(context);
  await load(rows());
  const hourly = await run("hourly", "2019-03-18T17:30:00Z");
  const shown = (cells: typeof hourly.rows) =>
    cells.map((row) =>
      [row["period_start"], row["namespace"], row["core_seconds"]].map((cell) =>
        cell instanceof Date ? cell.toISOString().slice(11, 16) : cell,
      ),
    );
  assert.deepEqual(shown(hourly.rows), [
    ["15:30", "a", 30.6],
    ["15:30", "b", 120],
    ["16:00", "a", 61.2],
    ["16:00", "b", 240],
  ]);
  assert.equal(hourly.lastReportTime, Date.parse("2019-03-18T17:00:00Z"));
  assert.equal(hourly.waiting?.reason, "ReportingPeriodWaiting");

  const early = await run("daily", "2019-03-18T23:00:00Z");
  assert.deepEqual([early.rows.length, early.waiting?.reason], [0, "ReportingPeriodWaiting"]);
  const daily = await run("daily", "2019-03-19T00:00:00Z");
  assert.deepEqual(
    daily.rows.map(({ namespace, core_seconds: quantity }) => [namespace, Math.round(Number(quantity) * 1e6) / 1e6]),
    [
      ["a", 91.8],
      ["b", 360],
    ],
  );
});
