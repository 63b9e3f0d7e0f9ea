/** The inventory of written kinds: a later version, or one with other settings, prunes children that it can no longer see. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startApiServer } from "@capstan/apiserver";
import { ConfigMap, Namespace, Secret } from "@capstan/kinds/v1";
import { HorizontalPodAutoscaler as V1 } from "@capstan/kinds/autoscaling/v1";
import { HorizontalPodAutoscaler as V2 } from "@capstan/kinds/autoscaling/v2";
import { Lease } from "@capstan/kinds/coordination.k8s.io/v1";
import { defineResource, s } from "@capstan/schema";
import { controller } from "../src/define.ts";
import { operator } from "../src/operator.ts";
import { testOperator, VirtualClock } from "../src/testing/index.ts";
import type { TestServer } from "../src/testing/index.ts";
import { failure, ModelApi } from "./model-api.ts";

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
  ["the embedded API server", (clock) => startApiServer({ clock })],
];

test("a kind that another controller of the same objects owns now keeps its objects", async () => {
  const clock = new VirtualClock();
  const server = { api: new ModelApi(() => clock.wall()) };
  const secrets = controller(Box, { name: "secrets", owns: [Secret] }, async ({ object, apply }) => {
    await apply(Secret, object.metadata.name, { stringData: { a: "1" } });
  });
  const split = operator({ name: "boxes", controllers: [...withoutSecrets.definition.controllers, secrets] });
  let uid: string | undefined;
  for (const app of [first, split, split]) {
    await using world = await testOperator(app, server, { clock });
    if (uid === undefined) await world.apply(Box, "b", { spec: {} });
    await world.settle();
    const found = (await world.get(Secret, "b"))?.metadata.uid;
    uid ??= found;
    assert.ok(found !== undefined && found === uid, "it is the same object");
  }
});

test("a Lease that is deleted under its leader is recreated with the record", async () => {
  const clock = new VirtualClock();
  const server = { api: new ModelApi(() => clock.wall()) };
  {
    await using world = await testOperator(first, server, { clock });
    await world.apply(Box, "b", { spec: {} });
    await world.settle();
    await world.delete(Lease, "boxes");
    await world.advance("1m");
  }
  await using world = await testOperator(withoutSecrets, server, { clock });
  await world.settle();
  assert.equal(await world.get(Secret, "b"), undefined, "the kind is no longer owned");
});

test("a kind that may not be listed does not hide others, and new kinds are recorded", async () => {
  const clock = new VirtualClock();
  const server = { api: new ModelApi(() => clock.wall()) };
  const third = operator({ name: "boxes", controllers: [controller(Box, { owns: [] }, () => undefined)] });
  const secretsOnly = controller(Box, { owns: [Secret] }, async ({ apply }) => {
    await apply(Secret, "old", { stringData: {} });
  });
  const makes = (app: typeof first) => testOperator(app, server, { clock });
  {
    await using world = await makes(operator({ name: "boxes", controllers: [secretsOnly] }));
    await world.apply(Box, "b", { spec: {} });
    await world.settle();
  }
  {
    await using world = await makes(withoutSecrets);
    world.inject(({ verb, kind }) =>
      verb === "list" && kind.kind === "Secret"
        ? { fault: "refuse", error: failure("Forbidden", "secrets is forbidden", 403) }
        : undefined,
    );
    await world.crash();
    world.restart();
    await world.settle();
    assert.notEqual(await world.get(Secret, "old"), undefined);
    assert.notEqual(await world.get(ConfigMap, "b"), undefined);
  }
  await using world = await makes(third);
  await world.settle();
  assert.equal(await world.get(ConfigMap, "b"), undefined, "the second version's");
  assert.equal(await world.get(Secret, "old"), undefined, "the first version's, now that it may be seen");
});

/** Applies an autoscaler with the given kinds: owned as the first, applied as the last. */
const scaling = (...owns: readonly (typeof V1 | typeof V2)[]) =>
  operator({
    name: "boxes",
    controllers: [
      controller(Box, { owns }, async ({ object, apply }) => {
        const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "x" };
        await apply(owns.at(-1) ?? V1, object.metadata.name, { spec: { maxReplicas: 3, scaleTargetRef } });
      }),
    ],
  });

test("a kind that is owned in another version, or in two, keeps its objects", async () => {
  const clock = new VirtualClock();
  const server = await startApiServer({
    clock,
  });
  let uid: string | undefined;
  for (const app of [scaling(V1), scaling(V2), scaling(V1, V2), scaling(V2, V1), scaling(V1)]) {
    await using world = await testOperator(app, server, { clock });
    if (uid === undefined) await world.apply(Box, "b", { spec: {} });
    await world.settle();
    const found = (await world.get(V2, "b"))?.metadata.uid;
    uid ??= found;
    assert.ok(found !== undefined && found === uid, "it is the same object");
    assert.deepEqual(
      world.writes.filter(({ verb }) => verb === "delete"),
      [],
    );
  }
});

for (const [where, serve] of servers) {
  describe(`the inventory on ${where}`, () => {
    test("prunes a kind that is no longer owned, for its own objects only", async () => {
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
        assert.notEqual(await world.get(ConfigMap, { name: "pruned-far", namespace: "far" }), undefined);
      }
      const nearby = operator({ ...first.definition, namespaces: ["default"] });
      await using world = await testOperator(nearby, server, { clock });
      await world.apply(Box, "pruned", { spec: { far: false } });
      await world.delete(Box, "leaving");
      await world.settle();
      assert.equal(await world.get(ConfigMap, { name: "pruned-far", namespace: "far" }), undefined);
      assert.equal(await world.get(ConfigMap, { name: "leaving-far", namespace: "far" }), undefined);
      assert.equal(await world.get(Box, "leaving"), undefined, "nothing holds it back");
    });

    test("prunes and cleans up in a namespace that is removed while it runs", async () => {
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
        (await world.get(ConfigMap, { name: `${name}-far`, namespace: "far" })) !== undefined;
      assert.deepEqual([await isFar("pruned"), await isFar("leaving"), await isFar("staying")], [false, false, true]);
      assert.equal(await world.get(Box, "leaving"), undefined, "nothing holds it back");
    });

    test("children to prune during a namespace change are deleted as well", async () => {
      const clock = new VirtualClock();
      const server = await serve(clock);
      await using world = await testOperator(first, server, { clock });
      await world.apply(Namespace, "far", {});
      await world.apply(Box, "b", { spec: { far: true } });
      await world.settle();
      // The list of remaining children is slow; the reconcile does not wait for it.
      const end = world.inject(({ verb, kind }) =>
        verb === "list" && kind.kind === "ConfigMap" ? { fault: "delay", by: 30_000 } : undefined,
      );
      const known = world.running.setNamespaces(["default"]);
      await world.apply(Box, "b", { spec: { far: false } });
      await world.advance("10s");
      assert.notEqual(await world.get(ConfigMap, { name: "b-far", namespace: "far" }), undefined, "not known yet");
      await world.advance("30s");
      await known;
      end();
      await world.settle();
      assert.equal(await world.get(ConfigMap, { name: "b-far", namespace: "far" }), undefined);
    });

    test("does not stop the operator when it cannot be read", async () => {
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

test("the inventory is written once for cluster-scoped children, not per reconcile", async () => {
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

describe("children in many namespaces", () => {
  const Tenants = defineResource({
    group: "example.com",
    version: "v1",
    kind: "Tenants",
    spec: s.object({ from: s.int32(), to: s.int32() }),
  });
  /** The maximum length of a namespace name. */
  const namespaceOf = (number: number): string => `tenant-${String(number).padStart(56, "0")}`;
  const tenants = controller(Tenants, { owns: [ConfigMap] }, async ({ object: { metadata, spec }, apply }) => {
    for (let number = spec.from; number < spec.to; number++)
      await apply(ConfigMap, metadata.name, { metadata: { namespace: namespaceOf(number) }, data: {} });
  });
  const app = operator({ name: "tenants", controllers: [tenants] });
  const served = () => {
    const clock = new VirtualClock();
    const api = new ModelApi(() => clock.wall());
    return { clock, api };
  };
  const isRecord = (options: { readonly manager: string }): boolean => options.manager === "tenants-inventory";

  test("are recorded together, one write at a time, while the lease is renewed", async () => {
    const { clock, api } = served();
    const patch = api.patch.bind(api);
    let [running, most, writes] = [0, 0, 0];
    api.patch = async (kind, key, body, options) => {
      if (!isRecord(options)) return patch(kind, key, body, options);
      most = Math.max(most, ++running);
      writes++;
      try {
        // Longer than the renewal interval of the lease.
        await new Promise<void>((resolve) => void clock.later(5_000, resolve));
        return await patch(kind, key, body, options);
      } finally {
        running--;
      }
    };
    await using world = await testOperator(app, { api }, { clock });
    for (let number = 0; number < 30; number++)
      await world.apply(Tenants, `t${number}`, { spec: { from: number, to: number + 1 } });
    await world.settle();
    for (let number = 0; number < 30; number++)
      assert.ok(await world.get(ConfigMap, { name: `t${number}`, namespace: namespaceOf(number) }));
    assert.equal(most, 1, "one at a time");
    assert.ok(writes < 30, `${writes} writes for 30 namespaces`);
    assert.ok(world.running.isLeader);
  });

  test("are written only after the record was saved, also after a failed save", async () => {
    const { clock, api } = served();
    const patch = api.patch.bind(api);
    let isDown = false;
    api.patch = (kind, key, body, options) =>
      isDown && isRecord(options)
        ? Promise.reject(failure("InternalError", "etcd is busy", 500))
        : patch(kind, key, body, options);
    await using world = await testOperator(app, { api }, { clock });
    await world.settle();
    isDown = true;
    await world.apply(Tenants, "t", { spec: { from: 0, to: 1 } });
    await world.advance("1m");
    assert.equal(await world.get(ConfigMap, { name: "t", namespace: namespaceOf(0) }), undefined);
    isDown = false;
    await world.advance("10m");
    assert.ok(await world.get(ConfigMap, { name: "t", namespace: namespaceOf(0) }));
    const note = (await world.get(Lease, "tenants"))?.metadata.annotations?.["capstan.dev/inventory"] ?? "";
    assert.ok(note.includes(namespaceOf(0)));
  });

  test("that are too many to be listed are still found", async () => {
    const { clock, api } = served();
    {
      await using world = await testOperator(app, { api }, { clock });
      await world.apply(Tenants, "t", { spec: { from: 0, to: 520 } });
      await world.settle();
      assert.ok(await world.get(ConfigMap, { name: "t", namespace: namespaceOf(519) }));
      const lease = await world.get(Lease, "tenants");
      assert.ok(JSON.stringify(lease?.metadata.annotations).length < 40_000, "the Lease stays small");
    }
    const nearby = operator({ ...app.definition, namespaces: ["default", namespaceOf(1)] });
    await using world = await testOperator(nearby, { api }, { clock });
    await world.apply(Tenants, "t", { spec: { from: 1, to: 3 } });
    await world.settle();
    const isThere = async (number: number): Promise<boolean> =>
      (await world.get(ConfigMap, { name: "t", namespace: namespaceOf(number) })) !== undefined;
    assert.deepEqual(
      [await isThere(0), await isThere(1), await isThere(2), await isThere(3), await isThere(519)],
      [false, true, true, false, false],
    );
    await world.delete(Tenants, "t");
    await world.settle();
    assert.deepEqual([await isThere(1), await isThere(2)], [false, false]);
  });
});

describe("an operator under another name", () => {
  /** Two children, one of them with two fields; or only that one, with one field. */
  const named = (name: string, isLater: boolean, previous?: { readonly names: readonly string[] }) =>
    operator({
      name,
      ...(previous && { previous }),
      controllers: [
        controller(Box, { owns: isLater ? [ConfigMap] : [ConfigMap, Secret] }, async ({ object, apply }) => {
          const { name: box } = object.metadata;
          await apply(ConfigMap, box, { data: isLater ? { a: "2" } : { a: "1", b: "1" } });
          if (isLater) return;
          await apply(ConfigMap, `${box}-too`, { data: {} });
          await apply(Secret, box, { stringData: {} });
        }),
      ],
    });

  test("takes over and prunes the children of its previous name", async () => {
    const clock = new VirtualClock();
    const server = await startApiServer({
      clock,
    });
    let uid: string | undefined;
    {
      await using world = await testOperator(named("boxes", false), server, { clock });
      await world.apply(Box, "b", { spec: {} });
      await world.settle();
      uid = (await world.get(ConfigMap, "b"))?.metadata.uid;
    }
    const later = named("chests", true, { names: ["boxes"] });
    await using world = await testOperator(later, server, { clock });
    await world.settle();
    const kept = await world.get(ConfigMap, "b");
    assert.ok(kept !== undefined && kept.metadata.uid === uid, "it is the same object");
    assert.deepEqual(kept.data, { a: "2" }, "what only the former name wanted is gone");
    const managers = kept.metadata.managedFields?.map(({ manager }) => manager);
    assert.deepEqual(managers, ["chests-box"]);
    assert.equal(await world.get(ConfigMap, "b-too"), undefined, "a child that is no longer wanted");
    assert.equal(await world.get(Secret, "b"), undefined, "of a kind that is no longer owned");
    const before = kept.metadata.resourceVersion;
    await world.crash();
    world.restart();
    await world.settle();
    assert.equal((await world.get(ConfigMap, "b"))?.metadata.resourceVersion, before, "a restart writes nothing");
  });
});
