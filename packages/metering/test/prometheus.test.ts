/** Tests of imports from Prometheus: levels, counters, replicas, faults, and how an import continues. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import {
  importPrometheus,
  openFolderStore,
  parseBook,
  type PrometheusImport,
  type PrometheusResult,
  runReport,
  type Store,
} from "../src/index.ts";
import { type FakePrometheus, type FakeSeries, startFakePrometheus } from "./fake-prometheus.ts";

const hour = 3_600_000;
const day = Date.UTC(2026, 2, 1);
const now = day + 24 * hour;
const book = parseBook(`
meters:
- { name: cpu, type: level, unit: core, prometheus: { query: usage, step: 60s, dimensions: { pod: pod }, replicaLabels: [replica] } }
- { name: sent, type: counter, unit: byte, prometheus: { query: sent_total, dimensions: { pod: pod }, replicaLabels: [replica] } }
- { name: fresh, type: counter, unit: byte, prometheus: { query: fresh_total, startsAtZero: true } }
`);

async function opened(t: TestContext, series: readonly FakeSeries[]): Promise<{ fake: FakePrometheus; store: Store }> {
  const folder = await mkdtemp(join(tmpdir(), "metering-prometheus-"));
  const fake = await startFakePrometheus(series);
  const store = await openFolderStore(folder);
  t.after(async () => {
    await store[Symbol.asyncDispose]();
    await fake[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });
  return { fake, store };
}

type Asked = Partial<Omit<PrometheusImport, "meters">> & { readonly meter: string };

function imported(
  { fake, store }: { fake: FakePrometheus; store: Store },
  { meter, ...more }: Asked,
): Promise<PrometheusResult> {
  return importPrometheus({
    store,
    book,
    now,
    server: { url: fake.url, headers: {}, retries: 2, pause: async () => {} },
    meters: [meter],
    from: day,
    to: day + hour,
    chunk: hour,
    backfill: 2 * hour,
    delay: 120_000,
    allowPartial: false,
    ...more,
  });
}

async function totalOf(store: Store, meter: string, [from, to]: readonly [number, number]): Promise<string> {
  const { json } = await runReport(store, book, {
    window: { from, to },
    bucket: "total",
    by: [],
    meters: [meter],
    where: new Map(),
    idle: "show",
    shared: "show",
    withCost: false,
  });
  return json.rows[0]?.quantity ?? "0";
}

const at = (minutes: number): number => day / 1000 + minutes * 60;

function series(metric: FakeSeries["metric"], values: readonly (readonly [number, string])[]): FakeSeries {
  return { metric: { namespace: "a", ...metric }, values: values.map(([minute, value]) => [at(minute), value]) };
}

test("a sample of a level counts for one step; a missing one counts nothing", async (t) => {
  const both = await opened(t, [
    series({ pod: "x" }, [
      [0, "1.5"],
      [1, "2"],
      [3, "1e-06"],
      [4, "NaN"],
      [60, "9"],
    ]),
  ]);
  const { result } = await imported(both, { meter: "cpu" });
  assert.deepEqual(
    { ...result, problems: result.problems.length },
    {
      source: "prometheus",
      read: 3,
      stored: 3,
      duplicate: 0,
      late: 0,
      conflict: 0,
      rejected: 0,
      watermarks: { cpu: new Date(day + hour).toISOString() },
      problems: 0,
    },
  );
  assert.equal(await totalOf(both.store, "cpu", [day, day + hour]), "210.00006");
});

test("the smallest replica answers, the others are duplicates", async (t) => {
  const both = await opened(t, [
    series({ pod: "x", replica: "b" }, [
      [0, "5"],
      [1, "5"],
    ]),
    series({ pod: "x", replica: "a" }, [[1, "2"]]),
  ]);
  const { result } = await imported(both, { meter: "cpu" });
  assert.deepEqual([result.read, result.stored, result.duplicate], [3, 2, 1]);
  assert.equal(await totalOf(both.store, "cpu", [day, day + hour]), "420");
});

test("what is imported again is a duplicate, another value a conflict, a hole late", async (t) => {
  const both = await opened(t, [
    series({ pod: "x" }, [
      [0, "1"],
      [1, "1"],
    ]),
  ]);
  await imported(both, { meter: "cpu" });
  both.fake.series = [
    series({ pod: "x" }, [
      [0, "1.0"],
      [1, "3"],
      [2, "1"],
    ]),
  ];
  const { result } = await imported(both, { meter: "cpu" });
  assert.deepEqual([result.read, result.stored, result.duplicate, result.late, result.conflict], [3, 1, 1, 1, 1]);
  assert.deepEqual(
    result.problems.map(({ reason }) => reason),
    ["Conflict"],
  );
  assert.equal(await totalOf(both.store, "cpu", [day, day + hour]), "180");
});

test("a level below 0 is rejected", async (t) => {
  const both = await opened(t, [series({ pod: "x" }, [[0, "-1"]])]);
  const { result } = await imported(both, { meter: "cpu" });
  assert.deepEqual([result.read, result.rejected, result.problems[0]?.reason], [1, 1, "BadAmount"]);
});

test("a counter counts what lies between readings; a smaller one is a reset", async (t) => {
  const both = await opened(t, [
    series({ pod: "x" }, [
      [0, "100"],
      [30, "160"],
      [60, "10"],
      [90, "13"],
    ]),
  ]);
  await imported(both, { meter: "sent" });
  assert.equal(await totalOf(both.store, "sent", [day, day + hour]), "70");
  // The neighbour reaches across imports, and half of it lies in the window.
  await imported(both, { meter: "sent", from: day + hour, to: day + 2 * hour });
  assert.equal(await totalOf(both.store, "sent", [day + hour, day + 1.25 * hour]), "1.5");
  assert.equal(await totalOf(both.store, "sent", [day, day + 2 * hour]), "73");
});

test("a late reading re-divides its stretch, and the total stays", async (t) => {
  const both = await opened(t, [
    series({ pod: "x" }, [
      [0, "0"],
      [40, "100"],
    ]),
  ]);
  await imported(both, { meter: "sent" });
  assert.equal(await totalOf(both.store, "sent", [day, day + hour / 2]), "75");
  both.fake.series = [
    series({ pod: "x" }, [
      [0, "0"],
      [30, "90"],
      [40, "100"],
    ]),
  ];
  const { result } = await imported(both, { meter: "sent" });
  assert.deepEqual([result.stored, result.duplicate, result.late], [1, 2, 1]);
  assert.equal(await totalOf(both.store, "sent", [day, day + hour / 2]), "90");
  assert.equal(await totalOf(both.store, "sent", [day, day + hour]), "100");
});

test("one replica is followed per chunk; a change of the replica is no reset", async (t) => {
  const both = await opened(t, [
    series({ pod: "x", replica: "a" }, [
      [0, "100"],
      [10, "110"],
    ]),
    series({ pod: "x", replica: "b" }, [
      [5, "50"],
      [70, "60"],
      [80, "65"],
    ]),
  ]);
  const { result } = await imported(both, { meter: "sent", to: day + 2 * hour });
  assert.deepEqual([result.read, result.stored, result.duplicate], [5, 4, 1]);
  assert.equal(await totalOf(both.store, "sent", [day, day + 2 * hour]), "15");
});

test("with startsAtZero the first reading counts at its instant", async (t) => {
  const both = await opened(t, [
    series({}, [
      [10, "7"],
      [20, "9"],
    ]),
  ]);
  await imported(both, { meter: "fresh" });
  assert.equal(await totalOf(both.store, "fresh", [day, day + hour]), "9");
  assert.equal(await totalOf(both.store, "fresh", [day + hour / 6, day + hour / 6 + 1]), "7.000003");
});

test("without a start an import goes on at the watermark, and ends before now", async (t) => {
  const both = await opened(t, []);
  await imported(both, { meter: "cpu" });
  const { result } = await importPrometheus({
    store: both.store,
    book,
    now: day + 3 * hour,
    meters: ["cpu"],
    server: { url: both.fake.url, headers: {}, retries: 0, pause: async () => {} },
    chunk: hour,
    backfill: 2 * hour,
    delay: 120_000,
    allowPartial: false,
  });
  assert.equal(result.watermarks["cpu"], new Date(day + 3 * hour - 120_000).toISOString());
  const asked = both.fake.requests.slice(1).map(({ query }) => [query.get("start"), query.get("end")].map(Number));
  assert.deepEqual(asked, [
    [at(60), at(119)],
    [at(120), at(177)],
  ]);
});

test("requests are repeated after 5xx and cuts, then all before is kept", async (t) => {
  const both = await opened(t, [
    series({ pod: "x" }, [
      [0, "1"],
      [60, "1"],
      [120, "1"],
    ]),
  ]);
  both.fake.fault = (_query, count) => [{ status: 503 }, "cut" as const][count - 1];
  const first = await imported(both, { meter: "cpu", to: day + 2 * hour });
  assert.equal(first.failure, undefined);
  assert.equal(both.fake.requests.length, 4);
  both.fake.fault = (query) => (Number(query.get("start")) >= at(180) ? { status: 500 } : undefined);
  const second = await imported(both, { meter: "cpu", to: day + 5 * hour });
  assert.equal(second.failure?.code, "Unreachable");
  assert.deepEqual(second.result.watermarks, { cpu: new Date(day + 3 * hour).toISOString() });
  assert.deepEqual([second.result.stored, second.result.duplicate], [1, 2]);
});

test("a range that is too large is halved", async (t) => {
  const both = await opened(t, [
    series({ pod: "x" }, [
      [0, "1"],
      [45, "1"],
    ]),
  ]);
  both.fake.fault = (query, count) => {
    if (count === 1) return "large";
    return Number(query.get("end")) - Number(query.get("start")) > 20 * 60 ? { status: 422 } : undefined;
  };
  const { result } = await imported(both, { meter: "cpu" });
  assert.equal(result.stored, 2);
  assert.equal(result.watermarks["cpu"], new Date(day + hour).toISOString());
});

test("a partial response is not stored unless it is allowed", async (t) => {
  const both = await opened(t, [series({ pod: "x" }, [[0, "1"]])]);
  both.fake.fault = () => "warn";
  const { result } = await imported(both, { meter: "cpu" });
  assert.deepEqual([result.stored, result.rejected, result.problems[0]?.reason], [0, 1, "Partial"]);
  assert.deepEqual(result.watermarks, {});
  const allowed = await imported(both, { meter: "cpu", allowPartial: true });
  assert.equal(allowed.result.stored, 1);
});
