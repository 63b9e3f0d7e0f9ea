/** Healthy but busy operators: no protection of the runtime stops them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { controller, operator, requeue } from "capstan";
import { ConfigMap } from "capstan/kinds/v1";
import { Deployment } from "capstan/kinds/apps/v1";
import { testOperator } from "capstan/testing";
import { NAME, Shop } from "./operators/shop.ts";

/** More than any budget of the runtime. */
const MANY = 60;

test("a child that counts work within one reconcile is written every time", async () => {
  const app = operator({
    name: "progress",
    controllers: [
      controller(Shop, { owns: [ConfigMap] }, async ({ object, apply, status }) => {
        for (let done = 1; done <= object.spec.size; done++)
          await apply(ConfigMap, "progress", { data: { done: String(done) } });
        status.size = object.spec.size;
      }),
    ],
  });
  await using world = await testOperator(app);
  await world.apply(Shop, NAME, { spec: { size: MANY } });
  await world.settle();
  assert.equal((await world.get(ConfigMap, "progress"))?.data?.["done"], String(MANY));
});

test("a progress counter with requeues reaches its end", async () => {
  const app = operator({
    name: "progress",
    controllers: [
      controller(Shop, { owns: [ConfigMap] }, async ({ object, apply, status }) => {
        const done = (object.status?.size ?? 0) + 1;
        await apply(ConfigMap, "progress", { data: { done: String(done) } });
        status.size = done;
        return done < MANY ? requeue("10ms") : undefined;
      }),
    ],
  });
  await using world = await testOperator(app);
  await world.apply(Shop, NAME, { spec: { size: MANY } });
  await world.settle();
  assert.equal((await world.get(ConfigMap, "progress"))?.data?.["done"], String(MANY));
});

test("a progress counter that the status of a child drives reaches its end", async () => {
  const app = operator({
    name: "progress",
    controllers: [
      controller(Shop, { owns: [Deployment] }, async ({ apply, get, status }) => {
        const live = get(Deployment, "d");
        const step = Math.min(MANY, (live?.status?.replicas ?? 0) + 1);
        const labels = { app: "x" };
        await apply(Deployment, "d", {
          spec: {
            replicas: step,
            selector: { matchLabels: labels },
            template: { metadata: { labels }, spec: { containers: [{ name: "c", image: `i:${step}` }] } },
          },
        });
        status.size = step;
      }),
    ],
  });
  await using world = await testOperator(app);
  await world.apply(Shop, NAME, {});
  await world.advance("1s");
  for (let at = 1; at < MANY; at++) {
    await world.applyStatus(Deployment, "d", { replicas: at });
    await world.advance("20ms");
  }
  await world.settle();
  assert.equal((await world.get(Deployment, "d"))?.spec?.replicas, MANY);
});

test("an autoscaler that changes a field of a child is followed every time", async () => {
  const app = operator({
    name: "scaled",
    controllers: [
      controller(Shop, { owns: [Deployment] }, async ({ object, apply, status }) => {
        const labels = { app: "x" };
        const spec = {
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: "c", image: object.spec.text }] } },
        };
        const d = await apply(Deployment, "d", { spec });
        status.size = d.spec?.replicas;
      }),
    ],
  });
  await using world = await testOperator(app);
  await world.apply(Shop, NAME, { spec: { text: "i:1" } });
  await world.settle();
  for (let at = 2; at < MANY; at++) {
    await world.apply(Deployment, "d", { spec: { replicas: at } });
    await world.advance("20ms");
  }
  await world.settle();
  assert.equal((await world.get(Shop, NAME))?.status?.size, MANY - 1);
});

test("a toggle, with a child that comes and goes, is followed every time", async () => {
  const app = operator({
    name: "toggles",
    controllers: [
      controller(Shop, { owns: [ConfigMap] }, async ({ object, apply, status }) => {
        await apply(ConfigMap, "c", { data: { text: object.spec.text } });
        if (object.spec.extra) await apply(ConfigMap, "extra", { data: {} });
        status.text = object.spec.text;
      }),
    ],
  });
  await using world = await testOperator(app);
  for (let at = 0; at < MANY; at++) {
    await world.apply(Shop, NAME, { spec: { text: at % 2 === 0 ? "on" : "off", extra: at % 2 === 0 } });
    await world.advance("100ms");
    assert.equal((await world.get(Shop, NAME))?.status?.text, at % 2 === 0 ? "on" : "off", `after ${at}`);
    assert.equal((await world.get(ConfigMap, "extra")) !== undefined, at % 2 === 0, `extra after ${at}`);
  }
  await world.settle();
});

describe("several controllers of one object", () => {
  test("write their children and status fields for every change", async () => {
    const part = (name: "size" | "text") =>
      controller(Shop, { name, owns: [ConfigMap] }, async ({ object, apply, status }) => {
        await apply(ConfigMap, `for-${name}`, { data: { v: String(object.spec[name]) } });
        if (name === "size") status.size = object.spec.size;
        else status.text = object.spec.text;
      });
    const app = operator({ name: "parts", controllers: [part("size"), part("text")] });
    await using world = await testOperator(app);
    for (let at = 1; at < MANY; at++) {
      await world.apply(Shop, NAME, { spec: { text: `t${at}`, size: at } });
      await world.advance("50ms");
      const { status } = (await world.get(Shop, NAME)) ?? {};
      assert.deepEqual([status?.size, status?.text], [at, `t${at}`]);
    }
    await world.settle();
  });

  test("follow a progress counter in the status of the other", async () => {
    const counts = controller(Shop, { name: "counts" }, ({ object, status }) => {
      status.size = Math.min(MANY, (object.status?.size ?? 0) + 1);
      return status.size < MANY ? requeue("50ms") : undefined;
    });
    const sums = controller(Shop, { name: "sums", owns: [ConfigMap] }, async ({ object, apply, status }) => {
      status.text = `at ${object.status?.size}`;
      await apply(ConfigMap, "sum", { data: { text: status.text } });
    });
    const app = operator({ name: "parts", controllers: [counts, sums] });
    await using world = await testOperator(app);
    await world.apply(Shop, NAME, {});
    await world.settle();
    assert.equal((await world.get(Shop, NAME))?.status?.text, `at ${MANY}`);
    assert.equal((await world.get(ConfigMap, "sum"))?.data?.["text"], `at ${MANY}`);
  });

  test("apply different fields of one child for every change", async () => {
    const part = (name: "size" | "text") =>
      controller(Shop, { name, owns: [ConfigMap] }, async ({ object, apply }) => {
        await apply(ConfigMap, "both", { data: { [name]: String(object.spec[name]) } }, { adopt: true });
      });
    const app = operator({ name: "parts", controllers: [part("size"), part("text")] });
    await using world = await testOperator(app);
    for (let at = 1; at < MANY; at++) {
      await world.apply(Shop, NAME, { spec: { text: `t${at}`, size: at } });
      await world.advance("50ms");
      const { data } = (await world.get(ConfigMap, "both")) ?? {};
      assert.deepEqual([data?.["size"], data?.["text"]], [String(at), `t${at}`]);
    }
    await world.settle();
  });
});

test("a child that is replaced for each spec, as a Job, is replaced every time", async () => {
  const app = operator({
    name: "jobs",
    controllers: [
      controller(Shop, { owns: [ConfigMap] }, async ({ object, apply, get, remove, status }) => {
        const live = get(ConfigMap, "job");
        if (live !== undefined && live.data?.["text"] !== object.spec.text) await remove(ConfigMap, "job");
        await apply(ConfigMap, "job", { data: { text: object.spec.text } });
        status.text = object.spec.text;
      }),
    ],
  });
  await using world = await testOperator(app);
  for (let at = 0; at < MANY; at++) {
    await world.apply(Shop, NAME, { spec: { text: `run ${at}` } });
    await world.advance("100ms");
    assert.equal((await world.get(Shop, NAME))?.status?.text, `run ${at}`);
  }
  await world.settle();
});

test("a burst of objects with a child and an event each is reconciled", async () => {
  const app = operator({
    name: "bursts",
    controllers: [
      controller(Shop, { owns: [ConfigMap] }, async ({ object, apply, event, status }) => {
        await apply(ConfigMap, object.metadata.name, { data: { text: object.spec.text } });
        event("Normal", "Opened", "it is open");
        status.text = object.spec.text;
      }),
    ],
  });
  await using world = await testOperator(app);
  const COUNT = 500;
  for (let at = 0; at < COUNT; at++) await world.apply(Shop, `s${at}`, {});
  await world.settle();
  assert.equal((await world.list(ConfigMap)).filter(({ data }) => data?.["text"] === "a").length, COUNT);
});
