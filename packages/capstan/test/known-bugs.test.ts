/** Twelve small operators with one known bug each: the testing kit finds every one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { controller, operator, requeue } from "capstan";
import { ConfigMap, Secret } from "capstan/kinds/v1";
import { crashEverywhere, testOperator } from "capstan/testing";
import { grow, growAndDelete, NAME, Shop } from "./operators/shop.ts";

test("finds a status that is never written when the children exist already", async () => {
  // The children show that the work is done; the status is written later. Events are the first writes.
  const app = operator({
    name: "early-return",
    controllers: [
      controller(Shop, { owns: [ConfigMap], prune: false }, async ({ object, get, apply, event, status }) => {
        for (const note of ["one", "two", "three"]) event("Normal", "Looked", note);
        if (get(ConfigMap, "c") !== undefined) return;
        for (const name of ["a", "b", "c"]) await apply(ConfigMap, name, { data: { text: object.spec.text } });
        status.text = object.spec.text;
      }),
    ],
  });
  const story = async (world: Parameters<typeof grow>[0]): Promise<void> => {
    await world.apply(Shop, NAME, {});
    await world.settle();
  };
  await assert.rejects(
    crashEverywhere(app, story),
    /a crash before write 7 of 7 .*\.status: nothing instead of \{"text":"a"\}/su,
  );
});

test("finds a generated child that is created again when its name was not recorded", async () => {
  const app = operator({
    name: "twice",
    controllers: [
      controller(Shop, { owns: [ConfigMap] }, async ({ object, create, status }) => {
        if (object.status?.child !== undefined) return;
        const child = await create(ConfigMap, { prefix: `${NAME}-` }, { data: {} });
        status.child = child.metadata.name;
      }),
    ],
  });
  await assert.rejects(crashEverywhere(app, grow), /ConfigMap default\/corner-\*: "2 \(.*\)" instead of "1 \(/u);
});

test("finds state that only the memory of the process has", async () => {
  const make = () => {
    const seen = new Map<string, string>();
    const remember = controller(Shop, { owns: [ConfigMap] }, async ({ object, apply }) => {
      const { uid } = object.metadata;
      const first = seen.get(uid) ?? object.spec.text;
      seen.set(uid, first);
      await apply(ConfigMap, "first", { data: { first } });
    });
    return operator({ name: "memory", controllers: [remember] });
  };
  await assert.rejects(crashEverywhere(make, grow), /\.data\.first: "b" instead of "a"/u);
});

test("finds an external effect that is repeated with a new key", async () => {
  const payments: string[] = [];
  const app = operator({
    name: "pays-twice",
    controllers: [
      controller(Shop, {}, ({ object, status }) => {
        if (object.status?.text === object.spec.text) return;
        payments.push(object.spec.text);
        status.text = object.spec.text;
      }),
    ],
  });
  const story = async (world: Parameters<typeof grow>[0]): Promise<readonly string[]> => {
    payments.length = 0;
    await grow(world);
    return [...payments];
  };
  await assert.rejects(crashEverywhere(app, story), /the returned value.*\["a","a","b"\] instead of \["a","b"\]/u);
});

test("finds a counter of reconciles in the status", async () => {
  const app = operator({
    name: "counter",
    controllers: [
      controller(Shop, { owns: [ConfigMap] }, async ({ object, apply, status }) => {
        await apply(ConfigMap, "c", { data: { text: object.spec.text } });
        status.size = (object.status?.size ?? 0) + 1;
      }),
    ],
  });
  await assert.rejects(crashEverywhere(app, grow), /\.status\.size: 3 instead of 2/u);
});

test("finds a removal that is recorded before it is done", async () => {
  const app = operator({
    name: "records-first",
    controllers: [
      controller(Shop, { owns: [ConfigMap], prune: false }, async ({ object, get, apply, remove }) => {
        const { extra } = object.spec;
        const before = get(ConfigMap, "record")?.data?.["extra"];
        await apply(ConfigMap, "record", { data: { extra: String(extra) } });
        if (extra) await apply(ConfigMap, "extra", { data: {} });
        // Once "false" is recorded, the child is believed to be gone.
        else if (before === "true") await remove(ConfigMap, "extra");
      }),
    ],
  });
  const story = async (world: Parameters<typeof grow>[0]): Promise<void> => {
    for (const extra of [true, false]) {
      await world.apply(Shop, NAME, { spec: { extra } });
      await world.settle();
    }
  };
  await assert.rejects(crashEverywhere(app, story), /ConfigMap default\/extra: /u);
});

test("finds a cleanup that fails when it runs a second time", async () => {
  const buckets = new Set<string>();
  const app = operator({
    name: "cleans-once",
    controllers: [
      controller(
        Shop,
        {
          cleanup: ({ object }) => {
            if (!buckets.delete(object.metadata.name)) throw new Error("there is no such bucket");
          },
        },
        ({ object }) => void buckets.add(object.metadata.name),
      ),
    ],
  });
  await assert.rejects(crashEverywhere(app, growAndDelete), /no such bucket/u);
});

test("finds a password that is new after each start", async () => {
  const make = () => {
    const password = crypto.randomUUID();
    const keeper = controller(Shop, { owns: [Secret] }, async ({ apply }) => {
      await apply(Secret, "password", { stringData: { password } });
    });
    return operator({ name: "passwords", controllers: [keeper] });
  };
  await assert.rejects(crashEverywhere(make, grow), /a restart changes .*Secret default\/password\.data\.password/su);
});

test("finds children that are counted in a stale cache", async () => {
  const app = operator({
    name: "counts-stale",
    controllers: [
      controller(Shop, { owns: [ConfigMap] }, async ({ object, find, create }) => {
        // A conflict-free name would be refused the second time; a generated one never is.
        const missing = object.spec.size - find(ConfigMap).length;
        for (let at = 0; at < missing; at++) await create(ConfigMap, { prefix: "c-" }, { data: {} });
      }),
    ],
  });
  await using world = await testOperator(app);
  world.loseAnswer(1);
  world.staleReads("10s");
  await world.crash();
  world.restart();
  await world.apply(Shop, NAME, { spec: { size: 2 } });
  await world.advance("2m");
  await assert.rejects(
    world.eventually(async () => assert.equal((await world.list(ConfigMap)).filter(isOfShop).length, 2), "1m"),
    assert.AssertionError,
  );
});

test("finds a create with a fixed name that fails after a lost response", async () => {
  const app = operator({
    name: "creates-once",
    controllers: [
      controller(Shop, { owns: [ConfigMap] }, async ({ object, create, status }) => {
        if (object.status?.child === undefined) await create(ConfigMap, "child", { data: {} });
        status.child = "child";
      }),
    ],
  });
  await using world = await testOperator(app);
  world.loseAnswer(1);
  await world.apply(Shop, NAME, {});
  await assert.rejects(world.settle(), { code: "StillFailing", message: /already exists/u });
});

test("finds two controllers that undo each other's writes, and names them", async () => {
  const writer = (text: string) =>
    controller(Shop, { name: `writer-${text}`, owns: [ConfigMap] }, async ({ apply }) => {
      await apply(ConfigMap, "shared", { data: { text } }, { adopt: true });
    });
  const app = operator({ name: "rivals", controllers: [writer("x"), writer("y")] });
  await using world = await testOperator(app);
  await world.apply(Shop, NAME, {});
  await assert.rejects(
    world.settle(),
    /Stopped writing ConfigMap default\/shared: .* because "rivals-writer-[xy]" changes data\.text\. /u,
  );
});

test("finds an operator that never comes to rest", async () => {
  const app = operator({ name: "restless", controllers: [controller(Shop, {}, () => requeue(0))] });
  await using world = await testOperator(app);
  await world.apply(Shop, NAME, {});
  await assert.rejects(world.settle(), { code: "TimedOut", message: /Nothing settles: shop default\/corner/u });
});

function isOfShop({
  metadata,
}: {
  readonly metadata: { readonly ownerReferences?: readonly unknown[] | undefined };
}): boolean {
  return metadata.ownerReferences !== undefined;
}
