import assert from "node:assert/strict";
import { test } from "node:test";
import { kubernetesMissing, useKubernetes } from "@capstan/kubernetes";
import { ConfigMap } from "capstan/kinds/v1";
import { crashEverywhere, testOperator, type TestWorld } from "capstan/testing";
import { app, Banner } from "./main.ts";

test("a change of its own source reconciles a banner, others do not", async () => {
  await using world = await testOperator(app);
  await world.apply(Banner, "door", { spec: { source: "greeting" } });
  await world.settle();
  assert.equal((await world.get(Banner, "door"))?.status?.text, "");

  await world.apply(ConfigMap, "greeting", { data: { text: "welcome" } });
  await world.settle();
  assert.equal((await world.get(Banner, "door"))?.status?.text, "welcome");

  const reconciles = world.running.explain("banner", "default/door").length;
  await world.apply(ConfigMap, "unrelated", { data: { text: "noise" } });
  await world.settle();
  assert.equal(world.running.explain("banner", "default/door").length, reconciles);

  await world.delete(ConfigMap, "greeting");
  await world.settle();
  assert.equal((await world.get(Banner, "door"))?.status?.text, "");
});

test("a crash between any two writes does not change the end state", async () => {
  const { crashes } = await crashEverywhere(app, readLate);
  assert.equal(crashes, 2);
});

test("a crash does not change the end state on a real cluster either", { skip: kubernetesMissing() }, async (t) => {
  const { crashes } = await crashEverywhere(app, readLate, await useKubernetes(t));
  assert.equal(crashes, 2);
});

async function readLate(world: TestWorld): Promise<void> {
  // A real cluster still has the ConfigMap of the test before.
  if ((await world.get(ConfigMap, "greeting")) !== undefined) await world.delete(ConfigMap, "greeting");
  await world.apply(Banner, "door", { spec: { source: "greeting" } });
  await world.settle();
  await world.apply(ConfigMap, "greeting", { data: { text: "welcome" } });
}
