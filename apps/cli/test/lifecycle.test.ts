import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { createClient, loadConfig, processHost } from "@capstan/client";
import { ConfigMap } from "@capstan/kinds/v1";
import { CatalogSource } from "@capstan/lifecycle";
import { capstan } from "./terminal.ts";

let home = "";
let manager: ChildProcess | undefined;
const env = (): NodeJS.ProcessEnv => ({
  ...process.env,
  HOME: home,
  XDG_STATE_HOME: join(home, "state"),
  KUBECONFIG: join(home, "kc"),
});
const run = (...words: string[]): ReturnType<typeof capstan> => capstan(words, { cwd: home, env: env() });

const lifecycle = (...words: string[]): ReturnType<typeof capstan> => run("lifecycle", ...words, "--kubeconfig", "kc");

const labels = { app: "foo" };
const template = { metadata: { labels }, spec: { containers: [{ name: "foo", image: "foo:1" }] } };
const csv = {
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "ClusterServiceVersion",
  metadata: { name: "foo.v1.0.0" },
  spec: {
    displayName: "Foo",
    version: "1.0.0",
    installModes: [{ type: "OwnNamespace", supported: true }],
    install: {
      strategy: "deployment",
      spec: { deployments: [{ name: "foo", spec: { selector: { matchLabels: labels }, template } }] },
    },
  },
};

before(async () => {
  home = await mkdtemp(join(tmpdir(), "cli-"));
  const started = await run("cluster", "start", "--name", "lifecycle", "--pods", "simulated", "--kubeconfig-out", "kc");
  assert.equal(started.code, 0, started.err);
  const main = new URL("../src/main.ts", import.meta.url).pathname;
  manager = spawn(process.execPath, ["--conditions=@capstan/source", main, "lifecycle", "run", "--kubeconfig", "kc"], {
    cwd: home,
    env: env(),
    stdio: ["ignore", "ignore", "pipe"],
  });
  assert.ok(manager.stderr);
  for await (const line of createInterface({ input: manager.stderr })) if (line.includes("manager runs")) break;
  await using client = createClient(await loadConfig(processHost(), { kubeconfig: join(home, "kc") }));
  const packages = JSON.stringify([{ packageName: "foo", channels: [{ name: "stable", currentCSV: "foo.v1.0.0" }] }]);
  const data = { clusterServiceVersions: JSON.stringify([csv]), packages };
  await client.create(ConfigMap, { metadata: { name: "catalog", namespace: "olm" }, data } as never);
  const spec = { sourceType: "configmap", configMap: "catalog" };
  await client.create(CatalogSource, { metadata: { name: "catalog", namespace: "olm" }, spec } as never);
});
after(async () => {
  if (manager?.exitCode === null) {
    const ended = once(manager, "exit");
    manager.kill("SIGTERM");
    await ended;
  }
  await run("cluster", "stop", "--all");
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
});

test("finds, plans, approves, lists and uninstalls an operator", async () => {
  assert.match((await lifecycle("search")).out, /^foo +olm\/catalog +stable +1 +stable$/mu);
  const unknown = await lifecycle("install", "bar", "-n", "shop");
  assert.equal(unknown.code, 3);
  assert.match(unknown.err, /no catalog has the package bar/u);
  const asked = await lifecycle("install", "foo", "-n", "shop", "--manual");
  assert.match(asked.out, /capstan lifecycle approve foo -n shop/u);
  assert.match((await lifecycle("plan", "foo", "-n", "shop")).out, /installs foo\.v1\.0\.0/u);
  assert.equal((await lifecycle("approve", "foo", "-n", "shop", "--yes")).code, 0);
  const again = await lifecycle("install", "foo", "-n", "shop");
  assert.match(again.err, /has a Subscription foo already/u);
  const [plan] = JSON.parse((await lifecycle("history", "-n", "shop", "-o", "json")).out) as [
    { readonly approved: boolean; readonly approvedBy: string },
  ];
  assert.ok(plan.approved && plan.approvedBy !== "");
  const removed = await lifecycle("uninstall", "foo", "-n", "shop", "--yes", "-o", "json");
  assert.equal((JSON.parse(removed.out) as { readonly subscription: string }).subscription, "foo");
  assert.equal((await lifecycle("status", "-n", "shop", "-o", "json")).out, "[]\n");
});
