import assert from "node:assert/strict";
import { test } from "node:test";
import { kubernetesMissing, useKubernetes } from "@capstan/kubernetes";
import { crashEverywhere, testOperator, type TestWorld } from "capstan/testing";
import { app, Print, printer } from "./main.ts";

test("looks again until it is printed, and prints again when a look finds it lost", async () => {
  await using world = await testOperator(app);
  const { metadata } = await world.apply(Print, "letter", { spec: { document: "Dear reader" } });
  const printed = async () => (await world.get(Print, "letter"))?.status?.conditions?.[0]?.status;
  await world.settle();
  assert.equal(await printed(), "False");

  printer.jobs.set(metadata.uid, "printed");
  await world.advance("31s");
  assert.equal(await printed(), "True");

  printer.jobs.clear();
  await world.advance("15m");
  assert.equal(printer.jobs.get(metadata.uid), "printing");
  assert.equal(await printed(), "False");
});

test("a crash between any two writes changes nothing in the end", async () => {
  const { crashes } = await crashEverywhere(app, printOnce);
  assert.equal(crashes, 2);
});

test("nor does it on a real cluster", { skip: kubernetesMissing() }, async (t) => {
  const { crashes } = await crashEverywhere(app, printOnce, await useKubernetes(t));
  assert.equal(crashes, 2);
});

async function printOnce(world: TestWorld): Promise<readonly string[]> {
  printer.jobs.clear();
  const { metadata } = await world.apply(Print, "letter", { spec: { document: "Dear reader" } });
  await world.settle();
  printer.jobs.set(metadata.uid, "printed");
  await world.advance("1m");
  return [...printer.jobs.values()];
}
