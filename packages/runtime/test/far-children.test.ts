/** Children where no owner reference leads: whose they are is told by a label, and one object's are no other's. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigMap, Secret } from "@capstan/kinds/v1";
import { defineResource, s } from "@capstan/schema";
import { controller } from "../src/define.ts";
import { operator } from "../src/operator.ts";
import { again } from "../src/reconcile/outcome.ts";
import { testOperator, VirtualClock } from "../src/testing/index.ts";
import type { TestWorld } from "../src/testing/index.ts";
import type { Controller } from "../src/define.ts";
import { ModelApi } from "./model-api.ts";

const Box = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Box",
  spec: s.object({}),
  status: s.object({}),
});

const far = { namespace: "far" };

async function worldOf(...controllers: readonly Controller[]): Promise<TestWorld> {
  const clock = new VirtualClock();
  const api = new ModelApi(() => clock.wall());
  return await testOperator(operator({ name: "boxes", controllers }), { api }, { clock, failures: "expected" });
}

test("a child of another object of the same controller is not taken over, and stays when the second one goes", async () => {
  const box = controller(Box, { owns: [ConfigMap] }, async ({ object, apply }) => {
    await apply(ConfigMap, "shared", { metadata: far, data: { of: object.metadata.name } });
  });
  await using world = await worldOf(box);
  await world.apply(Box, "a", { spec: {} });
  await world.settle();
  await world.apply(Box, "b", { spec: {} });
  await world.settle();
  assert.deepEqual(
    world.failures.map(({ object, message }) => `${object}: ${message}`),
    [
      "default/b: Did not write ConfigMap far/shared: it belongs to Box default/a. Give the child of Box default/b another name, or remove what is there.",
    ],
  );
  const before = (await world.get(ConfigMap, "shared", far)) ?? assert.fail();
  assert.deepEqual(before.data, { of: "a" });
  await world.delete(Box, "b");
  await world.settle();
  assert.equal(await world.get(Box, "b"), undefined);
  assert.equal((await world.get(ConfigMap, "shared", far))?.metadata.uid, before.metadata.uid);
});

test("a child of another controller of the same object stays until that one's cleanup needs it no more", async () => {
  const seen: boolean[] = [];
  const one = controller(Box, { name: "one", owns: [Secret] }, async ({ apply }) => {
    await apply(Secret, "one", { metadata: far });
  });
  const cleanup = ({ get }: { get: (kind: typeof Secret, name: string, place: typeof far) => unknown }) => {
    seen.push(get(Secret, "two", far) !== undefined);
    return seen.length < 4 ? again("10s", "the provider takes its time") : undefined;
  };
  const two = controller(Box, { name: "two", owns: [Secret], cleanup }, async ({ apply }) => {
    await apply(Secret, "two", { metadata: far });
  });
  await using world = await worldOf(one, two);
  await world.apply(Box, "a", { spec: {} });
  await world.settle();
  await world.delete(Box, "a");
  await world.advance("2m");
  assert.deepEqual(seen, [true, true, true, true]);
  assert.equal(await world.get(Box, "a"), undefined);
  assert.deepEqual(await world.list(Secret), []);
});
