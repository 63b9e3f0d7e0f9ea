import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Deployment } from "capstan/kinds/apps/v1";
import { ConfigMap, Service } from "capstan/kinds/v1";
import { crashEverywhere, testOperator } from "capstan/testing";
import { app, registrar, Shop } from "./main.ts";

beforeEach(() => registrar.domains.clear());

test("a shop opens, follows its theme, closes and is deleted", async () => {
  await using world = await testOperator(app);
  await world.apply(Shop.as.v1, "books", { spec: { domain: "books.example", small: false } });
  await world.settle();
  assert.equal((await world.get(Deployment, "books"))?.spec?.replicas, 3);
  assert.notEqual(await world.get(Service, "books"), undefined);

  await world.applyStatus(Deployment, "books", { replicas: 3, readyReplicas: 3 });
  await world.settle();
  const open = await world.get(Shop, "books");
  assert.deepEqual(open?.spec, { domain: "books.example", theme: "plain", replicas: 3 });
  assert.partialDeepStrictEqual(open?.status, { replicas: 3, conditions: [{ type: "Open", status: "True" }] });

  await world.apply(ConfigMap, "theme-plain", { data: { css: "body {}" } });
  await world.settle();
  const [container] = (await world.get(Deployment, "books"))?.spec?.template?.spec?.containers ?? [];
  assert.deepEqual(container?.env, [{ name: "STYLE", value: "body {}" }]);

  await world.apply(Shop, "books", { spec: { domain: "books.example", replicas: 0 } });
  await world.settle();
  assert.equal(await world.get(Service, "books"), undefined, "a closed shop has no address");

  await world.delete(Shop, "books");
  await world.settle();
  assert.deepEqual([registrar.domains.size, await world.get(Shop, "books")], [0, undefined]);
});

test("a domain has one shop, and keeps it", async () => {
  await using world = await testOperator(app);
  await world.apply(Shop, "first", { spec: { domain: "one.example" } });
  await world.settle();
  await world.apply(Shop, "second", { spec: { domain: "one.example" } });
  await world.settle({ failures: "expected" });
  const [open] = (await world.get(Shop, "second"))?.status?.conditions ?? [];
  assert.equal(open?.reason, "DomainTaken");
  await assert.rejects(world.apply(Shop, "first", { spec: { domain: "two.example" } }), /customers know it/u);
});

test("a crash between any two writes does not change the end state", async () => {
  const { crashes } = await crashEverywhere(app, async (world) => {
    registrar.domains.clear();
    await world.apply(Shop, "books", { spec: { domain: "books.example", replicas: 2 } });
    await world.settle();
    await world.applyStatus(Deployment, "books", { replicas: 2, readyReplicas: 2 });
    await world.settle();
    await world.apply(Shop, "books", { spec: { domain: "books.example", replicas: 0 } });
    await world.settle();
    await world.apply(Shop, "more", { spec: { domain: "more.example" } });
    await world.settle();
    await world.delete(Shop, "more");
    await world.settle();
    return [...registrar.domains.keys()];
  });
  assert.ok(crashes > 15, `${crashes} writes`);
});
