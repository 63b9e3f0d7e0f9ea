/** A turn that answers `again` is not done: it prunes nothing, and its explanation says so. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigMap } from "@capstan/kinds/v1";
import { defineResource, s } from "@capstan/schema";
import { controller } from "../src/define.ts";
import { operator } from "../src/operator.ts";
import { again } from "../src/reconcile/outcome.ts";
import { onModel } from "./worlds.ts";

const Box = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Box",
  spec: s.object({ names: s.array(s.string()).default([]), isDone: s.boolean().default(false) }),
});

const box = controller(Box, { owns: [ConfigMap] }, async ({ object, apply }) => {
  for (const name of object.spec.names) await apply(ConfigMap, name, { data: {} });
  return object.spec.isDone ? undefined : again("1h");
});

test("children that a turn did not apply stay while it is not done, and the explanation says why", async () => {
  await using world = await onModel(operator({ controllers: [box] }));
  const decisions = (): readonly string[] => world.running.explain("box", "default/b").at(-1)?.decisions ?? [];
  await world.apply(Box, "b", { spec: { names: ["one", "two", "three"] } });
  await world.settle();
  assert.deepEqual(decisions(), [], "there is nothing to say of what is wanted");
  await world.apply(Box, "b", { spec: { names: ["one"] } });
  await world.settle();
  assert.notEqual(await world.get(ConfigMap, "two"), undefined);
  assert.match(decisions()[0] ?? "", /^keep ConfigMap default\/\w+ and 1 more, .*again\(\.\.\.\).* prunes nothing$/u);
  await world.apply(Box, "b", { spec: { names: ["one"], isDone: true } });
  await world.settle();
  assert.equal(await world.get(ConfigMap, "two"), undefined);
  assert.deepEqual(decisions(), []);
});
