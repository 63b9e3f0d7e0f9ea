/** Cache settings of owned kinds: children that the cache would exclude are rejected, and no transform hides ownership. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startApiServer } from "@capstan/apiserver";
import { ConfigMap } from "@capstan/kinds/v1";
import { defineResource, s } from "@capstan/schema";
import type { CacheSettings } from "../src/cache/settings.ts";
import { controller } from "../src/define.ts";
import { createLog } from "../src/log.ts";
import type { Log } from "../src/log.ts";
import { operator } from "../src/operator.ts";
import { testOperator, VirtualClock } from "../src/testing/index.ts";

const Box = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Box",
  spec: s.object({ children: s.array(s.string()) }),
});

async function worldWith(settings: CacheSettings, log?: Log) {
  const clock = new VirtualClock();
  const box = controller(Box, { owns: [ConfigMap], cache: { ConfigMap: settings } }, async ({ object, apply }) => {
    const metadata = { labels: { tier: "x" } };
    for (const name of object.spec.children) await apply(ConfigMap, name, { metadata, data: { a: "1" } });
  });
  const server = await startApiServer({
    clock,
  });
  return await testOperator(
    operator({ name: "test", controllers: [box] }),
    server,
    log === undefined ? { clock } : { clock, log },
  );
}

describe("the cache of an owned kind", () => {
  for (const [what, settings] of [
    ["a selector that children match", { labelSelector: "tier in (x, y)", fieldSelector: "metadata.name!=z" }],
    ["the namespace of the children", { namespaces: { default: { labelSelector: "tier" } } }],
    ["every namespace, as Go writes it", { namespaces: [""] }],
    ["a namespace that is all", { namespaces: ["default", "other"] }],
    [
      "a transform that drops the managed fields",
      {
        transform: (object) => {
          const { managedFields: _dropped, ...metadata } = object.metadata;
          return { ...object, metadata };
        },
      },
    ],
    [
      "a transform that drops them in place",
      { transform: (object) => (delete (object.metadata as { managedFields?: unknown }).managedFields, object) },
    ],
  ] as const satisfies readonly (readonly [string, CacheSettings])[]) {
    test(`with ${what}: no needless writes, changes are repaired, dropped children go`, async () => {
      await using world = await worldWith(settings);
      await world.apply(Box, "b", { spec: { children: ["x", "y"] } });
      await world.settle();
      const before = world.writes.length;
      await world.apply(Box, "b", { metadata: { labels: { any: "reconcile" } }, spec: { children: ["x", "y"] } });
      await world.settle();
      assert.equal(world.writes.length, before);
      await world.apply(ConfigMap, "x", { data: { a: "evil" } });
      await world.settle();
      assert.equal((await world.get(ConfigMap, "x"))?.data?.["a"], "1");
      await world.apply(Box, "b", { spec: { children: ["x"] } });
      await world.settle();
      assert.equal(await world.get(ConfigMap, "y"), undefined);
    });
  }

  for (const settings of [
    { labelSelector: "tier=y" },
    { fieldSelector: "metadata.name=somebody" },
    { namespaces: ["other"] },
    { namespaces: { default: { labelSelector: "!tier" } } },
    { metadataOnly: true },
  ] as const satisfies readonly CacheSettings[]) {
    test(`that excludes a child is reported: ${JSON.stringify(settings)}`, async () => {
      await using world = await worldWith(settings);
      await world.apply(Box, "b", { spec: { children: ["x"] } });
      await world.settle({ failures: "expected" });
      const isInVain = "metadataOnly" in settings || Array.isArray((settings as CacheSettings).namespaces);
      if (isInVain) assert.deepEqual(world.writes, [], "nothing is written that could not be looked after");
      const { message } = world.running.explain("box", "default/b").at(-1) ?? {};
      assert.match(
        message ?? "",
        /^Cannot look after ConfigMap default\/x: the cache of its kind does not show it \(`/u,
      );
    });
  }

  test("with a transform that drops applied fields is reported once", async () => {
    const lines: string[] = [];
    const log = createLog({ clock: new VirtualClock(), level: "warn", write: (line) => lines.push(line) });
    await using world = await worldWith({ transform: (object) => ({ ...object, data: {} }) as typeof object }, log);
    await world.apply(Box, "b", { spec: { children: ["x"] } });
    await world.settle();
    await world.apply(Box, "b", { spec: { children: ["x", "y"] } });
    await world.settle();
    assert.deepEqual((await world.get(ConfigMap, "y"))?.data, { a: "1" });
    const told = lines.filter((line) =>
      line.includes("is written in every reconcile: the `transform` of its kind's cache changes data.a"),
    );
    assert.equal(told.length, 1);
  });
});
