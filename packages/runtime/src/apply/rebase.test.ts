/** Rebases a draft of a status on changes by other writers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { conditionSetter, touched } from "./conditions.ts";
import type { Condition } from "./conditions.ts";
import { rebased } from "./rebase.ts";

const condition = (type: string): Condition => ({
  type,
  status: "True",
  lastTransitionTime: "2030-01-01T00:00:00Z",
  reason: type,
  message: "",
});

test("a condition that a reconcile removed stays removed despite other writers", () => {
  const draft = { conditions: [condition("Paused")] };
  conditionSetter({ fields: draft, generation: 1, time: () => "" });
  draft.conditions = [];
  touched.get(draft)?.add("Paused");
  const base = { conditions: [condition("Paused")] };
  const latest = { conditions: [condition("Paused"), condition("Paid")] };
  assert.deepEqual(rebased({ draft, base, latest }), { conditions: [condition("Paid")] });
});

test("a map without a prototype is merged like any other map", () => {
  const map = Object.assign(Object.create(null) as { [name: string]: string }, { mine: "1" });
  const made = rebased({ base: {}, draft: { map }, latest: { map: { theirs: "2" } } });
  assert.deepEqual(made, { map: { theirs: "2", mine: "1" } });
});
