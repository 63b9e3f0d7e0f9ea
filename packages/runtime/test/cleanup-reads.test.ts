/** The reads of a cleanup trigger its object like those of a reconcile: only they do, however often it waits. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigMap } from "@capstan/kinds/v1";
import { defineResource, s } from "@capstan/schema";
import { controller } from "../src/define.ts";
import { operator } from "../src/operator.ts";
import { requeue } from "../src/reconcile/outcome.ts";
import { testOperator, VirtualClock } from "../src/testing/index.ts";
import { ModelApi } from "./model-api.ts";

const Box = defineResource({ group: "example.com", version: "v1", kind: "Box", spec: s.object({}) });

test("a cleanup that waits is triggered only by objects that it reads", async () => {
  const clock = new VirtualClock();
  const api = new ModelApi(() => clock.wall());
  let reconciles = 0;
  const cleanup = ({ find }: { find: (kind: typeof ConfigMap, query: object) => unknown }) => {
    reconciles++;
    find(ConfigMap, { labels: { app: "a", tier: "b" } });
    return requeue("1m", { reason: "waits for a provider" });
  };
  const boxes = controller(Box, { reads: [ConfigMap], cleanup }, () => undefined);
  await using world = await testOperator(operator({ name: "boxes", controllers: [boxes] }), { api }, { clock });
  await world.apply(Box, "a", { spec: {} });
  await world.settle();
  await world.delete(Box, "a");
  await world.advance("5m30s");
  const before = reconciles;
  await world.apply(ConfigMap, "other", { metadata: { labels: { app: "a", tier: "c" } } });
  await world.advance("1s");
  assert.equal(reconciles, before, "another tier was not read");
  await world.apply(ConfigMap, "read", { metadata: { labels: { app: "a", tier: "b" } } });
  await world.advance("1s");
  assert.equal(reconciles, before + 1);
});
