import assert from "node:assert/strict";
import { test } from "node:test";
import { crashEverywhere, testOperator } from "capstan/testing";
import { app, deliver, Mailbox, post } from "./main.ts";

test("a ring wakes the mailbox it is for", async () => {
  await using world = await testOperator(app);
  for (const name of ["anna", "ben"]) await world.apply(Mailbox, name, {});
  await world.settle();
  deliver("default/anna");
  deliver("default/anna");
  await world.settle();
  assert.equal((await world.get(Mailbox, "anna"))?.status?.letters, 2);
  assert.equal((await world.get(Mailbox, "ben"))?.status?.letters, 0);
  const [last] = world.running.explain("mailbox", "default/anna").slice(-1);
  assert.equal(last?.causes[0]?.relation, "source");
});

test("a crash between any two writes changes nothing in the end", async () => {
  const { crashes } = await crashEverywhere(app, async (world) => {
    post.letters.clear();
    await world.apply(Mailbox, "anna", {});
    await world.settle();
    deliver("default/anna");
  });
  assert.equal(crashes, 2);
});
