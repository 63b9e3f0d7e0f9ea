/** Tests of `meter serve --import` and `--classic`: a source that comes and goes, and the paths of metering-operator. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { setTimeout } from "node:timers/promises";
import { addClassicObjects, noClassicObjects } from "@capstan/metering";
import { settingOf } from "../src/commands/meter-serve.ts";
import { noSource, runSources } from "../src/meter/serve/run-sources.ts";
import { startServer } from "../src/meter/serve/server.ts";
import type { Setting } from "../src/meter/serve/setting.ts";
import { parseTokens, tokenAuthenticator } from "../src/meter/serve/token-file.ts";

const now = "2026-03-01T02:02:00Z";
const instant = (hour: number): number => Date.UTC(2026, 2, 1, hour) / 1000;

/** Answers range queries with level 2 at every step, once it is up. */
async function startPrometheus(t: TestContext, state: { isUp: boolean }): Promise<string> {
  const server: Server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? "/", "http://localhost");
    const [start, end, step] = ["start", "end", "step"].map((name) => Number(searchParams.get(name)));
    const values: [number, string][] = [];
    for (let at = start ?? 0; at <= (end ?? 0); at += step ?? 60) values.push([at, "2"]);
    const result = [{ metric: { namespace: "a", pod: "p" }, values }];
    response.statusCode = state.isUp ? 200 : 503;
    response.end(JSON.stringify({ status: "success", data: { resultType: "matrix", result } }));
  });
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function place(t: TestContext, book: string): Promise<Setting> {
  const folder = await mkdtemp(join(tmpdir(), "meter-sources-"));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "metering.yaml"), book);
  const terminal = {
    cwd: folder,
    env: {},
    isInteractive: false,
    isWatched: false,
    color: false,
    columns: 120,
    out: () => {},
    err: () => {},
    ask: async () => "",
    input: async () => "",
  };
  return settingOf({ store: undefined, book: undefined, now }, terminal);
}

test("a server imports from Prometheus, and goes on while it is down", async (t) => {
  const state = { isUp: false };
  const url = await startPrometheus(t, state);
  const meter = `{ name: cpu, type: level, unit: core, prometheus: { query: up, url: "${url}", dimensions: { pod: pod } } }`;
  const setting = await place(t, `meters: [${meter}]`);
  assert.equal(noSource(await setting.book(), false), undefined);
  const lines: string[] = [];
  const sources = { setting, client: undefined, journal: "none", log: (line: string) => void lines.push(line) };
  {
    await using _down = runSources(sources);
    const end = Date.now() + 60_000;
    while (lines.length === 0 && Date.now() < end) await setTimeout(20);
    assert.match(lines[0] ?? "", /HTTP 503/);
  }
  state.isUp = true;
  const watermark = async (): Promise<number | undefined> => {
    await using store = await setting.openStore();
    return store.state.watermarks.get("cpu");
  };
  await using _up = runSources(sources);
  const end = Date.now() + 60_000;
  while ((await watermark()) !== instant(2) * 1000 && Date.now() < end) await setTimeout(50);
  assert.equal(await watermark(), instant(2) * 1000);
});

test("a server without a source to import says what is missing", async (t) => {
  const setting = await place(t, "meters: [{ name: calls, type: event, unit: call }]");
  assert.match(noSource(await setting.book(), true) ?? "", /prometheus\.url/);
});

const objects = (url: string): string => `
apiVersion: metering.openshift.io/v1
kind: ReportDataSource
metadata: { name: cpu, namespace: metering }
spec: { prometheusMetricsImporter: { query: up, prometheusConfig: { url: "${url}" } } }
---
apiVersion: metering.openshift.io/v1
kind: ReportDataSource
metadata: { name: other, namespace: metering }
spec: { prometheusMetricsImporter: { query: up, prometheusConfig: { url: "${url}" } } }
---
apiVersion: metering.openshift.io/v1
kind: ReportQuery
metadata: { name: cpu-sum, namespace: metering }
spec:
  inputs:
  - { name: ReportingStart, type: time }
  - { name: ReportingEnd, type: time }
  - { name: Source, type: ReportDataSource, default: cpu }
  columns:
  - { name: pod, type: varchar, tableHidden: true }
  - { name: total, type: double, unit: core_seconds }
  query: |
    SELECT labels['pod'] AS pod, sum(amount * "timeprecision") AS total FROM {| dataSourceTableName .Report.Inputs.Source |}
    WHERE "timestamp" >= timestamp '{| default .Report.ReportingStart .Report.Inputs.ReportingStart | prestoTimestamp |}'
    AND "timestamp" < timestamp '{| default .Report.ReportingEnd .Report.Inputs.ReportingEnd | prestoTimestamp |}'
    GROUP BY labels['pod']
---
apiVersion: metering.openshift.io/v1
kind: Report
metadata: { name: cpu-once, namespace: metering }
spec: { query: cpu-sum, reportingStart: "2026-03-01T00:00:00Z", reportingEnd: "2026-03-01T01:00:00Z" }
---
apiVersion: metering.openshift.io/v1
kind: Report
metadata: { name: cpu-later, namespace: metering }
spec: { query: cpu-sum, reportingStart: "2026-03-01T00:00:00Z", reportingEnd: "2027-03-01T01:00:00Z" }
`;

test("the paths of metering-operator answer with their formats and codes", async (t) => {
  const url = await startPrometheus(t, { isUp: true });
  const setting = await place(t, "meters: []");
  const classic = noClassicObjects();
  addClassicObjects(classic, objects(url), "objects.yaml");
  const tokens = [
    { token: "t-admin", user: "ada", role: "admin" },
    { token: "t-viewer", user: "vera", tenants: ["acme"], role: "viewer" },
  ];
  await using server = await startServer({
    setting: { ...setting, classic: async () => classic },
    authenticator: tokenAuthenticator(parseTokens(JSON.stringify(tokens), "tokens.json")),
    listening: { host: "127.0.0.1", port: 0 },
    atOnce: 2,
    log: () => {},
    onRefused: async () => {},
  });
  const ask = async (path: string, init: RequestInit = {}, token = "t-admin") => {
    const response = await fetch(`${server.url}/api/${path}`, {
      ...init,
      headers: { authorization: `Bearer ${token}` },
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const post = (path: string, body: unknown) => ask(path, { method: "POST", body: JSON.stringify(body) });
  assert.equal((await ask("v1/reports/get?name=cpu-once&format=json", {}, "t-viewer")).status, 403);

  const window = { startTime: "2026-03-01T00:00:00Z", endTime: "2026-03-01T00:59:00Z" };
  const collected = await post("v1/datasources/prometheus/collect/metering/cpu", window);
  assert.deepEqual(JSON.parse(collected.text), { results: [{ reportDataSource: "cpu", metricsImportedCount: 60 }] });
  assert.equal((await post("v1/datasources/prometheus/collect/metering/none", window)).status, 404);
  const other = JSON.parse((await ask("v1/datasources/prometheus/fetch/metering/other")).text) as unknown;
  assert.deepEqual(other, [], "only the named source is imported");

  const flat = await ask("v1/reports/get?name=cpu-once&namespace=metering&format=json");
  assert.equal(flat.status, 200, flat.text);
  assert.deepEqual(JSON.parse(flat.text), [{ total: 7200 }]);
  assert.equal(flat.headers.get("content-disposition"), "attachment;filename=cpu-sum.json");
  const full = await ask("v2/reports/metering/cpu-once/full?format=json");
  const total = { name: "total", value: 7200, tableHidden: false, unit: "core_seconds" };
  const pod = { name: "pod", value: "p", tableHidden: true };
  assert.deepEqual(JSON.parse(full.text), { results: [{ values: [pod, total] }] });
  const table = await ask("v2/reports/metering/cpu-once/table?format=json");
  assert.deepEqual(JSON.parse(table.text), { results: [{ values: [total] }] });
  assert.equal((await ask("v2/reports/metering/cpu-once/full?format=csv")).text, "total\n7200.000000\n");

  const codes = [
    ["v1/reports/get?name=cpu-once", 400],
    ["v1/reports/get?name=cpu-once&format=xml", 400],
    ["v1/reports/get?name=none&format=json", 404],
    ["v2/reports/metering//full?format=json", 400],
    ["v1/reports/get?name=cpu-later&format=json", 202],
    ["v1/nothing", 404],
  ] as const;
  for (const [path, code] of codes) {
    const { status, text } = await ask(path);
    assert.equal(status, code, path);
    assert.equal(typeof (JSON.parse(text) as { error?: unknown }).error, "string", path);
  }

  const rendered = await post("v2/reportqueries/metering/cpu-sum/render", {
    inputs: [],
    start: "2026-03-01T00:00:00Z",
    end: "2026-03-02T00:00:00Z",
  });
  assert.match(rendered.text, /datasource_metering_cpu[\s\S]*timestamp '2026-03-02 00:00:00.000'/);
  const rows = [{ amount: 1.5, timestamp: "2026-03-01T01:05:00Z", labels: { a: "b" }, stepSize: 60_000_000_000 }];
  assert.equal((await post("v1/datasources/prometheus/store/metering/pushed", rows)).text, "{}\n");
  const fetched = await ask("v1/datasources/prometheus/fetch/metering/pushed?start=2026-03-01T00:00:00Z");
  assert.deepEqual(JSON.parse(fetched.text), [{ ...rows[0], dt: "2026-03-01" }]);
  assert.equal((await post("v1/datasources/prometheus/store/metering/pushed", [{ amount: "x" }])).status, 400);
});

test("old paths that store usage need the right to create it, and are in the audit", async (t) => {
  const url = await startPrometheus(t, { isUp: true });
  const setting = await place(t, "meters: []");
  const classic = noClassicObjects();
  addClassicObjects(classic, objects(url), "objects.yaml");
  const audited: unknown[] = [];
  // In a cluster, an auditor can read all reports and write nothing.
  const rights: { readonly [token: string]: readonly string[] } = { auditor: ["get"], importer: ["get", "create"] };
  await using server = await startServer({
    setting: {
      ...setting,
      classic: async () => classic,
      audit: async (user, happenings) => void audited.push(...happenings.map(({ action }) => [user, action])),
    },
    authenticator: {
      callerOf: async (token) => ({
        user: token,
        scopeOf: async ({ verb }) =>
          rights[token]?.includes(verb) === true ? { kind: "all" } : { kind: "tenants", tenants: [] },
      }),
    },
    listening: { host: "127.0.0.1", port: 0 },
    atOnce: 2,
    log: () => {},
    onRefused: async () => {},
  });
  const post = async (token: string, path: string, body: unknown): Promise<number> => {
    const headers = { authorization: `Bearer ${token}` };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    return (await fetch(`${server.url}/api/v1/datasources/prometheus/${path}`, init)).status;
  };
  const rows = [{ amount: 1, timestamp: "2026-03-01T01:05:00Z", labels: {}, stepSize: 60_000_000_000 }];
  const window = { startTime: "2026-03-01T00:00:00Z", endTime: "2026-03-01T00:59:00Z" };
  for (const [path, body] of [
    ["store/metering/pushed", rows],
    ["collect/metering/cpu", window],
    ["collect/metering", window],
  ] as const) {
    assert.equal(await post("auditor", path, body), 403, path);
    assert.deepEqual(audited, [], path);
    assert.equal(await post("importer", path, body), 200, path);
    assert.deepEqual(audited.splice(0)[0], ["importer", "import"], path);
  }
});
