import assert from "node:assert/strict";
import { test } from "node:test";
import { type Condition, findCondition, isConditionStatus, removeCondition, setCondition } from "./condition.ts";

const ready: Condition = { type: "Ready", status: "True", reason: "Up", message: "", lastTransitionTime: "t1" };

test("the transition time moves when the status changes and only then", () => {
  const sameStatus = setCondition([ready], { type: "Ready", status: "True", reason: "Still", message: "" }, "t2");
  assert.equal(findCondition(sameStatus, "Ready")?.lastTransitionTime, "t1");
  assert.equal(findCondition(sameStatus, "Ready")?.reason, "Still");
  const flipped = setCondition([ready], { type: "Ready", status: "False", reason: "Down", message: "" }, "t2");
  assert.equal(findCondition(flipped, "Ready")?.lastTransitionTime, "t2");
});

test("setting an equal condition returns the same list", () => {
  const conditions = [ready];
  const { lastTransitionTime: _, ...same } = ready;
  assert.equal(setCondition(conditions, same, "t2"), conditions);
  assert.equal(removeCondition(conditions, "Other"), conditions);
});

test("a new type is added at the end and can be removed", () => {
  const added = setCondition([ready], { type: "New", status: "Unknown", reason: "R", message: "m" }, "t2");
  assert.deepEqual(
    added.map(({ type }) => type),
    ["Ready", "New"],
  );
  assert.ok(isConditionStatus(added, "New", "Unknown"));
  assert.deepEqual(removeCondition(added, "New"), [ready]);
});
