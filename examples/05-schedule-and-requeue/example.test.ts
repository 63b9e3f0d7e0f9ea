import assert from "node:assert/strict";
import { test } from "node:test";
import { kubernetesMissing, useKubernetes } from "@capstan/kubernetes";
import { crashEverywhere, testOperator, type TestWorld } from "capstan/testing";
import { app, Print, printer } from "./main.ts";

test("polls until the print is done, and prints again when it is lost", async () => {
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

test("a crash between any two writes does not change the end state", async () => {
  const { crashes } = await crashEverywhere(app, printOnce);
  assert.equal(crashes, 2);
});

test("a crash does not change the end state on a real cluster either", { skip: kubernetesMissing() }, async (t) => {
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
