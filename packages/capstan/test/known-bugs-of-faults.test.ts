/** Small operators with one known bug each that shows only when writes fail, events are missed, or owners are gone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { controller, every, operator, watch } from "capstan";
import { ConfigMap } from "capstan/kinds/v1";
import { crashEverywhere, failEverywhere, testOperator, type TestWorld } from "capstan/testing";
import { grow, growAndDelete, NAME, Shop } from "./operators/shop.ts";

const create = async (world: TestWorld): Promise<void> => {
  await world.apply(Shop, NAME, {});
  await world.settle();
};

test("finds a failed write that the operator ignores", async () => {
  const app = operator({
    name: "ignores",
    controllers: [
      controller(Shop, { owns: [ConfigMap], prune: false }, async ({ apply, object, status }) => {
        if (object.status?.text === object.spec.text) return;
        await apply(ConfigMap, "c", { data: { text: object.spec.text } }).catch(() => undefined);
        status.text = object.spec.text;
      }),
    ],
  });
  await assert.rejects(
    failEverywhere(app, grow),
    /^AssertionError.*: an internal error at write 3 of 4 leads to another end/su,
  );
});

test("finds a create that is not idempotent, by a lost response", async () => {
  const app = operator({
    name: "creates",
    controllers: [
      controller(Shop, { owns: [ConfigMap] }, async ({ create: make, object, status }) => {
        if (object.status?.child === undefined) await make(ConfigMap, "child", { data: {} });
        status.child = "child";
      }),
    ],
  });
  await assert.rejects(failEverywhere(app, grow), {
    code: "StillFailing",
    message: /^The story fails after a conflict at write 2 of 2: .*already exists/su,
  });
});

test("finds a status that is written before an effect outside of the cluster", async () => {
  const sent: string[] = [];
  const make = () => {
    const outbox: string[] = [];
    const post = (): void => void sent.push(...outbox.splice(0));
    return operator({
      name: "sends-later",
      controllers: [
        controller(Shop, { sources: [every("5s", { name: "post" })] }, ({ object, status }) => {
          post();
          if (object.status?.text === object.spec.text) return;
          outbox.push(object.spec.text);
          status.text = object.spec.text;
        }),
      ],
    });
  };
  const story = async (world: TestWorld): Promise<readonly string[]> => {
    sent.length = 0;
    await world.apply(Shop, NAME, {});
    await world.advance("1m");
    return [...sent];
  };
  await assert.rejects(crashEverywhere(make, story), /a crash right after write 1 of 1 .*the returned value/su);
});

test("finds a deletion that only an event reports, without a finalizer", async () => {
  const buckets = new Set<string>();
  const forget = watch(Shop, ({ metadata }, { type }) => {
    if (type === "removed") buckets.delete(metadata.name);
    return [];
  });
  const app = operator({
    name: "edges",
    controllers: [
      controller(Shop, { watches: [forget] }, ({ object, status }) => {
        buckets.add(object.metadata.name);
        status.text = object.spec.text;
      }),
    ],
  });
  await assert.rejects(
    crashEverywhere(app, async (world) => {
      buckets.clear();
      await growAndDelete(world);
      return [...buckets];
    }),
    /being down during action 4 of 4 of the test leads to another end.*the returned value/su,
  );
});

test("finds a change that only its event reports", async () => {
  const app = operator({
    name: "events",
    controllers: [
      controller(Shop, { owns: [ConfigMap], prune: false }, async ({ object, triggers, apply, status }) => {
        const isNew = triggers.some(({ change }) => change === "added");
        const hasChanged = triggers.some(({ fields }) => fields.includes("spec.text"));
        if (isNew && object.status === undefined) status.text = "new";
        if (hasChanged) await apply(ConfigMap, "changes", { data: { text: object.spec.text } });
      }),
    ],
  });
  await assert.rejects(crashEverywhere(app, grow), /ConfigMap default\/changes: /u);
});

test("finds a missing requeue: nothing wakes the object when time has passed", async () => {
  // A job outside of the cluster takes a minute.
  const job = { doneAt: Infinity, now: (): number => 0 };
  const app = operator({
    name: "waits",
    controllers: [
      controller(Shop, {}, ({ status }) => {
        if (job.doneAt === Infinity) job.doneAt = job.now() + 60_000;
        status.text = job.now() >= job.doneAt ? "done" : "under way";
      }),
    ],
  });
  const story = async (world: TestWorld): Promise<void> => {
    Object.assign(job, { doneAt: Infinity, now: () => world.clock.now() });
    await create(world);
    await world.advance("2m");
  };
  await assert.rejects(
    crashEverywhere(app, story),
    /a crash after the last write leads to .*"done" instead of "under way"/su,
  );
});

test("finds a finalizer that is removed before the cleanup has an effect", async () => {
  const rooms = new Map<string, "here" | "closing">();
  const app = operator({
    name: "hasty",
    controllers: [
      controller(
        Shop,
        {
          sources: [every("1m", { name: "janitor" })],
          cleanup: ({ object: { metadata } }) => void rooms.set(metadata.name, "closing"),
        },
        ({ object: { metadata } }) => {
          // Closing ends in a later reconcile, which does not come: the cleanup should have asked for one.
          if (rooms.get(metadata.name) === "closing") rooms.delete(metadata.name);
          else rooms.set(metadata.name, "here");
        },
      ),
    ],
  });
  await using world = await testOperator(app);
  await growAndDelete(world);
  assert.equal(await world.get(Shop, NAME), undefined);
  await assert.rejects(
    world.eventually(() => assert.equal(rooms.get(NAME), undefined), "10m"),
    assert.AssertionError,
  );
});

test("finds a child without an owner, which stays when its object is gone", async () => {
  const app = operator({
    name: "disowns",
    controllers: [
      controller(Shop, { owns: [ConfigMap] }, async ({ object: { metadata }, apply }) => {
        await apply(ConfigMap, `wrong-${metadata.name}`, { data: {} }, { owned: false });
        await apply(ConfigMap, `right-${metadata.name}`, { data: {} });
      }),
    ],
  });
  await using world = await testOperator(app);
  for (const name of ["a", "b"]) await world.apply(Shop, name, {});
  await world.settle();
  await world.delete(Shop, "b");
  await world.collectGarbage();
  const left = (await world.list(ConfigMap)).filter(({ data }) => data === undefined || Object.keys(data).length === 0);
  assert.deepEqual(left.map(({ metadata }) => metadata.name).toSorted(), ["right-a", "wrong-a", "wrong-b"]);
});

test("finds children that two objects of different namespaces share", async () => {
  const app = operator({
    name: "leaks",
    controllers: [
      controller(Shop, { owns: [ConfigMap] }, async ({ object, apply }) => {
        const place = { name: object.metadata.name, namespace: "default" };
        await apply(ConfigMap, place, { data: { from: object.metadata.namespace ?? "" } });
      }),
    ],
  });
  await using world = await testOperator(app);
  await world.apply(Shop, NAME, {});
  await world.apply(Shop, { name: NAME, namespace: "kube-system" }, {});
  await assert.rejects(world.settle(), { code: "StillFailing" });
});

test("finds an order dependence: the first object takes all", async () => {
  const make = () => {
    const ports: string[] = [];
    return operator({
      name: "ports",
      controllers: [
        controller(Shop, { owns: [ConfigMap] }, async ({ object, apply }) => {
          if (!ports.includes(object.metadata.name)) ports.push(object.metadata.name);
          await apply(ConfigMap, object.metadata.name, { data: { port: String(ports.indexOf(object.metadata.name)) } });
        }),
      ],
    });
  };
  await assert.rejects(
    crashEverywhere(make, async (world) => {
      for (const name of ["z", "y", "a"]) {
        await world.apply(Shop, name, {});
        await world.settle();
      }
    }),
    /leads to another end|a restart changes/u,
  );
});

test("finds a list that several objects write", async () => {
  const app = operator({
    name: "index",
    controllers: [
      controller(Shop, { owns: [ConfigMap], prune: false }, async ({ object, get, apply }) => {
        const known = get(ConfigMap, "index")?.data ?? {};
        await apply(ConfigMap, "index", { data: { ...known, [object.metadata.name]: "here" } }, { adopt: true });
      }),
    ],
  });
  await using world = await testOperator(app);
  for (const name of ["a", "b"]) await world.apply(Shop, name, {});
  await assert.rejects(world.settle(), { code: "StillFailing", message: /it belongs to Shop a/u });
});
