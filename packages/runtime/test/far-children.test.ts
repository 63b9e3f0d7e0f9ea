/** Children without an owner reference: a label identifies their owner. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigMap, Secret } from "@capstan/kinds/v1";
import type { KubeObject, ObjectKey, StoredObject } from "@capstan/model";
import { defineResource, s } from "@capstan/schema";
import type { AnyKind } from "../src/api.ts";
import { controller } from "../src/define.ts";
import { operator } from "../src/operator.ts";
import type { Context } from "../src/reconcile/context.ts";
import { requeue } from "../src/reconcile/outcome.ts";
import { testOperator, VirtualClock } from "../src/testing/index.ts";
import type { TestWorld } from "../src/testing/index.ts";
import type { Controller } from "../src/define.ts";
import { failure, ModelApi } from "./model-api.ts";

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

test("a child of another object is not taken over, and outlives the second object", async () => {
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
  const before = (await world.get(ConfigMap, { name: "shared", ...far })) ?? assert.fail();
  assert.deepEqual(before.data, { of: "a" });
  await world.delete(Box, "b");
  await world.settle();
  assert.equal(await world.get(Box, "b"), undefined);
  assert.equal((await world.get(ConfigMap, { name: "shared", ...far }))?.metadata.uid, before.metadata.uid);
});

test("a child without its former owner goes to the next object that applies it", async () => {
  const box = controller(Box, { owns: [ConfigMap] }, async ({ object, apply }) => {
    await apply(ConfigMap, "shared", { metadata: far, data: { of: object.metadata.name } });
  });
  const clock = new VirtualClock();
  const api = new ModelApi(() => clock.wall());
  await using world = await testOperator(operator({ name: "boxes", controllers: [box] }), { api }, { clock });
  await world.apply(Box, "a", { spec: {} });
  await world.settle();
  await world.crash();
  // An administrator removes the finalizers.
  const key = { namespace: "default", name: "a" };
  await api.patch(Box, key, { metadata: { finalizers: null } }, { type: "merge", manager: "admin" });
  await world.delete(Box, "a");
  world.restart();
  await world.apply(Box, "b", { spec: {} });
  await world.settle();
  assert.deepEqual((await world.get(ConfigMap, { name: "shared", ...far }))?.data, { of: "b" });
});

test("a child of another controller stays until the cleanup of that one is done", async () => {
  const seen: boolean[] = [];
  const one = controller(Box, { name: "one", owns: [Secret] }, async ({ apply }) => {
    await apply(Secret, "one", { metadata: far });
  });
  const cleanup = ({ get }: Context<typeof Box, typeof Secret>) => {
    seen.push(get(Secret, { name: "two", ...far }) !== undefined);
    return seen.length < 4 ? requeue("10s", { reason: "the provider takes its time" }) : undefined;
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

test("a child of a former kind stays if its owner label was removed", async () => {
  const clock = new VirtualClock();
  const api = new ModelApi(() => clock.wall());
  const former = controller(Box, { owns: [ConfigMap] }, async ({ object, apply }) => {
    for (const name of [object.metadata.name, "other"]) await apply(ConfigMap, name, { data: {} });
  });
  {
    await using world = await testOperator(operator({ name: "boxes", controllers: [former] }), { api }, { clock });
    await world.apply(Box, "a", { spec: {} });
    await world.settle();
    await world.apply(Box, "a", { metadata: { annotations: { "capstan.dev/pause": "true" } }, spec: {} });
    await world.settle();
  }
  const app = operator({ name: "boxes", controllers: [controller(Box, {}, () => undefined)] });
  await using world = await testOperator(app, { api }, { clock });
  await world.settle();
  const body = { metadata: { ownerReferences: null } };
  await api.patch(ConfigMap, { namespace: "default", name: "a" }, body, { type: "merge", manager: "admin" });
  await world.apply(Box, "a", { metadata: { annotations: {} }, spec: {} });
  await world.settle();
  assert.deepEqual(
    (await world.list(ConfigMap)).map(({ metadata }) => metadata.name),
    ["a"],
  );
});

for (const mayLook of [true, false]) {
  test(`a child of an object in a namespace that this instance does not watch is that object's${mayLook ? "" : ", also where it may not look"}`, async () => {
    const clock = new VirtualClock();
    const api = new ModelApi(() => clock.wall());
    const box = controller(Box, { owns: [ConfigMap] }, async ({ object, apply }) => {
      await apply(ConfigMap, "shared", { metadata: far, data: { of: object.metadata.namespace ?? "" } });
    });
    const worldIn = async (namespace: string): Promise<TestWorld> => {
      const app = operator({ name: "boxes", controllers: [box], namespaces: [namespace, "far"] });
      const world = await testOperator(app, { api }, { clock, failures: "expected" });
      await world.apply(Box, { name: "a", namespace }, { spec: {} });
      await world.settle();
      return world;
    };
    await (await worldIn("one"))[Symbol.asyncDispose]();
    if (!mayLook) {
      const get = api.get.bind(api);
      api.get = async (kind: AnyKind, key: ObjectKey): Promise<StoredObject> => {
        if (key.namespace === "one") throw failure("Forbidden", "may not get boxes in one", 403);
        return await get(kind, key);
      };
    }
    await using world = await worldIn("two");
    assert.deepEqual(
      world.failures.map(({ object, message }) => `${object}: ${message}`),
      [
        "two/a: Did not write ConfigMap far/shared: it belongs to Box one/a. Give the child of Box two/a another name, or remove what is there.",
      ],
    );
    assert.deepEqual((await world.get(ConfigMap, { name: "shared", ...far }))?.data, { of: "one" });
  });
}

test("a child that was restored from a backup with its owner belongs to that owner", async () => {
  const box = controller(Box, { owns: [ConfigMap] }, async ({ apply }) => {
    await apply(ConfigMap, "kept", { metadata: far, data: { from: "the operator" } });
  });
  const clock = new VirtualClock();
  const api = new ModelApi(() => clock.wall());
  const restored = {
    ...far,
    name: "kept",
    labels: { "capstan.dev/owner-uid": "uid-before" },
    annotations: { "capstan.dev/owner": "Box.example.com/default/a" },
  };
  await api.create(
    ConfigMap,
    { apiVersion: "v1", kind: "ConfigMap", metadata: restored, data: { from: "the backup" } } as KubeObject,
    { manager: "restore" },
  );
  await using world = await testOperator(operator({ name: "boxes", controllers: [box] }), { api }, { clock });
  await world.apply(Box, "a", { spec: {} });
  await world.settle();
  const child = (await world.get(ConfigMap, { name: "kept", ...far })) ?? assert.fail();
  assert.deepEqual(child.data, { from: "the operator" });
  await world.delete(Box, "a");
  await world.settle();
  assert.equal(await world.get(ConfigMap, { name: "kept", ...far }), undefined);
});
