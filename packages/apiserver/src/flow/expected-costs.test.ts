import assert from "node:assert/strict";
import { test } from "node:test";
import { costClass, ExpectedCosts } from "./expected-costs.ts";

test("the expected cost follows the measured ones; the oldest flows are forgotten", () => {
  const costs = new ExpectedCosts();
  assert.equal(costs.of("list of ann"), undefined);
  costs.note("list of ann", 8);
  assert.equal(costs.of("list of ann"), 8);
  costs.note("list of ann", 4);
  assert.equal(costs.of("list of ann"), 6.4);
  costs.note("list of ann", 1000);
  assert.equal(costs.of("list of ann"), 8);
  for (let at = 0; at < 2_000; at++) costs.note(`get ${at}`, 1);
  assert.equal(costs.of("list of ann"), undefined);
  assert.equal(costs.of("get 0"), 1);
});

test("each class of costs has twice the cost of the one before", () => {
  assert.deepEqual([0, 0.5, 0.6, 1, 1.1, 2, 4, 8, 1e9].map(costClass), [0, 0, 1, 1, 2, 2, 3, 4, 7]);
});
