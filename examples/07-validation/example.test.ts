import assert from "node:assert/strict";
import { test } from "node:test";
import { crashEverywhere, testOperator } from "capstan/testing";
import { app, Volume } from "./main.ts";

test("defaults are filled in, and invalid objects are rejected with the field", async () => {
  await using world = await testOperator(app);
  const made = await world.apply(Volume, "data", { spec: { gigabytes: 20 } });
  assert.deepEqual(made.spec, { gigabytes: 20, tier: "cheap", owner: "default" });

  const refused = (spec: { gigabytes: number; tier?: "fast" }, message: RegExp) =>
    assert.rejects(world.apply(Volume, "data", { spec }), { code: "Invalid", message });
  await refused({ gigabytes: 0 }, /spec\.gigabytes: Invalid value: 0: .* should be greater than or equal to 1/u);
  await refused({ gigabytes: 200, tier: "fast" }, /fast volumes have at most 100 GB/u);
  await refused({ gigabytes: 10 }, /spec\.gigabytes: Invalid value: 10: a volume that holds data cannot shrink/u);
});

test("a protected object cannot be deleted", async () => {
  await using world = await testOperator(app);
  await world.apply(Volume, "data", { metadata: { labels: { "example.com/keep": "true" } }, spec: { gigabytes: 20 } });
  await assert.rejects(world.delete(Volume, "data"), /take the label away first/u);
  await world.apply(Volume, "data", { spec: { gigabytes: 20 } });
  await world.delete(Volume, "data");
  assert.equal(await world.get(Volume, "data"), undefined);
});

test("the operator writes nothing, so a crash leaves nothing half done", async () => {
  const { crashes } = await crashEverywhere(app, async (world) => {
    await world.apply(Volume, "data", { spec: { gigabytes: 20 } });
    await world.settle();
    await world.delete(Volume, "data");
  });
  assert.equal(crashes, 0);
});
