import assert from "node:assert/strict";
import { test } from "node:test";
import { Stopwatch } from "./stopwatch.ts";

test("counts from when it was first seen, and forgets what is over", () => {
  const first = new Stopwatch([], 1_000);
  assert.equal(first.since("a is away"), 1_000);
  const second = new Stopwatch(first.running, 5_000);
  assert.equal(second.since("a is away"), 1_000);
  assert.equal(second.since("b is away"), 5_000);
  const third = new Stopwatch(second.running, 9_000);
  assert.equal(third.since("b is away"), 5_000);
  assert.deepEqual(third.running, [{ what: "b is away", since: 5_000 }]);
  assert.equal(new Stopwatch(third.running, 10_000).since("a is away"), 10_000);
});

test("a clock that was put back counts from now, not from a time to come", () => {
  assert.equal(new Stopwatch([{ what: "a is away", since: 9_000 }], 2_000).since("a is away"), 2_000);
});
