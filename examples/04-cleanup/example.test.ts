import assert from "node:assert/strict";
import { test } from "node:test";
import { kubernetesMissing, useKubernetes } from "@capstan/kubernetes";
import { crashEverywhere, testOperator, type TestWorld } from "capstan/testing";
import { app, Bucket, cloud } from "./main.ts";

test("the object stays until the bucket is gone", async () => {
  await using world = await testOperator(app);
  await world.apply(Bucket, "photos", { spec: { region: "north" } });
  await world.settle();
  assert.equal(cloud.buckets.size, 1);

  cloud.isDown = true;
  await world.delete(Bucket, "photos");
  await world.settle();
  assert.notEqual(await world.get(Bucket, "photos"), undefined, "it waits for the cloud");

  cloud.isDown = false;
  await world.advance("1m");
  await world.settle();
  assert.equal(cloud.buckets.size, 0);
  assert.equal(await world.get(Bucket, "photos"), undefined);
});

test("a crash between any two writes leaves no bucket behind", async () => {
  const { crashes } = await crashEverywhere(app, makeAndDelete);
  assert.equal(crashes, 2);
});

test("a crash leaves no bucket behind on a real cluster either", { skip: kubernetesMissing() }, async (t) => {
  const { crashes } = await crashEverywhere(app, makeAndDelete, await useKubernetes(t));
  assert.equal(crashes, 2);
});

async function makeAndDelete(world: TestWorld): Promise<readonly number[]> {
  cloud.buckets.clear();
  await world.apply(Bucket, "photos", { spec: { region: "north" } });
  await world.settle();
  const made = cloud.buckets.size;
  await world.delete(Bucket, "photos");
  await world.settle();
  return [made, cloud.buckets.size];
}
