import assert from "node:assert/strict";
import { test } from "node:test";
import { kubernetesMissing, useKubernetes } from "@capstan/kubernetes";
import { crashEverywhere, testOperator, type TestWorld } from "capstan/testing";
import { app, deliver, Mailbox, post } from "./main.ts";

test("a ring reconciles its mailbox", async () => {
  await using world = await testOperator(app);
  for (const name of ["anna", "ben"]) await world.apply(Mailbox, name, {});
  await world.settle();
  deliver("default/anna");
  deliver("default/anna");
  await world.settle();
  assert.equal((await world.get(Mailbox, "anna"))?.status?.letters, 2);
  assert.equal((await world.get(Mailbox, "ben"))?.status?.letters, 0);
  const [last] = world.running.explain("mailbox", "default/anna").slice(-1);
  assert.equal(last?.triggers[0]?.relation, "source");
});

test("a crash between any two writes does not change the end state", async () => {
  const { crashes } = await crashEverywhere(app, getALetter);
  assert.equal(crashes, 2);
});

test("a crash does not change the end state on a real cluster either", { skip: kubernetesMissing() }, async (t) => {
  const { crashes } = await crashEverywhere(app, getALetter, await useKubernetes(t));
  assert.equal(crashes, 2);
});

async function getALetter(world: TestWorld): Promise<void> {
  post.letters.clear();
  const { namespace = "default" } = (await world.apply(Mailbox, "anna", {})).metadata;
  await world.settle();
  deliver(`${namespace}/anna`);
}
