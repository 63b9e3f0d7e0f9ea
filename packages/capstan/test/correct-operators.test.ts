/** Eight correct operators of the kinds that a testing kit easily fails by mistake: every one passes. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { controller, defineResource, operator, requeue, s } from "capstan";
import { ConfigMap, Secret, Service } from "capstan/kinds/v1";
import { Deployment } from "capstan/kinds/apps/v1";
import { crashEverywhere, testOperator } from "capstan/testing";
import { grow, growAndDelete, Shop } from "./operators/shop.ts";

test("passes a child with a generated name that the status mentions", async () => {
  const app = operator({
    name: "generated",
    controllers: [
      controller(Shop, { owns: [ConfigMap] }, async ({ find, create, object, status }) => {
        const owned = find(ConfigMap, { owner: object });
        const child = owned[0] ?? (await create(ConfigMap, { prefix: "shop-" }, { data: {} }));
        status.child = child.metadata.name;
      }),
    ],
  });
  const { crashes } = await crashEverywhere(app, grow);
  assert.equal(crashes, 2);
});

test("passes several generated children, with their names as keys and in a list", async () => {
  const app = operator({
    name: "several",
    controllers: [
      controller(Shop, { owns: [ConfigMap] }, async ({ find, create, apply, object, status }) => {
        const owned = [...find(ConfigMap, { owner: object, labels: { member: "yes" } })];
        while (owned.length < object.spec.size)
          owned.push(await create(ConfigMap, { prefix: "m-" }, { metadata: { labels: { member: "yes" } }, data: {} }));
        const names = owned.map(({ metadata }) => metadata.name).toSorted();
        await apply(ConfigMap, "index", { data: Object.fromEntries(names.map((name) => [name, "here"])) });
        status.children = names;
      }),
    ],
  });
  await crashEverywhere(app, grow);
});

test("passes Secrets with random contents beside a hook with certificates", async () => {
  const Guarded = defineResource({
    group: "kit.example.com",
    version: "v1",
    kind: "Guarded",
    spec: s.object({ size: s.int32().default(1) }),
    status: s.object({ size: s.int32() }),
    validate: ({ object, reject }) => {
      if (object.spec.size > 5) reject("spec.size", "is too large");
    },
  });
  const app = operator({
    name: "guarded",
    controllers: [
      controller(Guarded, { owns: [Secret], prune: false }, async ({ object, get, create, status }) => {
        if (get(Secret, "password") === undefined)
          await create(Secret, "password", { stringData: { password: randomUUID() } });
        status.size = object.spec.size;
      }),
    ],
  });
  await crashEverywhere(app, async (world) => {
    await world.apply(Guarded, "g", { spec: { size: 1 } });
    await assert.rejects(world.apply(Guarded, "g", { spec: { size: 6 } }), /too large/u);
    await world.settle();
    await world.apply(Guarded, "g", { spec: { size: 2 } });
  });
});

test("passes steps with an external effect that has a key", async () => {
  const paid = new Map<string, number>();
  const app = operator({
    name: "steps",
    controllers: [
      controller(Shop, {}, async ({ object, step, status }) => {
        const key = await step("key", () => randomUUID());
        await step("pay", () => void paid.set(key, object.spec.size), { input: object.spec.size });
        status.size = object.spec.size;
      }),
    ],
  });
  await crashEverywhere(app, async (world) => {
    paid.clear();
    await grow(world);
    return [...paid.values()];
  });
});

test("passes children that come and go, with events, conditions and cleanup", async () => {
  const buckets = new Set<string>();
  const app = operator({
    name: "full",
    controllers: [
      controller(
        Shop,
        { owns: [ConfigMap, Deployment], cleanup: ({ object }) => void buckets.delete(object.metadata.name) },
        async ({ object, apply, event, status }) => {
          buckets.add(object.metadata.name);
          if (object.spec.extra) await apply(ConfigMap, "extra", { data: { text: object.spec.text } });
          const labels = { app: "shop" };
          await apply(Deployment, "shop", {
            spec: {
              replicas: object.spec.size,
              selector: { matchLabels: labels },
              template: { metadata: { labels }, spec: { containers: [{ name: "shop", image: "shop:1" }] } },
            },
          });
          event("Normal", "Grown", `to ${object.spec.size}`);
          status.condition("Open", true);
          status.size = object.spec.size;
        },
      ),
    ],
  });
  const { crashes } = await crashEverywhere(app, async (world) => {
    await growAndDelete(world);
    return buckets.size;
  });
  assert.ok(crashes > 10, `${crashes} crashes`);
});

test("passes times in the status and in names", async () => {
  let now = (): number => 0;
  const app = operator({
    name: "times",
    controllers: [
      controller(Shop, { owns: [ConfigMap], prune: false }, async ({ object, find, create, status }) => {
        const time = new Date(now()).toISOString();
        status.at ??= time;
        if (find(ConfigMap, { owner: object }).length > 0) return;
        await create(ConfigMap, `backup-${time.replaceAll(/[-:]|\..*/gu, "").toLowerCase()}`, { data: { time } });
      }),
    ],
  });
  await crashEverywhere(app, async (world) => {
    now = () => world.clock.wall();
    await grow(world);
  });
});

test("passes a Service with allocated addresses and ports", async () => {
  const app = operator({
    name: "addresses",
    controllers: [
      controller(Shop, { owns: [Service] }, async ({ apply, status }) => {
        const service = await apply(Service, "shop", {
          spec: { type: "NodePort", selector: { app: "shop" }, ports: [{ name: "http", port: 80 }] },
        });
        status.text = `http://${service.spec?.clusterIP}`;
      }),
    ],
  });
  await crashEverywhere(app, grow);
});

test("passes an operator that goes one step a time, with requeues", async () => {
  const app = operator({
    name: "patient",
    controllers: [
      controller(
        Shop,
        { owns: [ConfigMap] },
        {
          observe: ({ object, find }) => ({
            wanted: object.spec.size,
            found: find(ConfigMap, { owner: object }).length,
          }),
          decide: ({ wanted, found }) =>
            found < wanted ? { do: "add" as const, at: found } : { do: "rest" as const, size: found },
          act: {
            add: async ({ action, apply }) => {
              await apply(ConfigMap, `part-${action.at}`, { data: {} });
              return requeue("1s");
            },
            rest: ({ action, status, find, object, keep }) => {
              for (const { metadata } of find(ConfigMap, { owner: object })) keep(ConfigMap, metadata.name);
              status.size = action.size;
            },
          },
        },
      ),
    ],
  });
  await crashEverywhere(app, grow);
});

test("gives the same uids, names and addresses for the same seed, others for another", async () => {
  const app = operator({
    name: "seeds",
    controllers: [
      controller(Shop, { owns: [ConfigMap, Service] }, async ({ object, find, create, apply }) => {
        if (find(ConfigMap, { owner: object }).length === 0) await create(ConfigMap, { prefix: "c-" }, { data: {} });
        await apply(Service, "shop", { spec: { type: "NodePort", ports: [{ port: 80 }] } });
      }),
    ],
  });
  const end = async (seed: number): Promise<unknown> => {
    await using world = await testOperator(app, { seed });
    await grow(world);
    const uids = (await world.list(Shop)).map(({ metadata }) => metadata.uid);
    const names = (await world.list(ConfigMap)).map(({ metadata }) => metadata.name);
    const services = (await world.list(Service)).map(({ spec }) => [spec?.clusterIP, spec?.ports?.[0]?.nodePort]);
    return { uids, names, services };
  };
  const one = await end(1);
  assert.deepEqual(await end(1), one);
  assert.notDeepEqual(await end(2), one);
});
