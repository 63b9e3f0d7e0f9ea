/** The basic behaviour of an operator on any server, in virtual time. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ConfigMap } from "@capstan/kinds/v1";
import { Deployment } from "@capstan/kinds/apps/v1";
import { defineResource, s } from "@capstan/schema";
import { controller } from "../src/define.ts";
import { requeue } from "../src/reconcile/outcome.ts";
import { operator } from "../src/operator.ts";
import { testOperator, VirtualClock } from "../src/testing/index.ts";
import { ModelApi } from "./model-api.ts";
import { onModel, worlds } from "./worlds.ts";
import type { MakeWorld } from "./worlds.ts";

const Cache = defineResource({
  group: "cache.example.com",
  version: "v1",
  kind: "Cache",
  spec: s.object({ size: s.int32().min(0).default(1), extra: s.boolean().default(false) }),
  status: s.object({ ready: s.int32().default(0) }),
  conditions: { Available: "as many as were asked for are there" },
});

const cache = controller(Cache, { owns: [Deployment, ConfigMap] }, async ({ object, apply, status }) => {
  const { name } = object.metadata;
  const labels = { app: name };
  const deployment = await apply(Deployment, name, {
    spec: {
      replicas: object.spec.size,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: "cache",
              image: "memcached:1.6",
              ports: [{ containerPort: 11211 }],
              resources: { limits: { cpu: "1000m", memory: "1024Mi" } },
            },
          ],
        },
      },
    },
  });
  if (object.spec.extra) await apply(ConfigMap, `${name}-extra`, { data: { size: String(object.spec.size) } });
  status.ready = deployment.status?.readyReplicas ?? 0;
  status.condition("Available", deployment.status?.readyReplicas === object.spec.size);
});

for (const [where, worldOf] of worlds) tell(where, worldOf);

function tell(where: string, worldOf: MakeWorld): void {
  describe(`an operator on ${where}, in virtual time`, () => {
    test("reconciles objects with two writes each, and then writes nothing", async () => {
      await using world = await worldOf(operator({ name: "test", controllers: [cache] }));
      for (let at = 0; at < 5; at++) await world.apply(Cache, `c${at}`, { spec: { size: at } });
      await world.settle();
      assert.equal(world.writes.length, 10);
      const reconciles = world.running.explain("cache", "default/c3");
      assert.equal(reconciles.length, 1, "what it wrote itself, child and status, is no reason for another reconcile");
      const stored = await world.get(Cache, "c3");
      assert.equal(stored?.status?.conditions?.[0]?.status, "False");
      assert.equal(stored?.status?.conditions?.[0]?.observedGeneration, stored?.metadata.generation);
      assert.equal((await world.get(Deployment, "c3"))?.spec?.replicas, 3);
      await world.crash();
      world.restart();
      await world.settle();
      await world.advance("1h");
      assert.equal(world.writes.length, 10);
    });

    test("deletes a child that is no longer desired, and repairs one that was changed", async () => {
      await using world = await worldOf(operator({ name: "test", controllers: [cache] }));
      await world.apply(Cache, "c", { spec: { size: 1, extra: true } });
      await world.settle();
      assert.ok(await world.get(ConfigMap, "c-extra"));
      await world.delete(ConfigMap, "c-extra");
      await world.settle();
      assert.equal((await world.get(ConfigMap, "c-extra"))?.data?.["size"], "1");
      await world.apply(Cache, "c", { spec: { size: 1, extra: false } });
      await world.settle();
      assert.equal(await world.get(ConfigMap, "c-extra"), undefined);
    });

    test("reaches the same end wherever it crashes", async () => {
      for (let nth = 1; nth <= 4; nth++) {
        await using world = await worldOf(operator({ name: "test", controllers: [cache] }));
        world.crashBeforeWrite(nth);
        await world.apply(Cache, "c", { spec: { size: 2, extra: true } });
        await world.settle();
        assert.equal((await world.get(Deployment, "c"))?.spec?.replicas, 2, `crash before write ${nth}`);
        assert.ok(await world.get(ConfigMap, "c-extra"));
        assert.equal((await world.get(Cache, "c"))?.status?.conditions?.length, 1);
      }
    });

    test("runs a step once, although it crashes before the step is recorded as done", async () => {
      const runs: boolean[] = [];
      const backup = controller(Cache, { name: "backup" }, async ({ object, step, status }) => {
        const copied = await step("copy", ({ resumed }) => (runs.push(resumed), 42), { input: object.spec.size });
        if (copied !== 42) return requeue("1s");
        status.ready = copied;
        return undefined;
      });
      await using world = await worldOf(operator({ name: "test", controllers: [backup] }));
      // The first write records the start of the step, the second its result: the crash falls between them.
      world.crashBeforeWrite(2);
      await world.apply(Cache, "c", { spec: { size: 1 } });
      await world.settle();
      assert.deepEqual(runs, [false, true]);
      assert.equal((await world.get(Cache, "c"))?.status?.ready, 42);
      await world.crash();
      world.restart();
      await world.settle();
      assert.deepEqual(runs, [false, true]);
    });

    test("keeps an object until its cleanup has succeeded", async () => {
      let attempts = 0;
      const cleaning = controller(
        Cache,
        {
          cleanup: () => {
            if (++attempts < 3) throw new Error("the volume is still in use");
          },
        },
        () => undefined,
      );
      await using world = await worldOf(operator({ name: "test", controllers: [cleaning] }));
      await world.apply(Cache, "c", { spec: { size: 1 } });
      await world.settle();
      await world.delete(Cache, "c");
      await world.settle();
      assert.equal(attempts, 3);
      assert.equal(await world.get(Cache, "c"), undefined);
    });

    test("notices missed events after watches were silent", async () => {
      await using world = await worldOf(operator({ name: "test", controllers: [cache] }));
      const heal = world.dropEvents();
      await world.advance("10s");
      await world.apply(Cache, "c", { spec: { size: 7 } });
      await world.advance("30s");
      heal();
      await world.advance("5m");
      await world.settle();
      assert.equal((await world.get(Deployment, "c"))?.spec?.replicas, 7);
    });

    test("writes nothing after another replica took the lease", async () => {
      await using world = await worldOf(operator({ name: "test", controllers: [cache] }));
      await world.apply(Cache, "c", { spec: { size: 1 } });
      await world.settle();
      const before = world.writes.length;
      await world.loseLease();
      await world.advance("12s");
      assert.equal(world.running.isLeader, false);
      await world.apply(Cache, "c", { spec: { size: 9 } });
      await world.advance("5m");
      assert.equal(world.writes.length, before);
    });
  });
}

test("breaks a hot loop, and names the fields and the other manager", async () => {
  const clock = new VirtualClock();
  const api = new ModelApi(() => clock.wall());
  await using world = await testOperator(operator({ name: "test", controllers: [cache] }), { api }, { clock });
  await world.apply(Cache, "c", { spec: { size: 1, extra: true } });
  await world.settle();
  const rival = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace: "default", name: "c-extra" },
    data: { size: "rival" },
  };
  for (let round = 0; round < 40; round++) {
    await api.apply(ConfigMap, rival, { manager: "rival", force: true });
    await world.advance("500ms");
  }
  assert.ok(world.writes.length < 30, `${world.writes.length} writes`);
  const [last] = world.running.explain("cache", "default/c").slice(-1);
  assert.match(last?.message ?? "", /^Stopped writing ConfigMap default\/c-extra: .* "rival" .*data\.size/u);
});

test("repairs a status that another manager changed, and reports a hot loop", async () => {
  const clock = new VirtualClock();
  const api = new ModelApi(() => clock.wall());
  await using world = await testOperator(operator({ name: "test", controllers: [cache] }), { api }, { clock });
  await world.apply(Cache, "c", { spec: { size: 1 } });
  await world.settle();
  const theirs = {
    apiVersion: `${Cache.group}/${Cache.version}`,
    kind: "Cache",
    metadata: { namespace: "default", name: "c" },
    status: { ready: 99 },
  };
  // Applied, because the model keeps managed fields only of applies.
  const meddle = () => api.apply(Cache, theirs, { manager: "rival", force: true, subresource: "status" });
  await meddle();
  await world.settle();
  assert.equal((await world.get(Cache, "c"))?.status?.ready, 0);
  for (let round = 0; round < 40; round++) {
    await meddle();
    await world.advance("500ms");
  }
  assert.match(
    world.running.explain("cache", "default/c").at(-1)?.message ?? "",
    /^Stopped writing Cache default\/c: .* because "rival" changes status/u,
  );
});

test("does not trust its cached status when the response to a write was lost", async () => {
  await using world = await onModel(operator({ name: "test", controllers: [cache] }));
  world.loseAnswer(2);
  await world.apply(Cache, "c", { spec: { size: 1 } });
  await world.settle();
  assert.equal((await world.get(Cache, "c"))?.status?.conditions?.length, 1);
});

test("1,000 spec changes within a minute are all reconciled", async () => {
  await using world = await onModel(operator({ name: "test", controllers: [cache] }));
  for (let size = 1; size <= 1000; size++) {
    await world.apply(Cache, "c", { spec: { size, extra: true } });
    await world.advance("50ms");
    const child = await world.get(ConfigMap, "c-extra");
    assert.equal(child?.data?.["size"], String(size));
  }
  assert.deepEqual(world.failures, []);
});
