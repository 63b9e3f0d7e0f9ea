/** One controller from event to write, on a model of an API server, in virtual time. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Kind, KubeObject, StoredMeta } from "@capstan/model";
import { defineResource, s } from "@capstan/schema";
import { controller } from "../src/define.ts";
import { silentLog } from "../src/log.ts";
import { RunningOperator } from "../src/manager/operator.ts";
import { VirtualClock } from "../src/testing/clock.ts";
import { ModelApi } from "./model-api.ts";
import type { ModelWrite } from "./model-api.ts";

interface ConfigMapObject extends KubeObject {
  readonly metadata: StoredMeta;
  readonly data?: { readonly [key: string]: string };
}
const ConfigMap: Kind<ConfigMapObject, { readonly data?: { readonly [key: string]: string } }, "Namespaced"> = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  scope: "Namespaced",
};

const Widget = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Widget",
  spec: s.object({ size: s.int32().default(1) }),
  status: s.object({ text: s.string().default("") }),
  conditions: { Ready: "the config map is there" },
});

const widget = controller(Widget, { owns: [ConfigMap] }, async ({ object, apply, status }) => {
  const child = await apply(ConfigMap, object.metadata.name, { data: { size: String(object.spec.size) } });
  status.text = `size ${child.data?.["size"]}`;
  status.condition("Ready", true);
});

test("applies child and status of an object with two writes, and none without changes", async () => {
  const clock = new VirtualClock();
  const api = new ModelApi(() => clock.wall());
  const create = (name: string, size: number) => {
    const object = {
      apiVersion: "example.com/v1",
      kind: "Widget",
      metadata: { namespace: "default", name },
      spec: { size },
    };
    return api.create(Widget, object, { manager: "user" });
  };
  for (let at = 0; at < 20; at++) await create(`w${at}`, at);
  api.writes.length = 0;
  const running = new RunningOperator(
    { name: "test", controllers: [widget] },
    { api, clock, random: () => 0.5, log: silentLog },
  );
  await clock.advance(10_000);
  assert.equal(api.writes.length, 40);
  assert.deepEqual((api.peek(ConfigMap, "default/w7") as ConfigMapObject).data, { size: "7" });
  assert.equal((api.peek(Widget, "default/w7") as { status?: { text: string } }).status?.text, "size 7");
  await running.stop();

  api.writes.length = 0;
  const again = new RunningOperator(
    { name: "test", controllers: [widget] },
    { api, clock, random: () => 0.5, log: silentLog },
  );
  await clock.advance(10_000);
  assert.deepEqual(api.writes, []);
  await api.patch(
    Widget,
    { namespace: "default", name: "w3" },
    { spec: { size: 33 } },
    { type: "merge", manager: "user" },
  );
  await clock.advance(10_000);
  assert.deepEqual(api.writes.slice(1).map(toText), ["apply ConfigMap default/w3", "status Widget default/w3"]);
  await again.stop();
});

function toText({ verb, kind, key }: ModelWrite): string {
  return `${verb} ${kind} ${key}`;
}
