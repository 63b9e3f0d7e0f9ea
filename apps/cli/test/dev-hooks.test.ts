/** `capstan dev` enforces webhooks where the API server surely reaches the operator, and says where it does not. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startCluster } from "@capstan/cluster";
import { ValidatingWebhookConfiguration } from "@capstan/kinds/admissionregistration.k8s.io/v1";
import { Runner } from "../src/dev/runner.ts";

const entry = fileURLToPath(new URL("../../../examples/07-validation/main.ts", import.meta.url));

/** Runs the example until it has registered its webhooks; returns their failure policies and the log. */
async function registered(
  t: TestContext,
  isReachable: boolean,
): Promise<{ readonly policies: readonly (string | undefined)[]; readonly log: string }> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-hooks-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const cluster = await startCluster({ pods: "simulated", port: 0 });
  t.after(() => cluster.stop());
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, cluster.kubeconfig ?? "");
  const lines: string[] = [];
  const started = Promise.withResolvers<void>();
  await using runner = new Runner({
    cwd: folder,
    entry,
    flags: [`--kubeconfig=${kubeconfig}`, "--install-crds=true"],
    isReachable,
    line: (line) => lines.push(line),
    failed: (why) => lines.push(why),
    loaded: () => undefined,
    started: () => started.resolve(),
  });
  await runner.reload();
  const late = delay(120_000, undefined, { ref: false }).then(() => assert.fail(`did not start:\n${lines.join("\n")}`));
  await Promise.race([started.promise, late]);
  const { items } = await cluster.client.list(ValidatingWebhookConfiguration, {}).all();
  // A deletion is never refused because a webhook cannot be reached.
  const policies = items
    .flatMap(({ webhooks = [] }) => webhooks)
    .filter(({ name }) => name === "validate.volumes.example.com")
    .map(({ failurePolicy }) => failurePolicy);
  return { policies, log: lines.join("\n") };
}

test("webhooks of an operator beside its API server are enforced", async (t) => {
  const { policies, log } = await registered(t, true);
  assert.deepEqual(policies, ["Fail"]);
  assert.doesNotMatch(log, /not enforced/u);
});

test("webhooks that may be unreachable are not enforced, and the log says so", async (t) => {
  const { policies, log } = await registered(t, false);
  assert.deepEqual(policies, ["Ignore"]);
  assert.match(log, /webhooks are not enforced: .*failurePolicy: Ignore/u);
});
