/** Order, fields, daemons and limits of an operator, on the model and on the embedded API server. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Deployment, StatefulSet } from "@capstan/kinds/apps/v1";
import { ConfigMap, Secret } from "@capstan/kinds/v1";
import { defineResource, s } from "@capstan/schema";
import { controller, watch } from "../src/define.ts";
import { operator } from "../src/operator.ts";
import { applyInOrder, dependent } from "../src/reconcile/dependents.ts";
import { isReady } from "../src/reconcile/readiness.ts";
import { worlds } from "./worlds.ts";
import type { MakeWorld } from "./worlds.ts";

const Shop = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Shop",
  spec: s.object({ size: s.int32().default(1), cached: s.boolean().default(true), owner: s.string().default("") }),
  status: s.object({ waiting: s.array(s.string()), log: s.array(s.string()) }),
  conditions: { Ready: "customers can buy", Stocked: "there is something to buy", Open: "the endpoint is open" },
});

const Namespace = { group: "", version: "v1", kind: "Namespace", plural: "namespaces", scope: "Cluster" } as const;

const workload = (name: string, replicas: number) => {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "shop:1" }] } };
  return { spec: { replicas, selector: { matchLabels: labels }, template } };
};

/** Settings first; then the database and the cache, concurrently; then the web servers. */
const settings = dependent(Shop, ConfigMap, {
  name: ({ metadata }) => `${metadata.name}-settings`,
  desired: ({ object }) => ({ data: { size: String(object.spec.size) } }),
});
const database = dependent(Shop, StatefulSet, {
  after: [settings],
  desired: ({ object, of }) => {
    const size = Number(of(settings).data?.["size"]);
    return { spec: { ...workload(object.metadata.name, size).spec, serviceName: "db" } };
  },
});
const cache = dependent(Shop, Secret, {
  after: [settings],
  when: ({ spec }) => spec.cached,
  desired: () => ({ stringData: { cache: "yes" } }),
});
const web = dependent(Shop, Deployment, {
  after: [database, cache],
  desired: ({ object }) => workload(object.metadata.name, object.spec.size),
});

for (const [where, worldOf] of worlds) tell(where, worldOf);

function tell(where: string, worldOf: MakeWorld): void {
  describe(`an operator on ${where}`, () => {
    test("adopts existing objects only for dependents with adopt", async () => {
      const of = (suffix: string, adopt: boolean) =>
        dependent(Shop, ConfigMap, {
          name: ({ metadata }) => `${metadata.name}-${suffix}`,
          desired: ({ object }) => ({ data: { size: String(object.spec.size) } }),
          adopt,
        });
      const shop = controller(Shop, { owns: [ConfigMap] }, async (context) => {
        await applyInOrder(context, [of("adopted", true), of("refused", false)]);
      });
      await using world = await worldOf(operator({ name: "test", controllers: [shop] }));
      for (const name of ["s-adopted", "s-refused"]) await world.apply(ConfigMap, name, { data: { size: "precious" } });
      await world.apply(Shop, "s", { spec: { size: 3 } });
      await world.settle();
      assert.deepEqual((await world.get(ConfigMap, "s-adopted"))?.data, { size: "3" });
      assert.deepEqual((await world.get(ConfigMap, "s-refused"))?.data, { size: "precious" });
      assert.match(
        world.failures[0]?.message ?? "",
        /^Did not write ConfigMap default\/s-refused: it was not made by this operator/u,
      );
    });

    test("applies children in dependency order, and deletes the ones no longer desired", async () => {
      const owns = [ConfigMap, StatefulSet, Secret, Deployment] as const;
      const shop = controller(Shop, { owns }, async (context) => {
        const progress = await applyInOrder(context, [web, cache, database, settings]);
        context.status.waiting = [...progress.waiting];
      });
      await using world = await worldOf(operator({ name: "test", controllers: [shop] }));
      await world.apply(Shop, "books", { spec: { size: 1 } });
      await world.settle();
      assert.notEqual(await world.get(StatefulSet, "books"), undefined);
      assert.equal(await world.get(Deployment, "books"), undefined, "it waits for the database");
      assert.deepEqual((await world.get(Shop, "books"))?.status?.waiting, ["Deployment books", "StatefulSet books"]);

      await world.applyStatus(StatefulSet, "books", { replicas: 1, readyReplicas: 1, updatedReplicas: 1 });
      await world.settle();
      assert.notEqual(await world.get(Deployment, "books"), undefined);
      assert.deepEqual((await world.get(Shop, "books"))?.status?.waiting, ["Deployment books"]);

      await world.applyStatus(StatefulSet, "books", { replicas: 1, readyReplicas: 0, updatedReplicas: 1 });
      await world.delete(ConfigMap, "books-settings");
      await world.settle();
      assert.notEqual(
        await world.get(Deployment, "books"),
        undefined,
        "what was made once is not taken down for a while",
      );

      await world.apply(Shop, "books", { spec: { size: 1, cached: false } });
      await world.settle();
      assert.equal(await world.get(Secret, "books"), undefined, "not wanted");
    });

    test("handles each change of a field once, also one made while it was not running", async () => {
      const handled: string[] = [];
      const shop = controller(
        Shop,
        {
          onFieldChange: {
            "spec.size": ({ from, to, object }) => {
              handled.push(`${object.metadata.name}: ${from} -> ${to}`);
            },
          },
        },
        () => undefined,
      );
      await using world = await worldOf(operator({ name: "test", controllers: [shop] }));
      await world.apply(Shop, "books", { spec: { size: 1 } });
      await world.settle();
      await world.apply(Shop, "books", { spec: { size: 1, owner: "anna" } });
      await world.settle();
      await world.crash();
      await world.apply(Shop, "books", { spec: { size: 5, owner: "anna" } });
      world.restart();
      await world.settle();
      assert.deepEqual(handled, ["books: undefined -> 1", "books: 1 -> 5"]);
    });

    test("runs a daemon for each object as long as it exists, and restarts a failed one", async () => {
      const notes: string[] = [];
      let failures = 1;
      const shop = controller(
        Shop,
        {
          daemon: async ({ object, signal, wake }) => {
            const name = object()?.metadata.name;
            notes.push(`begin ${name}`);
            signal.addEventListener("abort", () => notes.push(`end ${name}`));
            if (name === "books" && failures-- > 0) throw new Error("the line broke");
            wake("the line is open");
            await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
          },
        },
        ({ triggers, status }) => void (status.log = triggers.map(({ kind }) => kind)),
      );
      await using world = await worldOf(operator({ name: "test", controllers: [shop] }));
      await world.apply(Shop, "books", { spec: {} });
      await world.apply(Shop, "toys", { spec: {} });
      await world.advance("20s");
      await world.settle();
      assert.deepEqual(notes.toSorted(), ["begin books", "begin books", "begin toys"]);
      assert.deepEqual((await world.get(Shop, "books"))?.status?.log, ["the line is open"]);
      await world.delete(Shop, "toys");
      await world.settle();
      assert.ok(notes.includes("end toys") && !notes.includes("end books"));
      await world.crash();
      assert.ok(notes.includes("end books"), "a replica that no longer works has no tasks");
    });

    test("stops after maxAttempts until something changes", async () => {
      let runs = 0;
      const shop = controller(Shop, { maxAttempts: 3 }, () => {
        runs++;
        throw new Error("no stock");
      });
      await using world = await worldOf(operator({ name: "test", controllers: [shop] }));
      await world.apply(Shop, "books", { spec: { size: 1 } });
      await world.advance("5m");
      assert.equal(runs, 3);
      const message = world.running.explain("shop", "default/books").at(-1)?.message;
      assert.equal(message, "Gave up after 3 attempts, until something changes: no stock");
      await world.apply(Shop, "books", { spec: { size: 2 } });
      await world.advance("5m");
      assert.equal(runs, 6);
    });

    test("is ready when its other conditions hold, and otherwise names one that does not", async () => {
      const shop = controller(Shop, { readyWhen: ["Stocked", "Open"] }, ({ object, status }) => {
        status.condition("Stocked", true);
        if (object.spec.size > 0) status.condition("Open", object.spec.size > 1, "the key is lost");
      });
      await using world = await worldOf(operator({ name: "test", controllers: [shop] }));
      const ready = async (name: string, size: number) => {
        await world.apply(Shop, name, { spec: { size } });
        await world.settle();
        const found = (await world.get(Shop, name))?.status?.conditions?.find(({ type }) => type === "Ready");
        return [found?.status, found?.reason, found?.message];
      };
      assert.deepEqual(await ready("new", 0), ["Unknown", "Unknown", "Open: Unknown"]);
      assert.deepEqual(await ready("shut", 1), ["False", "NotOpen", "Open: the key is lost"]);
      assert.deepEqual(await ready("shut", 2), ["True", "Ready", ""]);
    });

    test("does not reconcile a paused namespace", async () => {
      const shop = controller(Shop, {}, ({ object, status }) => void (status.log = [String(object.spec.size)]));
      await using world = await worldOf(operator({ name: "test", controllers: [shop], pauseByNamespace: true }));
      const team = { namespace: "team" };
      await world.apply(Namespace, "team", { metadata: { annotations: { "capstan.dev/pause": "true" } } });
      await world.apply(Shop, { name: "books", ...team }, { spec: { size: 1 } });
      await world.apply(Shop, "toys", { spec: { size: 1 } });
      await world.settle();
      const { status } = (await world.get(Shop, { name: "books", ...team })) ?? {};
      assert.equal(status?.log, undefined);
      assert.match(status?.conditions?.[0]?.message ?? "", /leaves everything in this namespace alone/u);
      assert.deepEqual((await world.get(Shop, "toys"))?.status?.log, ["1"], "other namespaces go on");
      await world.apply(Namespace, "team", {});
      await world.settle();
      const resumed = (await world.get(Shop, { name: "books", ...team }))?.status;
      assert.deepEqual([resumed?.log, resumed?.conditions], [["1"], []], "it is woken when the pause ends");
    });

    test("adds and removes a watch at run time", async () => {
      const shop = controller(Shop, {}, ({ triggers, status }) => {
        status.log = triggers.map(({ relation, kind, key }) => `${relation} ${kind} ${key}`);
      });
      await using world = await worldOf(operator({ name: "test", controllers: [shop] }));
      await world.apply(Shop, "books", { spec: {} });
      await world.settle();
      const log = async () => (await world.get(Shop, "books"))?.status?.log?.at(-1);
      const end = world.running.watch(
        "shop",
        watch(ConfigMap, ({ metadata }) => (metadata.name === "sale" ? ["default/books"] : [])),
      );
      await world.apply(ConfigMap, "sale", { data: { a: "1" } });
      await world.settle();
      assert.equal(await log(), "mapped ConfigMap default/sale");
      assert.ok(world.running.health.some(({ kind }) => kind === "ConfigMap"));
      end();
      await world.settle();
      assert.ok(!world.running.health.some(({ kind }) => kind === "ConfigMap"), "its objects are forgotten");
      const reconciles = world.running.explain("shop", "default/books").length;
      await world.apply(ConfigMap, "sale", { data: { a: "2" } });
      await world.settle();
      assert.equal(world.running.explain("shop", "default/books").length, reconciles);
      assert.throws(
        () =>
          world.running.watch(
            "nobody",
            watch(ConfigMap, () => []),
          ),
        { code: "BadSetting" },
      );
    });

    test("an ended watch leaves nothing behind, also of a kind that is read anyway", async () => {
      const shop = controller(Shop, { reads: [ConfigMap] }, () => undefined);
      await using world = await worldOf(operator({ name: "test", controllers: [shop] }));
      await world.settle();
      const before = world.running.listeners;
      const begin = () =>
        world.running.watch(
          "shop",
          watch(ConfigMap, () => []),
        );
      const other = () =>
        world.running.watch(
          "shop",
          watch(Namespace, () => []),
        );
      const ends = [begin(), begin(), other(), other()];
      assert.ok(world.running.listeners > before);
      for (const end of ends) end();
      for (const end of ends) end();
      await world.settle();
      assert.equal(world.running.listeners, before);
    });

    test("ends the daemons of a removed namespace, and starts them when it is added again", async () => {
      const tasks = new Set<string>();
      const shop = controller(
        Shop,
        {
          daemon: ({ object, signal }) => {
            const name = object()?.metadata.name ?? "";
            tasks.add(name);
            signal.addEventListener("abort", () => tasks.delete(name));
          },
        },
        () => undefined,
      );
      await using world = await worldOf(
        operator({ name: "test", controllers: [shop], namespaces: ["default", "other"] }),
      );
      await world.apply(Namespace, "other", {});
      await world.apply(Shop, "books", { spec: {} });
      await world.apply(Shop, { name: "toys", namespace: "other" }, { spec: {} });
      await world.settle();
      assert.deepEqual([...tasks].toSorted(), ["books", "toys"]);
      await Promise.all([world.running.setNamespaces(["default"]), world.settle()]);
      assert.deepEqual([...tasks], ["books"]);
      await Promise.all([world.running.setNamespaces(["default", "other"]), world.settle()]);
      assert.deepEqual([...tasks].toSorted(), ["books", "toys"]);
    });

    test("a removed watch gets no events in namespaces that were added later", async () => {
      const keys: string[] = [];
      const shop = controller(
        Shop,
        { reads: [ConfigMap] },
        ({ triggers }) => void keys.push(...triggers.map(({ key }) => key)),
      );
      await using world = await worldOf(operator({ name: "test", controllers: [shop], namespaces: ["default"] }));
      await world.apply(Namespace, "other", {});
      await world.apply(Shop, "books", { spec: {} });
      await world.settle();
      const end = world.running.watch(
        "shop",
        watch(ConfigMap, () => ["default/books"]),
      );
      await Promise.all([world.running.setNamespaces(["default", "other"]), world.settle()]);
      await world.apply(ConfigMap, { name: "heard", namespace: "other" }, {});
      await world.settle();
      end();
      for (const namespace of ["default", "other"]) await world.apply(ConfigMap, { name: "unheard", namespace }, {});
      await world.settle();
      assert.ok(keys.includes("other/heard"));
      assert.ok(!keys.some((key) => key.endsWith("/unheard")), keys.join());
    });

    test("caches each namespace with its own settings", async () => {
      const shop = controller(
        Shop,
        {
          reads: [ConfigMap],
          cache: { ConfigMap: { namespaces: { default: { labelSelector: "shop=yes" }, other: {} } } },
        },
        ({ find, status }) => {
          status.log = find(ConfigMap, { namespace: "*" })
            .map(({ metadata }) => metadata.name)
            .filter((name) => name.startsWith("map-"))
            .toSorted();
        },
      );
      await using world = await worldOf(operator({ name: "test", controllers: [shop] }));
      await world.apply(Namespace, "other", {});
      await world.apply(ConfigMap, "map-a", { metadata: { labels: { shop: "yes" } } });
      await world.apply(ConfigMap, "map-b", {});
      await world.apply(ConfigMap, { name: "map-c", namespace: "other" }, {});
      await world.apply(Shop, "books", { spec: {} });
      await world.settle();
      assert.deepEqual((await world.get(Shop, "books"))?.status?.log, ["map-a", "map-c"]);
    });
  });
}

test("readiness follows the status of each kind", () => {
  const metadata = { name: "a", uid: "u", resourceVersion: "1", creationTimestamp: "", generation: 2 };
  const ready = (kind: string, rest: object) => isReady({ apiVersion: "v1", kind, metadata, ...rest });
  const conditions = (type: string, status: string) => ({ status: { conditions: [{ type, status }] } });
  assert.equal(ready("ConfigMap", {}), true);
  assert.equal(ready("Thing", conditions("Ready", "False")), false);
  assert.equal(ready("Thing", conditions("Ready", "True")), true);
  assert.equal(ready("Thing", { status: { observedGeneration: 1 } }), false, "it speaks of an older desire");
  assert.equal(
    ready("Deployment", { spec: { replicas: 2 }, status: { updatedReplicas: 2, availableReplicas: 1 } }),
    false,
  );
  assert.equal(
    ready("Deployment", { spec: { replicas: 2 }, status: { updatedReplicas: 2, availableReplicas: 2 } }),
    true,
  );
  assert.equal(ready("Deployment", { spec: { replicas: 0 }, status: {} }), true);
  assert.equal(ready("DaemonSet", { status: {} }), false);
  assert.equal(ready("Pod", { status: { phase: "Running" } }), false);
  assert.equal(ready("Pod", conditions("Ready", "True")), true);
  assert.equal(ready("PersistentVolumeClaim", { status: { phase: "Bound" } }), true);
  assert.equal(ready("Job", conditions("Complete", "True")), true);
  assert.equal(
    isReady({ apiVersion: "v1", kind: "ConfigMap", metadata: { ...metadata, deletionTimestamp: "now" } }),
    false,
  );
});
