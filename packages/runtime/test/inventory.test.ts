/** What an operator wrote is remembered: a later version, or one with other settings, prunes what it can no longer see. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startApiServer } from "@capstan/apiserver";
import { ConfigMap, Namespace, Secret } from "@capstan/kinds/v1";
import { Lease } from "@capstan/kinds/coordination.k8s.io/v1";
import { defineResource, s } from "@capstan/schema";
import { controller } from "../src/define.ts";
import { operator } from "../src/operator.ts";
import { testOperator, VirtualClock } from "../src/testing/index.ts";
import type { TestServer } from "../src/testing/index.ts";
import { ModelApi } from "./model-api.ts";

const Box = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Box",
  spec: s.object({ far: s.boolean().default(false) }),
});

const both = controller(Box, { owns: [ConfigMap, Secret] }, async ({ object, apply }) => {
  const { name } = object.metadata;
  await apply(ConfigMap, name, { data: { a: "1" } });
  await apply(Secret, name, { stringData: { a: "1" } });
  if (object.spec.far) await apply(ConfigMap, `${name}-far`, { metadata: { namespace: "far" }, data: {} });
});
const first = operator({ name: "boxes", controllers: [both] });
const withoutSecrets = operator({
  name: "boxes",
  controllers: [
    controller(Box, { owns: [ConfigMap] }, async ({ object, apply }) => {
      await apply(ConfigMap, object.metadata.name, { data: { a: "1" } });
    }),
  ],
});

const servers: readonly (readonly [string, (clock: VirtualClock) => Promise<TestServer>])[] = [
  ["a model", async (clock) => ({ api: new ModelApi(() => clock.wall()) })],
  [
    "the embedded API server",
    (clock) => startApiServer({ clock: { now: () => clock.wall(), after: (delay, run) => clock.later(delay, run) } }),
  ],
];

for (const [where, serve] of servers) {
  describe(`the inventory on ${where}`, () => {
    test("prunes a kind that is no longer owned, of its own objects only", async () => {
      const clock = new VirtualClock();
      const server = await serve(clock);
      {
        await using world = await testOperator(first, server, { clock });
        await world.apply(Box, "b", { spec: {} });
        await world.apply(Secret, "somebody-elses", { stringData: {} });
        await world.settle();
        assert.notEqual(await world.get(Secret, "b"), undefined);
      }
      {
        await using world = await testOperator(withoutSecrets, server, { clock });
        await world.settle();
        assert.equal(await world.get(Secret, "b"), undefined);
        assert.notEqual(await world.get(Secret, "somebody-elses"), undefined);
        assert.notEqual(await world.get(ConfigMap, "b"), undefined);
      }
      await using world = await testOperator(withoutSecrets, server, { clock });
      await world.settle();
      assert.equal(world.writes.length, 0, "a restart with nothing to do writes nothing");
      const note = (await world.get(Lease, "boxes"))?.metadata.annotations?.["capstan.dev/inventory"] ?? "";
      assert.doesNotMatch(note, /Secret/u, "what is done is forgotten");
    });

    test("prunes and cleans up in a namespace that is no longer watched", async () => {
      const clock = new VirtualClock();
      const server = await serve(clock);
      {
        await using world = await testOperator(first, server, { clock });
        await world.apply(Namespace, "far", {});
        await world.apply(Box, "pruned", { spec: { far: true } });
        await world.apply(Box, "leaving", { spec: { far: true } });
        await world.settle();
        assert.notEqual(await world.get(ConfigMap, "pruned-far", { namespace: "far" }), undefined);
      }
      const nearby = operator({ ...first.definition, namespaces: ["default"] });
      await using world = await testOperator(nearby, server, { clock });
      await world.apply(Box, "pruned", { spec: { far: false } });
      await world.delete(Box, "leaving");
      await world.settle();
      assert.equal(await world.get(ConfigMap, "pruned-far", { namespace: "far" }), undefined);
      assert.equal(await world.get(ConfigMap, "leaving-far", { namespace: "far" }), undefined);
      assert.equal(await world.get(Box, "leaving"), undefined, "nothing holds it back");
    });

    test("prunes and cleans up in a namespace that is given up while it runs", async () => {
      const clock = new VirtualClock();
      const server = await serve(clock);
      await using world = await testOperator(first, server, { clock });
      await world.apply(Namespace, "far", {});
      for (const name of ["pruned", "leaving", "staying"]) await world.apply(Box, name, { spec: { far: true } });
      await world.settle();
      await world.running.setNamespaces(["default"]);
      await world.apply(Box, "pruned", { spec: { far: false } });
      await world.delete(Box, "leaving");
      await world.settle();
      const isFar = async (name: string): Promise<boolean> =>
        (await world.get(ConfigMap, `${name}-far`, { namespace: "far" })) !== undefined;
      assert.deepEqual([await isFar("pruned"), await isFar("leaving"), await isFar("staying")], [false, false, true]);
      assert.equal(await world.get(Box, "leaving"), undefined, "nothing holds it back");
    });

    test("what was to go while the namespaces changed goes as well", async () => {
      const clock = new VirtualClock();
      const server = await serve(clock);
      await using world = await testOperator(first, server, { clock });
      await world.apply(Namespace, "far", {});
      await world.apply(Box, "b", { spec: { far: true } });
      await world.settle();
      // The list of what is left behind takes its time; the turn does not wait for it.
      const end = world.inject(({ verb, kind }) =>
        verb === "list" && kind.kind === "ConfigMap" ? { fault: "delay", by: 30_000 } : undefined,
      );
      const known = world.running.setNamespaces(["default"]);
      await world.apply(Box, "b", { spec: { far: false } });
      await world.advance("10s");
      assert.notEqual(await world.get(ConfigMap, "b-far", { namespace: "far" }), undefined, "not known yet");
      await world.advance("30s");
      await known;
      end();
      await world.settle();
      assert.equal(await world.get(ConfigMap, "b-far", { namespace: "far" }), undefined);
    });

    test("is no reason to stand still when it cannot be read", async () => {
      const clock = new VirtualClock();
      const server = await serve(clock);
      await using world = await testOperator(first, server, { clock });
      await world.apply(Lease, "boxes", { metadata: { annotations: { "capstan.dev/inventory": "nonsense" } } });
      await world.crash();
      world.restart();
      await world.apply(Box, "b", { spec: {} });
      await world.settle();
      assert.notEqual(await world.get(Secret, "b"), undefined);
    });
  });
}

test("the inventory is written once for children of the whole cluster, not once a turn", async () => {
  const clock = new VirtualClock();
  const api = new ModelApi(() => clock.wall());
  const cluster = controller(Box, { owns: [Namespace] }, async ({ object, apply }) => {
    await apply(Namespace, `of-${object.metadata.name}`, {});
  });
  await using world = await testOperator(operator({ name: "boxes", controllers: [cluster] }), { api }, { clock });
  for (const far of [false, true, false]) {
    await world.apply(Box, "b", { spec: { far } });
    await world.settle();
  }
  assert.notEqual(await world.get(Namespace, "of-b"), undefined);
  const notes = api.writes.filter(({ manager }) => manager === "boxes-inventory");
  assert.equal(notes.length, 1);
});
