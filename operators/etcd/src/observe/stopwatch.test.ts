import assert from "node:assert/strict";
import { test } from "node:test";
import { Stopwatch } from "./stopwatch.ts";
import type { Sightings, Watched } from "./stopwatch.ts";

/** Looks of one process, at times of its calendar and of the clock that only runs. */
function processOf(confirmAfter = 60_000) {
  const sightings: Sightings = new Map();
  return (former: readonly Watched[], now: number, at: number) =>
    new Stopwatch(former, now, { at, sightings, confirmAfter });
}

test("counts from when it was first seen, and forgets what is over", () => {
  const look = processOf();
  const first = look([], 1_000, 0);
  assert.equal(first.since("a is away"), 1_000);
  const second = look(first.running, 5_000, 4_000);
  assert.equal(second.since("a is away"), 1_000);
  assert.equal(second.since("b is away"), 5_000);
  const third = look(second.running, 9_000, 8_000);
  assert.equal(third.since("b is away"), 5_000);
  assert.deepEqual(third.running, [{ what: "b is away", since: 5_000 }]);
  assert.equal(look(third.running, 10_000, 9_000).since("a is away"), 10_000);
});

test("a calendar that is put forward or back makes nothing last longer or shorter", () => {
  const HOUR = 3_600_000;
  for (const jump of [HOUR, -HOUR]) {
    const look = processOf();
    const before = look([], 2 * HOUR, 0);
    before.since("a is away");
    const after = look(before.running, 2 * HOUR + 10_000 + jump, 10_000);
    assert.equal(after.since("a is away"), 2 * HOUR + jump);
    assert.deepEqual(after.running, [{ what: "a is away", since: 2 * HOUR + jump }], "and it is written down so");
  }
});

test("clocks that drift a little do not make it be written anew", () => {
  const look = processOf();
  const first = look([], 1_000, 0);
  first.since("a is away");
  const second = look(first.running, 61_000, 58_000);
  second.since("a is away");
  assert.deepEqual(second.running, first.running);
});

test("what another process wrote down counts when this one has seen it for a while itself", () => {
  const look = processOf(60_000);
  const written = [{ what: "a is away", since: 100_000 }];
  assert.equal(look(written, 900_000, 5_000).since("a is away"), 900_000);
  assert.equal(look(written, 959_000, 64_000).since("a is away"), 900_000);
  const confirmed = look(written, 960_000, 65_000);
  assert.equal(confirmed.since("a is away"), 100_000);
  assert.deepEqual(confirmed.running, written, "and is kept all the time");
});

test("a time to come counts from now", () => {
  assert.equal(processOf()([{ what: "a is away", since: 9_000 }], 2_000, 0).since("a is away"), 2_000);
});
