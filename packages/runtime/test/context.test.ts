/** The context besides apply: create, remove, find by owner and by index, and reconciles during deletion. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ConfigMap, Pod } from "@capstan/kinds/v1";
import { defineResource, s } from "@capstan/schema";
import { index } from "../src/cache/lookup.ts";
import { controller, watch } from "../src/define.ts";
import { counter, gauge, histogram } from "../src/metrics/metric.ts";
import { operator } from "../src/operator.ts";
import { worlds } from "./worlds.ts";
import type { MakeWorld } from "./worlds.ts";

const Group = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Group",
  spec: s.object({ size: s.int32().min(0).default(1) }),
  status: s.object({ members: s.array(s.string()), seen: s.array(s.string()) }),
});

const container = { name: "main", image: "member:1" };
const names = (objects: readonly { readonly metadata: { readonly name: string } }[]): string[] =>
  objects.map(({ metadata }) => metadata.name).sort();

/** Creates and removes members one by one, and relies on its cache to show its own writes. */
const group = controller(Group, { owns: [Pod] }, async ({ object, create, remove, find, status }) => {
  const members = (): readonly string[] =>
    names(find(Pod, { owner: object }).filter((pod) => pod.metadata.deletionTimestamp === undefined));
  for (let count = members().length; count < object.spec.size; count++) {
    await create(Pod, { prefix: `${object.metadata.name}-` }, { spec: { containers: [container] } });
  }
  for (const name of members().slice(object.spec.size)) await remove(Pod, name);
  status.members = [...members()];
});

/** Applies one volume that outlives the object, and one that does not. */
const keeper = controller(Group, { owns: [ConfigMap] }, async ({ object, apply }) => {
  const { name } = object.metadata;
  await apply(ConfigMap, `${name}-goes`, { data: { size: String(object.spec.size) } });
  if (object.spec.size > 0) {
    await apply(ConfigMap, `${name}-stays`, { data: { size: String(object.spec.size) } }, { owned: false });
  }
});

for (const [where, worldOf] of worlds) tell(where, worldOf);

function tell(where: string, worldOf: MakeWorld): void {
  describe(`a reconcile on ${where}`, () => {
    test("creates and removes children, and sees its own writes at once", async () => {
      await using world = await worldOf(operator({ name: "test", controllers: [group] }));
      await world.apply(Group, "g", { spec: { size: 3 } });
      await world.settle();
      const grown = (await world.get(Group, "g"))?.status?.members ?? [];
      assert.equal(grown.length, 3);
      assert.deepEqual(names(await world.list(Pod)), grown);
      assert.deepEqual(
        world.writes.map(({ verb }) => verb),
        ["create", "create", "create", "status"],
        "a stale read would have created more, a pruning reconcile would have deleted them",
      );

      await world.apply(Group, "g", { spec: { size: 1 } });
      await world.settle();
      assert.deepEqual((await world.get(Group, "g"))?.status?.members, grown.slice(0, 1));
      assert.equal(world.writes.filter(({ verb }) => verb === "delete").length, 2);
    });

    test("does not touch an object of another owner, and continues when it is gone", async () => {
      await using world = await worldOf(operator({ name: "test", controllers: [keeper] }));
      const precious = await world.apply(ConfigMap, "g-goes", { data: { size: "precious", other: "too" } });
      await world.apply(Group, "g", { spec: { size: 2 } });
      await world.settle();
      assert.deepEqual(await world.get(ConfigMap, "g-goes"), precious);
      assert.equal(
        world.running.explain("group", "default/g").at(-1)?.message,
        "Did not write ConfigMap default/g-goes: it was not made by this operator. If it is to be taken over, and deleted with its new " +
          "owner, apply it with `adopt: true`. Give the child of Group default/g another name, or remove what is there.",
      );
      await world.delete(ConfigMap, "g-goes");
      await world.settle();
      const child = await world.get(ConfigMap, "g-goes");
      assert.deepEqual([child?.data, child?.metadata.ownerReferences?.length], [{ size: "2" }, 1]);
    });

    test("does not touch an object of another owner that its cache does not show", async () => {
      const cache = { ConfigMap: { labelSelector: "ours=yes" } };
      const blind = controller(Group, { owns: [ConfigMap], cache }, async ({ object, apply }) => {
        const data = { size: String(object.spec.size) };
        const adopt = object.metadata.name === "adopted";
        await apply(ConfigMap, object.metadata.name, { metadata: { labels: { ours: "yes" } }, data }, { adopt });
      });
      await using world = await worldOf(operator({ name: "test", controllers: [blind] }));
      const precious = await world.apply(ConfigMap, "g", { data: { size: "precious" } });
      await world.apply(ConfigMap, "adopted", { data: { size: "0", more: "kept" } });
      for (const name of ["g", "adopted"]) await world.apply(Group, name, { spec: { size: 2 } });
      await world.advance("1m");
      assert.deepEqual(await world.get(ConfigMap, "g"), precious);
      assert.match(
        world.running.explain("group", "default/g").at(-1)?.message ?? "",
        /^Did not write ConfigMap default\/g: it was not made by this operator\. .*`adopt: true`/u,
      );
      assert.deepEqual((await world.get(ConfigMap, "adopted"))?.data, { size: "2", more: "kept" });
      await world.delete(ConfigMap, "g");
      await world.settle();
      assert.deepEqual((await world.get(ConfigMap, "g"))?.data, { size: "2" });
    });

    /** The child is gone, and the operator gets the event only in a minute. */
    const withoutChild = async (): Promise<Awaited<ReturnType<typeof worldOf>>> => {
      const world = await worldOf(operator({ name: "test", controllers: [keeper] }));
      await world.apply(Group, "g", { spec: { size: 2 } });
      await world.settle();
      await world.crash();
      const isLate = { fault: "late", by: 60_000 } as const;
      world.inject(({ verb, kind }) => (verb === "watch" && kind.kind === "ConfigMap" ? isLate : undefined));
      world.restart();
      await world.settle();
      await world.delete(ConfigMap, "g-goes");
      return world;
    };

    test("does not touch an object of another owner that has just replaced its child", async () => {
      await using world = await withoutChild();
      const precious = await world.apply(ConfigMap, "g-goes", { data: { size: "precious" } });
      await world.apply(Group, "g", { spec: { size: 3 } });
      // The operator does not know yet that its child is gone and another object has its name.
      await world.advance("10s");
      assert.deepEqual(await world.get(ConfigMap, "g-goes"), precious);
      assert.match(
        world.running.explain("group", "default/g").at(-1)?.message ?? "",
        /^Did not write ConfigMap default\/g-goes: it was not made by this operator\./u,
      );
      await world.delete(ConfigMap, "g-goes");
      await world.settle();
      assert.deepEqual((await world.get(ConfigMap, "g-goes"))?.data, { size: "3" });
    });

    test("recreates a deleted child although its cache still shows it", async () => {
      await using world = await withoutChild();
      await world.apply(Group, "g", { spec: { size: 3 } });
      await world.advance("10s");
      assert.deepEqual((await world.get(ConfigMap, "g-goes"))?.data, { size: "3" });
    });

    test("adopts an object if allowed, but never one that has a controller", async () => {
      const adopter = controller(Group, { owns: [ConfigMap] }, async ({ object, apply }) => {
        await apply(ConfigMap, object.metadata.name, { data: { size: String(object.spec.size) } }, { adopt: true });
      });
      await using world = await worldOf(operator({ name: "test", controllers: [adopter] }));
      const { uid } = (await world.apply(ConfigMap, "holder", {})).metadata;
      const other = { apiVersion: "v1", kind: "ConfigMap", name: "holder", uid };
      await world.apply(ConfigMap, "free", {
        metadata: { ownerReferences: [other] },
        data: { size: "0", more: "kept" },
      });
      const taken = await world.apply(ConfigMap, "taken", {
        metadata: { ownerReferences: [{ ...other, controller: true }] },
      });
      for (const name of ["free", "taken"]) await world.apply(Group, name, { spec: { size: 2 } });
      await world.settle();
      const free = await world.get(ConfigMap, "free");
      const owners = free?.metadata.ownerReferences?.map(({ kind }) => kind);
      assert.deepEqual([free?.data?.["size"], owners?.includes("Group")], ["2", true]);
      assert.deepEqual(await world.get(ConfigMap, "taken"), taken);
      const message = world.running.explain("group", "default/taken").at(-1)?.message ?? "";
      assert.match(
        message,
        /^Did not write ConfigMap default\/taken: it belongs to ConfigMap holder\. Give the child/u,
      );
    });

    test("does not take the child of another object until that one has released it", async () => {
      const sharing = controller(Group, { owns: [ConfigMap] }, async ({ object, apply }) => {
        await apply(ConfigMap, "shared", { data: { size: String(object.spec.size) } });
      });
      await using world = await worldOf(operator({ name: "test", controllers: [sharing] }));
      await world.apply(Group, "first", { spec: { size: 1 } });
      await world.settle();
      await world.apply(Group, "second", { spec: { size: 2 } });
      await world.settle();
      const shared = await world.get(ConfigMap, "shared");
      assert.deepEqual(
        [shared?.data, shared?.metadata.ownerReferences?.map(({ name }) => name)],
        [{ size: "1" }, ["first"]],
      );
      assert.match(
        world.running.explain("group", "default/second").at(-1)?.message ?? "",
        /^Did not write ConfigMap default\/shared: it belongs to Group first\. Give the child of Group default\/second another name/u,
      );
      await world.delete(Group, "first");
      await world.delete(ConfigMap, "shared");
      await world.settle();
      assert.deepEqual((await world.get(ConfigMap, "shared"))?.data, { size: "2" });
    });

    test("continues with the children of its earlier versions, whatever their names", async () => {
      const versions = ["old", "new"].map((name) =>
        controller(Group, { name, owns: [ConfigMap], prune: false }, async ({ object, apply }) => {
          await apply(ConfigMap, object.metadata.name, { data: { size: String(object.spec.size), [name]: "yes" } });
        }),
      );
      await using world = await worldOf(operator({ name: "test", controllers: versions }));
      await world.apply(Group, "g", { spec: { size: 2 } });
      await world.settle();
      assert.deepEqual((await world.get(ConfigMap, "g"))?.data, { size: "2", old: "yes", new: "yes" });
    });

    test("keeps a child that is not owned in its state, and never deletes it", async () => {
      await using world = await worldOf(operator({ name: "test", controllers: [keeper] }));
      await world.apply(Group, "g", { spec: { size: 2 } });
      await world.settle();
      const stays = await world.get(ConfigMap, "g-stays");
      assert.deepEqual(
        [stays?.data, stays?.metadata.ownerReferences, stays?.metadata.labels],
        [{ size: "2" }, undefined, undefined],
      );
      await world.apply(ConfigMap, "g-stays", { data: { size: "9" } });
      await world.settle();
      assert.deepEqual((await world.get(ConfigMap, "g-stays"))?.data, { size: "2" }, "repaired");
      await world.apply(Group, "g", { spec: { size: 0 } });
      await world.settle();
      assert.notEqual(await world.get(ConfigMap, "g-stays"), undefined, "not pruned");
      await world.delete(Group, "g");
      await world.settle();
      assert.notEqual(await world.get(ConfigMap, "g-stays"), undefined, "not collected");
    });

    test("measures its own metrics", async () => {
      const sizes = gauge("example_group_size", "The size of a group", ["group"]);
      const reconciles = counter("example_reconciles_total", "Reconciles of groups");
      const spread = histogram("example_sizes", "Sizes of groups", { buckets: [5, 1] });
      const measuring = controller(Group, {}, ({ object, metric }) => {
        const { name } = object.metadata;
        if (object.spec.size === 0) metric(sizes).remove({ group: name });
        else metric(sizes).set({ group: name }, object.spec.size);
        metric(reconciles).add({});
        metric(spread).observe({}, object.spec.size);
      });
      await using world = await worldOf(operator({ name: "test", controllers: [measuring] }));
      await world.apply(Group, "a", { spec: { size: 3 } });
      await world.apply(Group, "b", { spec: { size: 1 } });
      await world.settle();
      const text = world.running.registry.text();
      assert.match(
        text,
        /^# TYPE example_group_size gauge\nexample_group_size\{group="a"\} 3\nexample_group_size\{group="b"\} 1$/mu,
      );
      assert.match(text, /^example_reconciles_total 2$/mu);
      assert.match(text, /^example_sizes_bucket\{le="1"\} 1\nexample_sizes_bucket\{le="5"\} 2$/mu);
      await world.apply(Group, "a", { spec: { size: 0 } });
      await world.settle();
      assert.doesNotMatch(world.running.registry.text(), /group="a"/u);
    });

    test("finds by an index that is a value, and is triggered for that value only", async () => {
      const runs = new Map<string, number>();
      const byColour = index(ConfigMap, "colour", (map) => [map.data?.["colour"] ?? ""]);
      const painter = controller(Group, { reads: [ConfigMap] }, ({ object, find, status }) => {
        const { name } = object.metadata;
        runs.set(name, (runs.get(name) ?? 0) + 1);
        status.seen = names(find(ConfigMap, { index: byColour(name) }));
      });
      await using world = await worldOf(operator({ name: "test", controllers: [painter] }));
      await world.apply(ConfigMap, "rose", { data: { colour: "red" } });
      await world.apply(Group, "red", { spec: {} });
      await world.apply(Group, "blue", { spec: {} });
      await world.settle();
      assert.deepEqual((await world.get(Group, "red"))?.status?.seen, ["rose"]);
      const before = runs.get("red");
      await world.apply(ConfigMap, "iris", { data: { colour: "blue" } });
      await world.settle();
      assert.deepEqual((await world.get(Group, "blue"))?.status?.seen, ["iris"]);
      assert.equal(runs.get("red"), before, "nothing red changed");
    });

    test("a watch reports whether an object was added, updated or removed", async () => {
      const told: string[] = [];
      const watcher = controller(
        Group,
        {
          watches: [
            watch(ConfigMap, (map, { type }) => {
              told.push(`${type} ${map.metadata.name}`);
              return type === "removed" ? [`${map.metadata.namespace}/g`] : [];
            }),
          ],
        },
        ({ triggers, status }) => {
          status.seen = triggers.map(({ relation, change }) => `${relation} ${change}`);
        },
      );
      await using world = await worldOf(operator({ name: "test", controllers: [watcher] }));
      await world.apply(Group, "g", { spec: {} });
      await world.apply(ConfigMap, "note", { data: { a: "1" } });
      await world.settle();
      await world.delete(ConfigMap, "note");
      await world.settle();
      assert.deepEqual((await world.get(Group, "g"))?.status?.seen, ["mapped removed"]);
      assert.equal(
        told.findLast((line) => line.endsWith(" note")),
        "removed note",
      );
      assert.ok(told.includes("added note"));
    });

    test("reconciles objects during deletion if reconcileDeleting is set", async () => {
      const reconciles: string[] = [];
      const make = (reconcileDeleting: boolean) =>
        controller(
          Group,
          { name: reconcileDeleting ? "stays" : "reconciles-away", reconcileDeleting },
          ({ object }) => {
            if (object.metadata.deletionTimestamp !== undefined)
              reconciles.push(reconcileDeleting ? "stays" : "reconciles away");
          },
        );
      await using world = await worldOf(operator({ name: "test", controllers: [make(true), make(false)] }));
      await world.apply(Group, "g", { metadata: { finalizers: ["example.com/hold"] }, spec: {} });
      await world.settle();
      await world.delete(Group, "g");
      await world.settle();
      assert.deepEqual([...new Set(reconciles)], ["stays"]);
    });
  });
}

test("a child can be removed without a grace period", async () => {
  const removing = controller(Group, { owns: [Pod] }, async ({ object, create, remove, get, status }) => {
    if (get(Pod, "member") === undefined && object.spec.size > 0) {
      const node = { nodeName: "lost", terminationGracePeriodSeconds: 30, containers: [container] };
      await create(Pod, "member", { spec: node });
    }
    if (object.spec.size === 0) await remove(Pod, "member", { grace: 0 });
    status.members = get(Pod, "member") === undefined ? [] : ["member"];
  });
  const [, onEmbedded] = worlds.find(([where]) => where.includes("embedded")) ?? assert.fail();
  await using world = await onEmbedded(operator({ name: "test", controllers: [removing] }));
  await world.apply(Group, "g", { spec: { size: 1 } });
  await world.settle();
  assert.deepEqual((await world.get(Group, "g"))?.status?.members, ["member"]);
  await world.apply(Group, "g", { spec: { size: 0 } });
  await world.settle();
  assert.equal(await world.get(Pod, "member"), undefined);
  assert.deepEqual((await world.get(Group, "g"))?.status?.members, []);
});

test("an invalid or duplicate metric name is rejected", async () => {
  assert.throws(() => gauge("example-size", "x"), {
    code: "BadSetting",
    message: /Cannot call a metric or a label "example-size"/u,
  });
  const taken = gauge("workqueue_depth", "x");
  const taking = controller(Group, {}, ({ metric }) => metric(taken).set({}, 1));
  const [, onModel] = worlds[0] ?? assert.fail();
  await using world = await onModel(operator({ name: "test", controllers: [taking] }));
  await world.apply(Group, "g", { spec: {} });
  await world.advance("1s");
  const message = world.running.explain("group", "default/g").at(-1)?.message ?? "";
  assert.match(message, /There is a metric workqueue_depth already/u);
});
