import assert from "node:assert/strict";
import { test } from "node:test";
import { kubernetesMissing, useKubernetes } from "@capstan/kubernetes";
import { ConfigMap } from "capstan/kinds/v1";
import { crashEverywhere, testOperator, type TestWorld } from "capstan/testing";
import { app, Greeting } from "./main.ts";

test("a greeting becomes a config map and follows its spec", async () => {
  await using world = await testOperator(app);
  await world.apply(Greeting, "first", { spec: { to: "world" } });
  await world.settle();
  const made = await world.get(ConfigMap, "first");
  assert.equal(made?.data?.["text"], "Hello, world");
  await world.apply(Greeting, "first", { spec: { to: "everybody" } });
  await world.settle();
  assert.equal((await world.get(ConfigMap, "first"))?.data?.["text"], "Hello, everybody");
});

test("a crash between any two writes does not change the end state", async () => {
  const { crashes } = await crashEverywhere(app, greetTwice);
  assert.equal(crashes, 2);
});

test("a crash does not change the end state on a real cluster either", { skip: kubernetesMissing() }, async (t) => {
  const { crashes } = await crashEverywhere(app, greetTwice, await useKubernetes(t));
  assert.equal(crashes, 2);
});

async function greetTwice(world: TestWorld): Promise<void> {
  await world.apply(Greeting, "first", { spec: { to: "world" } });
  await world.settle();
  await world.apply(Greeting, "first", { spec: { to: "everybody" } });
}
