import assert from "node:assert/strict";
import { test } from "node:test";
import { Deployment } from "capstan/kinds/apps/v1";
import { crashEverywhere, testOperator } from "capstan/testing";
import { app, Memcached } from "./main.ts";

test("size becomes replicas, and a change of size follows", async () => {
  await using world = await testOperator(app);
  await world.apply(Memcached, "cache", { spec: { size: 3 } });
  await world.settle();
  assert.equal((await world.get(Deployment, "cache"))?.spec?.replicas, 3);
  await world.apply(Memcached, "cache", { spec: { size: 5 } });
  await world.settle();
  assert.equal((await world.get(Deployment, "cache"))?.spec?.replicas, 5);
  const { status } = (await world.get(Memcached, "cache")) ?? assert.fail();
  assert.deepEqual(status?.nodes, []);
  assert.equal(status?.conditions?.[0]?.status, "False");
});

test("more than 100 servers are refused by the server, in our words", async () => {
  await using world = await testOperator(app);
  await assert.rejects(world.apply(Memcached, "cache", { spec: { size: 101 } }), /at most 100 servers/);
});

test("a crash between any two writes changes nothing in the end", async () => {
  const { crashes } = await crashEverywhere(app, async (world) => {
    await world.apply(Memcached, "cache", { spec: { size: 3 } });
    await world.settle();
    await world.applyStatus(Deployment, "cache", { replicas: 3, readyReplicas: 3 });
    await world.settle();
    await world.apply(Memcached, "cache", { spec: { size: 5 } });
  });
  assert.equal(crashes, 5);
});
