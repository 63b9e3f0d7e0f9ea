/** Mistakes in functions that caches call: no event is lost, the failure is reported, and a success clears it. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ConfigMap } from "@capstan/kinds/v1";
import type { KubeObject, StoredObject } from "@capstan/model";
import { defineResource, s } from "@capstan/schema";
import type { CacheSettings } from "../src/cache/settings.ts";
import { index } from "../src/cache/lookup.ts";
import { controller, watch } from "../src/define.ts";
import { createLog } from "../src/log.ts";
import { healthEndpoint } from "../src/program/endpoints.ts";
import { operator } from "../src/operator.ts";
import { testOperator, VirtualClock } from "../src/testing/index.ts";
import { ModelApi } from "./model-api.ts";

const Widget = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Widget",
  spec: s.object({ wants: s.string() }),
  status: s.object({ sees: s.string().default(""), found: s.int32().default(0) }),
});

const byRef = index(ConfigMap, "ref", (config) => [(config.data as { readonly ref: string }).ref]);

/** A widget shows the text of the ConfigMap that it names, and how many widgets refer to it. */
async function worldWith(settings: CacheSettings) {
  const clock = new VirtualClock();
  const lines: string[] = [];
  const log = createLog({ clock, level: "error", write: (line) => lines.push(line) });
  const widget = controller(
    Widget,
    {
      reads: [ConfigMap],
      watches: [watch(ConfigMap, () => ["default/w"])],
      cache: { ConfigMap: settings },
    },
    ({ object, get, find, status }) => {
      const config = get(ConfigMap, object.spec.wants);
      status.sees = config === undefined ? "nothing" : JSON.stringify(config.data ?? {});
      status.found = find(ConfigMap, { index: byRef("default/w") }).length;
    },
  );
  const api = new ModelApi(() => clock.wall());
  const world = await testOperator(operator({ name: "test", controllers: [widget] }), { api }, { clock, log });
  await world.apply(Widget, "w", { spec: { wants: "c" } });
  const readyz = async (): Promise<string> => {
    const request = { method: "GET", path: "/readyz", isLocal: true, authorization: undefined } as const;
    const { status, body } = await healthEndpoint(world.running)(request);
    assert.equal(status, 200);
    return body;
  };
  return { world, lines, readyz };
}

const trim = (object: StoredObject): StoredObject => {
  const { data } = object as StoredObject & { readonly data: { readonly text: string } };
  // Fails for an object without data, as users' functions do.
  return { ...object, data: { text: data.text.toUpperCase() } } as KubeObject as StoredObject;
};

const wrong: readonly (readonly [what: string, transform: (object: StoredObject) => StoredObject, message: RegExp])[] =
  [
    ["throws", trim, /Cannot read properties of undefined/u],
    ["returns nothing", (object) => ("data" in object ? trim(object) : (undefined as never)), /what the transform re/u],
    [
      "returns another object",
      (object) => ("data" in object ? trim(object) : { ...object, metadata: { ...object.metadata, name: "other" } }),
      /return the object with the name, namespace, uid and resourceVersion/u,
    ],
    [
      "changes the name in place",
      (object) => {
        if ("data" in object) return trim(object);
        (object.metadata as { name: string }).name = "other";
        return object;
      },
      /return the object with the name/u,
    ],
  ];

describe("a transform", () => {
  for (const [what, transform, message] of wrong) {
    test(`that ${what} loses nothing: the object is cached unchanged and it is logged`, async () => {
      const { world, lines, readyz } = await worldWith({ transform });
      await using _ = world;
      const sees = async () => (await world.get(Widget, "w"))?.status?.sees;
      await world.apply(ConfigMap, "c", {});
      await world.settle();
      assert.equal(await sees(), "{}");
      assert.match(await readyz(), /^\[!\] cache: the transform of ConfigMap failed for ConfigMap default\/c: /mu);
      assert.match(lines.join(""), message);
      const counted = /^capstan_function_errors_total\{controller="cache",function="transform of ConfigMap"\} [1-9]/mu;
      assert.match(world.running.registry.text(), counted);
      await world.apply(ConfigMap, "c", { data: { text: "now" } });
      await world.settle();
      assert.equal(await sees(), '{"text":"NOW"}');
      assert.doesNotMatch(await readyz(), /transform/u);
      await world.delete(ConfigMap, "c");
      await world.settle();
      assert.equal(await sees(), "nothing");
    });
  }
});

test("an index that fails for an object is reported, and finds the others", async () => {
  const { world, readyz } = await worldWith({ indexes: { odd: () => undefined as never } });
  await using _ = world;
  await world.apply(ConfigMap, "c", {});
  await world.apply(ConfigMap, "d", { data: { ref: "default/w" } });
  await world.settle();
  assert.equal((await world.get(Widget, "w"))?.status?.found, 1);
  assert.match(await readyz(), /^\[!\] cache: the index "ref" of ConfigMap failed for ConfigMap default\/c: /mu);
  assert.match(await readyz(), /the index "odd" of ConfigMap failed .* return a list of texts, empty for none/u);
});
