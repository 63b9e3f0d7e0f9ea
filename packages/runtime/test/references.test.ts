/** References to other objects: a string for the own namespace, `{ name, namespace }` for any other. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigMap } from "@capstan/kinds/v1";
import { defineResource, s } from "@capstan/schema";
import { controller } from "../src/define.ts";
import { operator } from "../src/operator.ts";
import { onModel } from "./worlds.ts";

const Box = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Box",
  spec: s.object({ isFull: s.boolean().default(false) }),
  status: s.object({ seen: s.array(s.string()).default([]) }),
});

test("every call takes the same reference, and a namespace in it counts", async () => {
  const box = controller(Box, { owns: [ConfigMap] }, async ({ object, apply, create, get, keep, remove, status }) => {
    const far = { name: "far", namespace: "other" };
    if (object.spec.isFull) {
      keep(ConfigMap, { name: "near" });
      keep(ConfigMap, far);
      await remove(ConfigMap, { name: "once", namespace: "other" });
      return;
    }
    await apply(ConfigMap, { name: "near" }, { data: { at: "near" } });
    await apply(ConfigMap, far, { metadata: { namespace: "other" }, data: { at: "far" } });
    if (get(ConfigMap, { name: "once", namespace: "other" }) === undefined)
      await create(ConfigMap, { name: "once", namespace: "other" }, { data: {} });
    const found = [get(ConfigMap, "near"), get(ConfigMap, "far"), get(ConfigMap, far)];
    status.seen = found.map((each) => each?.data?.["at"] ?? "none");
  });
  await using world = await onModel(operator({ name: "test", controllers: [box] }));
  await world.apply(Box, "b", { spec: {} });
  await world.settle();
  assert.deepEqual((await world.get(Box, "b"))?.status?.seen, ["near", "none", "far"]);
  assert.notEqual(await world.get(ConfigMap, { name: "once", namespace: "other" }), undefined);
  await world.apply(Box, "b", { spec: { isFull: true } });
  await world.settle();
  assert.notEqual(await world.get(ConfigMap, "near"), undefined);
  assert.notEqual(await world.get(ConfigMap, { name: "far", namespace: "other" }), undefined);
  assert.equal(await world.get(ConfigMap, { name: "once", namespace: "other" }), undefined);
});

test("a child in two namespaces is rejected", async () => {
  const box = controller(Box, { owns: [ConfigMap] }, async ({ apply }) => {
    await apply(ConfigMap, { name: "c", namespace: "one" }, { metadata: { namespace: "two" } });
  });
  await using world = await onModel(operator({ name: "test", controllers: [box] }));
  await world.apply(Box, "b", { spec: {} });
  await world.settle();
  assert.match(
    world.failures[0]?.message ?? "",
    /^Cannot write ConfigMap c into two namespaces: the call says "one", its metadata "two"\./u,
  );
});
