import assert from "node:assert/strict";
import { test } from "node:test";
import { occursBefore } from "./occurs-before.ts";

test("an item occurs before if an equal one has a lower index", () => {
  const list = ["a", "b", "a", "a"];
  assert.deepEqual(
    list.map((_, index) => occursBefore(list, index)),
    [false, false, true, true],
  );
});
