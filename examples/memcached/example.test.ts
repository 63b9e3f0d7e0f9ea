import assert from "node:assert/strict";
import { test } from "node:test";
import { Deployment } from "capstan/kinds/apps/v1";
import { Pod } from "capstan/kinds/v1";
import { crashEverywhere, testOperator } from "capstan/testing";
import { app, Memcached, usage } from "./main.ts";

/** A pod as the Deployment would create it; a test world has no controller for Deployments. */
const server = {
  metadata: { labels: { "cache.example.com/name": "cache" } },
  spec: { containers: [{ name: "c", image: "memcached:1.6" }] },
};

test("size becomes replicas, and follows up and down", async () => {
  await using world = await testOperator(app);
  for (const size of [3, 5, 1, 0]) {
    await world.apply(Memcached, "cache", { spec: { size } });
    await world.settle();
    assert.equal((await world.get(Deployment, "cache"))?.spec?.replicas, size);
  }
  await world.apply(Memcached, "cache", { spec: { size: 2 } });
  await world.settle();
  const { status } = (await world.get(Memcached, "cache")) ?? assert.fail();
  assert.deepEqual(status?.nodes, []);
  assert.equal(status?.conditions?.[0]?.status, "False");
});

test("servers are metered by size and image, by the second", async () => {
  await using world = await testOperator(app);
  await world.apply(Memcached, "cache", { spec: { size: 3, image: "memcached:1.6" } });
  await world.advance("10m");
  await world.apply(Memcached, "cache", { spec: { size: 5, image: "memcached:1.7" } });
  await world.advance("5m");
  assert.equal(world.usage(usage, { dimensions: { image: "memcached:1.6" } }), String(3 * 600));
  assert.equal(world.usage(usage, { namespace: "default" }), String(3 * 600 + 5 * 300));
  assert.equal(world.usage(usage, { namespace: "other" }), "0");
  await world.delete(Memcached, "cache");
  await world.settle();
  const last = world.usage(usage);
  await world.advance("1m");
  assert.equal(world.usage(usage), last, "what is gone counts no longer");
});

test("a change of the image reaches the Deployment", async () => {
  await using world = await testOperator(app);
  for (const image of ["memcached:1.6", "memcached:1.7"]) {
    await world.apply(Memcached, "cache", { spec: { image } });
    await world.settle();
    const [container] = (await world.get(Deployment, "cache"))?.spec?.template.spec?.containers ?? [];
    assert.equal(container?.image, image);
  }
});

test("a deleted Memcached stays until its last server has stopped", async () => {
  await using world = await testOperator(app);
  await world.apply(Memcached, "cache", { spec: { size: 1 } });
  await world.settle();
  await world.apply(Pod, "cache-1", server);
  await world.settle();
  await world.delete(Memcached, "cache");
  await world.settle();
  assert.equal((await world.get(Deployment, "cache"))?.spec?.replicas, 0);
  assert.notEqual(await world.get(Memcached, "cache"), undefined, "it waits for the server");

  await world.delete(Pod, "cache-1");
  await world.settle();
  assert.equal(await world.get(Memcached, "cache"), undefined);
});

test("a Memcached may have the longest possible name", async () => {
  await using world = await testOperator(app);
  const name = "m".repeat(253);
  await world.apply(Memcached, name, { spec: { size: 1 } });
  await world.settle();
  const { metadata, status } = (await world.get(Memcached, name)) ?? assert.fail();
  assert.equal(status?.conditions?.[0]?.message, "0 of 1 servers answer");
  assert.equal((await world.get(Deployment, metadata.uid))?.spec?.replicas, 1);
});

test("the server rejects more than 100 servers with our message", async () => {
  await using world = await testOperator(app);
  await assert.rejects(world.apply(Memcached, "cache", { spec: { size: 101 } }), /at most 100 servers/);
});

test("a crash between any two writes does not change the end state", async () => {
  const { crashes } = await crashEverywhere(app, async (world) => {
    await world.apply(Memcached, "cache", { spec: { size: 1 } });
    await world.settle();
    await world.apply(Pod, "cache-1", server);
    await world.applyStatus(Deployment, "cache", { replicas: 1, readyReplicas: 1 });
    await world.settle();
    const available = (await world.get(Memcached, "cache"))?.status?.conditions?.[0]?.status;
    await world.apply(Memcached, "cache", { spec: { size: 5 } });
    await world.settle();
    await world.delete(Memcached, "cache");
    await world.settle();
    await world.delete(Pod, "cache-1");
    await world.settle();
    return { available, left: await world.get(Memcached, "cache") };
  });
  assert.equal(crashes, 11);
});
