import assert from "node:assert/strict";
import { test } from "node:test";
import { Deployment } from "capstan/kinds/apps/v1";
import { crashEverywhere, testOperator } from "capstan/testing";
import { app, Website } from "./main.ts";

test("the condition follows the servers", async () => {
  await using world = await testOperator(app);
  await world.apply(Website, "shop", { spec: { image: "nginx:1.29" } });
  await world.settle();
  const available = async () => (await world.get(Website, "shop"))?.status?.conditions?.[0];
  assert.partialDeepStrictEqual(await available(), { type: "Available", status: "False", reason: "Starting" });

  await world.applyStatus(Deployment, "shop", { replicas: 2, readyReplicas: 2 });
  await world.settle();
  const { status } = (await world.get(Website, "shop")) ?? {};
  assert.equal(status?.ready, 2);
  assert.partialDeepStrictEqual(await available(), { status: "True", reason: "AllReady", observedGeneration: 1 });
});

test("a crash between any two writes does not change the end state", async () => {
  const { crashes } = await crashEverywhere(app, async (world) => {
    await world.apply(Website, "shop", { spec: { image: "nginx:1.29" } });
    await world.settle();
    await world.applyStatus(Deployment, "shop", { replicas: 2, readyReplicas: 2 });
    await world.settle();
    await world.apply(Website, "shop", { spec: { image: "nginx:1.30", replicas: 2 } });
  });
  assert.equal(crashes, 5);
});
