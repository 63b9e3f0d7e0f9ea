import assert from "node:assert/strict";
import { test } from "node:test";
import { metricNames } from "./metrics.ts";
import { monitoringOf } from "./monitoring.ts";

const all = monitoringOf({ hasTls: true, backups: {}, accounts: {} }, { kind: "Store" });

test("alerts and panels use metrics that the operator serves", () => {
  const served = new Set(metricNames);
  const used = [...all.alerts, ...all.panels.flatMap(({ queries }) => queries)].flatMap(({ expr }) =>
    [...expr.matchAll(/capstan_stateful_\w+/gu)].map(([name]) => name),
  );
  assert.deepEqual(
    used.filter((name) => !served.has(name)),
    [],
  );
  assert.deepEqual(
    [...served].filter((name) => !used.includes(name)),
    [],
    "a metric without an alert or a panel",
  );
});

test("each alert has a name once, and steps", () => {
  const names = all.alerts.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  assert.deepEqual(
    all.alerts.filter(({ steps }) => steps.length === 0),
    [],
  );
});

test("an application without TLS, accounts and backups has no alerts for them", () => {
  const names = monitoringOf({}, { kind: "Store" }).alerts.map(({ name }) => name);
  assert.deepEqual(
    names.filter((name) => /Certificates|Accounts|Backup|Log/u.test(name)),
    [],
  );
});
