import assert from "node:assert/strict";
import { test } from "node:test";
import { forksAfter, forksOf } from "./forks.ts";

test("a single-member recovery counts once, when all members have stopped", () => {
  const stopping = { phase: "Stopping", source: "Member" };
  assert.equal(forksAfter({}, stopping), 0);
  assert.equal(forksAfter({ forks: 0, recovery: stopping }, { ...stopping, phase: "Seeding" }), 1);
  assert.equal(
    forksAfter({ forks: 1, recovery: { ...stopping, phase: "Seeding" } }, { ...stopping, phase: "Rejoining" }),
    1,
  );
  assert.equal(forksAfter({ forks: 1 }, { phase: "Seeding", source: "Backup" }), 1);
});

test("without a recorded number, a possible single-member recovery counts as one", () => {
  assert.equal(forksOf({}), 0);
  assert.equal(forksOf({ recovery: { phase: "Done", source: "Backup" } }), 0);
  assert.equal(forksOf({ recovery: { phase: "Done", source: "Member" } }), 1);
  assert.equal(forksOf({ recovery: { phase: "Refused", source: "Backup" } }), 1);
});
