import assert from "node:assert/strict";
import { test } from "node:test";
import { kubernetesMissing, useKubernetes } from "@capstan/kubernetes";
import { crashEverywhere, testOperator, type TestWorld } from "capstan/testing";
import { app, database, decide, Quorum } from "./main.ts";

const well = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `member-${at}`, isWell: true }));

test("decisions are a table", () => {
  assert.deepEqual(decide({ wanted: 3, members: well(1) }), { do: "add", name: "member-1" });
  assert.deepEqual(decide({ wanted: 1, members: well(3) }), { do: "remove", name: "member-2" });
  assert.deepEqual(decide({ wanted: 3, members: well(3) }), { do: "rest" });
  const ill = [...well(1), { name: "member-1", isWell: false }];
  assert.deepEqual(decide({ wanted: 3, members: ill }), { do: "wait", for: "member-1" });
});

test("grows step by step, waits for unhealthy members, shrinks again", async () => {
  database.members.clear();
  await using world = await testOperator(app);
  await world.apply(Quorum, "orders", { spec: { members: 3 } });
  await world.settle();
  assert.deepEqual([...database.members.keys()], ["member-0", "member-1", "member-2"]);

  database.members.set("member-1", "ill");
  await world.apply(Quorum, "orders", { spec: { members: 2 } });
  await world.advance("5s");
  assert.equal(database.members.size, 3, "nothing is touched while a member is ill");
  database.members.set("member-1", "well");
  await world.advance("30s");
  await world.settle();
  assert.deepEqual([...database.members.keys()], ["member-0", "member-1"]);
});

test("a crash between any two writes does not change the end state", async () => {
  const { crashes } = await crashEverywhere(app, growAndShrink);
  assert.ok(crashes > 10, `each step is written down twice, but there were only ${crashes} writes`);
});

test("a crash does not change the end state on a real cluster either", { skip: kubernetesMissing() }, async (t) => {
  const { crashes } = await crashEverywhere(app, growAndShrink, await useKubernetes(t));
  assert.ok(crashes > 10, `${crashes} writes`);
});

async function growAndShrink(world: TestWorld): Promise<string[]> {
  database.members.clear();
  await world.apply(Quorum, "main", { spec: { members: 3 } });
  await world.settle();
  await world.apply(Quorum, "main", { spec: { members: 1 } });
  await world.settle();
  return [...database.members.keys()];
}
