/** What was learnt about children is forgotten with them: an operator that runs for years must not grow. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Secret } from "@capstan/kinds/v1";
import { defineResource, s } from "@capstan/schema";
import { startApiServer } from "@capstan/apiserver";
import { controller } from "../src/define.ts";
import { operator } from "../src/operator.ts";
import { testOperator, VirtualClock } from "../src/testing/index.ts";

const Box = defineResource({ group: "example.com", version: "v1", kind: "Box", spec: s.object({}) });

const boxes = controller(Box, { owns: [Secret] }, async ({ object, apply }) => {
  // The server makes "Opaque" of it, which only its answer tells.
  await apply(Secret, object.metadata.name, { type: "" });
});

test("what was learnt about children goes when they go, whoever deletes them", async () => {
  const clock = new VirtualClock();
  const server = await startApiServer({
    clock: { now: () => clock.wall(), after: (delay, run) => clock.later(delay, run) },
  });
  await using world = await testOperator(operator({ controllers: [boxes] }), server, { clock });
  const names = ["a", "b", "c"];
  for (const name of names) await world.apply(Box, name, { spec: {} });
  await world.settle();
  const [running] = world.running.controllers;
  assert.equal(running?.learned, 3);
  for (const name of names) {
    await world.delete(Box, name);
    await world.delete(Secret, name);
  }
  await world.settle();
  assert.equal(running.learned, 0);
});
