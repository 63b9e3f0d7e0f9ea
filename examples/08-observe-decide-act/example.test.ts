import assert from "node:assert/strict";
import { test } from "node:test";
import { testOperator } from "capstan/testing";
import { app, database, decide, Quorum } from "./main.ts";

const well = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `member-${at}`, isWell: true }));

test("decisions are a table", () => {
  assert.deepEqual(decide({ wanted: 3, members: well(1) }), { do: "add", name: "member-1" });
  assert.deepEqual(decide({ wanted: 1, members: well(3) }), { do: "remove", name: "member-2" });
  assert.deepEqual(decide({ wanted: 3, members: well(3) }), { do: "rest" });
  const ill = [...well(1), { name: "member-1", isWell: false }];
  assert.deepEqual(decide({ wanted: 3, members: ill }), { do: "wait", for: "member-1" });
});

test("grows step by step, waits for the ill, shrinks again", async () => {
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

test("a crash before any write ends where an undisturbed run ends", async () => {
  for (let nth = 1; nth <= 6; nth++) {
    database.members.clear();
    await using world = await testOperator(app);
    world.crashBeforeWrite(nth);
    await world.apply(Quorum, "orders", { spec: { members: 3 } });
    await world.settle();
    assert.equal(database.members.size, 3, `crash before write ${nth}`);
    assert.equal((await world.get(Quorum, "orders"))?.status?.conditions?.[0]?.status, "True");
  }
});
