import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import * as metrics from "../../src/act/metrics.ts";
import * as ofBackups from "../../src/backup/metrics.ts";
import { startHealthyEtcd } from "../etcd/processes.ts";

const folder = join(import.meta.dirname, "../../manifests");

interface Alerts {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly annotations: { readonly runbook: string };
    }[];
  }[];
}

/** Names of metrics in an expression: etcd's and the operator's have the same prefix. */
function metricsIn(expression: string): string[] {
  return [...expression.matchAll(/\betcd_[a-z_]+\b/gu)].map(([name]) => name.replace(/_bucket$/u, ""));
}

const own = Object.values({ ...metrics, ...ofBackups }).flatMap((value) =>
  typeof value === "object" && "name" in value ? [value.name] : [],
);

test("the operator or a real etcd exports every metric of alerts and dashboards", async () => {
  await using etcd = await startHealthyEtcd({ version: "3.6.16" });
  const page = await (await fetch(`${etcd.clientURL}/metrics`)).text();
  const told = new Set([
    ...own,
    ...[...page.matchAll(/^# TYPE (?<name>\S+)/gmu)].map(({ groups }) => groups?.["name"] ?? ""),
  ]);
  const { groups } = parse(await readFile(join(folder, "alerts.yaml"), "utf8")) as Alerts;
  const dashboard = await readFile(join(folder, "dashboard.json"), "utf8");
  const used = [
    ...groups.flatMap(({ rules }) => rules.flatMap(({ expr }) => metricsIn(expr))),
    ...metricsIn(dashboard),
  ];
  assert.ok(used.length > 20);
  assert.deepEqual(
    [...new Set(used)].filter((name) => !told.has(name)),
    [],
  );
});

test("every alert has a runbook", async () => {
  const { groups } = parse(await readFile(join(folder, "alerts.yaml"), "utf8")) as Alerts;
  const readme = await readFile(join(folder, "../README.md"), "utf8");
  const anchors = new Set(
    [...readme.matchAll(/^#+ (?<title>.+)$/gmu)].map(
      ({ groups: found }) => `README.md#${found?.["title"]?.toLowerCase().replaceAll(" ", "-")}`,
    ),
  );
  for (const { alert, annotations } of groups.flatMap(({ rules }) => rules))
    assert.ok(anchors.has(annotations.runbook), `${alert}: ${annotations.runbook}`);
});
