import assert from "node:assert/strict";
import { test } from "node:test";
import { Subscription } from "@capstan/lifecycle";
import { oneChannel, operatorCrd, operatorCsv } from "./content.ts";
import { startWorld } from "./world.ts";

test("a policy notices a version that is published within the second of the last one", async () => {
  // All of the test happens in one second.
  const second = Date.parse("2031-01-03T12:00:00Z");
  await using world = await startWorld({ ahead: () => second - Date.now() });
  await world.namespace("a");
  const first = operatorCsv({ name: "a", version: "1.0.0" });
  await world.catalog(oneChannel("a.v1.0.0", [first], [operatorCrd("a")]), "a");
  await world.subscribe("a", { name: "a", source: "a", installPlanApproval: "Manual" });
  const annotations = { "lifecycle.capstan.dev/approve-versions": "patch" };
  await world.cluster.apply(Subscription, { metadata: { name: "a", namespace: "a", annotations } } as never, "test");
  await world.succeeded("a", "a.v1.0.0");
  const next = operatorCsv({ name: "a", version: "1.0.1", replaces: "a.v1.0.0" });
  await world.catalog(oneChannel("a.v1.0.1", [first, next], [operatorCrd("a")]), "a");
  await world.succeeded("a", "a.v1.0.1");
  assert.equal((await world.subscription("a", "a"))?.status?.currentCSV, "a.v1.0.1");
});
