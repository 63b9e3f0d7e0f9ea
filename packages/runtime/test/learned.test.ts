/** Learnt spellings are dropped with their children: an operator that runs for years must not grow. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Deployment } from "@capstan/kinds/apps/v1";
import { defineResource, s } from "@capstan/schema";
import { startApiServer } from "@capstan/apiserver";
import { controller } from "../src/define.ts";
import { operator } from "../src/operator.ts";
import { testOperator, VirtualClock } from "../src/testing/index.ts";

const Box = defineResource({ group: "example.com", version: "v1", kind: "Box", spec: s.object({}) });

const labels = { app: "box" };

const boxes = controller(Box, { owns: [Deployment] }, async ({ object, apply }) => {
  // The server's default for the policy depends on the image: only its response shows it. (The type does not know that it may be empty.)
  const spec = { containers: [{ name: "box", image: "box:1", imagePullPolicy: "" as "Always" }] };
  const template = { metadata: { labels }, spec };
  await apply(Deployment, object.metadata.name, { spec: { selector: { matchLabels: labels }, template } });
});

test("learnt spellings of children are dropped when the children are deleted", async () => {
  const clock = new VirtualClock();
  const server = await startApiServer({
    clock,
  });
  await using world = await testOperator(operator({ name: "test", controllers: [boxes] }), server, { clock });
  const names = ["a", "b", "c"];
  for (const name of names) await world.apply(Box, name, { spec: {} });
  await world.settle();
  const [running] = world.running.controllers;
  assert.equal(running?.learned, 3);
  for (const name of names) {
    await world.delete(Box, name);
    await world.delete(Deployment, name);
  }
  await world.settle();
  assert.equal(running.learned, 0);
});
