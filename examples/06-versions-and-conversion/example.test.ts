import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigMap } from "capstan/kinds/v1";
import { crashEverywhere, testOperator } from "capstan/testing";
import { app, Timer } from "./main.ts";

test("a client of v1 reads v1, the controller sees v2", async () => {
  await using world = await testOperator(app);
  await world.apply(Timer.as.v1, "egg", { spec: { seconds: 300 } });
  await world.settle();
  assert.equal((await world.get(ConfigMap, "egg"))?.data?.["duration"], "300s");
  assert.deepEqual((await world.get(Timer.as.v2, "egg"))?.spec, { duration: "300s" });
  assert.deepEqual((await world.get(Timer.as.v1, "egg"))?.spec, { seconds: 300 });

  await world.apply(Timer.as.v2, "egg", { spec: { duration: "240s" } });
  await world.settle();
  assert.deepEqual((await world.get(Timer.as.v1, "egg"))?.spec, { seconds: 240 });
});

test("a crash between any two writes does not change the end state", async () => {
  const { crashes } = await crashEverywhere(app, async (world) => {
    await world.apply(Timer.as.v1, "egg", { spec: { seconds: 300 } });
    await world.settle();
    await world.apply(Timer.as.v2, "egg", { spec: { duration: "240s" } });
  });
  assert.equal(crashes, 2);
});
