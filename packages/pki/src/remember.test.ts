import assert from "node:assert/strict";
import { test } from "node:test";
import { remember } from "./remember.ts";

test("a result is computed once while it is in use", () => {
  const computed: string[] = [];
  const length = remember(2, (text) => {
    computed.push(text);
    return text.length;
  });
  assert.deepEqual(["a", "bb", "a", "ccc", "a", "bb"].map(length), [1, 2, 1, 3, 1, 2]);
  assert.deepEqual(computed, ["a", "bb", "ccc", "bb"]);
});

test("an error is not kept", () => {
  let calls = 0;
  const fails = remember(2, () => {
    calls += 1;
    throw new Error("unreadable");
  });
  assert.throws(() => fails("a"), /unreadable/);
  assert.throws(() => fails("a"), /unreadable/);
  assert.equal(calls, 2);
});
