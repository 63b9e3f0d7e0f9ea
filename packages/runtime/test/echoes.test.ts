/** Two controllers that trigger each other through a status with new values each time, and a busy one that only looks like it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { defineResource, s } from "@capstan/schema";
import { controller } from "../src/define.ts";
import { operator } from "../src/operator.ts";
import { testOperator, VirtualClock } from "../src/testing/index.ts";
import { ModelApi } from "./model-api.ts";

const Rally = defineResource({
  group: "rally.example.com",
  version: "v1",
  kind: "Rally",
  spec: s.object({ size: s.int32().default(1) }),
  status: s.object({ ours: s.int32().default(0), theirs: s.int32().default(0) }),
});

const rally = controller(Rally, {}, async ({ object, status }) => {
  status.ours = (object.status?.theirs ?? 0) + 1;
});

async function start() {
  const clock = new VirtualClock();
  const api = new ModelApi(() => clock.wall());
  const world = await testOperator(operator({ name: "test", controllers: [rally] }), { api }, { clock });
  await world.apply(Rally, "r", { spec: { size: 1 } });
  await world.settle();
  const oursNow = async (): Promise<number> => (await world.get(Rally, "r"))?.status?.ours ?? 0;
  const theirs = async (value: number): Promise<void> => {
    const rival = {
      apiVersion: `${Rally.group}/${Rally.version}`,
      kind: "Rally",
      metadata: { namespace: "default", name: "r" },
      status: { theirs: value },
    };
    await api.apply(Rally, rival, { manager: "rival", force: true, subresource: "status" });
  };
  return { world, oursNow, theirs };
}

test("a rally of two controllers through a status is stopped, and said why", async () => {
  const { world, oursNow, theirs } = await start();
  await using _ = world;
  let seen = 0;
  for (let round = 0; round < 1000; round++) {
    const now = await oursNow();
    // The other controller answers each new value, and only that.
    if (now !== seen) await theirs(now);
    seen = now;
    await world.advance("50ms");
  }
  assert.ok(seen > 150 && seen < 300, `${seen} rounds`);
  const [last] = world.running
    .explain("rally", "default/r")
    .filter(({ message }) => message !== undefined)
    .slice(-1);
  assert.match(last?.message ?? "", /^Stopped writing Rally default\/r: .* only because statuses changed\./u);
});

test("a status that follows another busy one is not stopped", async () => {
  const { world, oursNow, theirs } = await start();
  await using _ = world;
  for (let round = 1; round <= 1000; round++) {
    await theirs(round);
    await world.advance("50ms");
  }
  await world.advance("1m");
  assert.equal(await oursNow(), 1001);
  assert.ok(world.writes.length > 850, `${world.writes.length} writes`);
});
