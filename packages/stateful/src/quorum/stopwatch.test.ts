import assert from "node:assert/strict";
import { test } from "node:test";
import { Stopwatch } from "./stopwatch.ts";
import type { Sightings, RecordedSightings } from "./stopwatch.ts";

/** Observations of one process, at times of its wall clock and its monotonic clock. */
function processOf(confirmAfter = 60_000) {
  const sightings: Sightings = new Map();
  return (former: readonly RecordedSightings[], now: number, at: number) =>
    new Stopwatch(former, now, { at, sightings, confirmAfter });
}

test("counts from the first observation, and forgets what is over", () => {
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

test("a wall clock that is set forward or back does not change durations", () => {
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

test("a small clock drift does not cause a write", () => {
  const look = processOf();
  const first = look([], 1_000, 0);
  first.since("a is away");
  const second = look(first.running, 61_000, 58_000);
  second.since("a is away");
  const times = ({ running }: Stopwatch) => running.map(({ since }) => since);
  assert.deepEqual(times(second), times(first));
});

test("a time recorded by another process counts after own observation for a while", () => {
  const look = processOf(60_000);
  const written = [{ what: "a is away", since: 100_000 }];
  assert.equal(look(written, 900_000, 5_000).since("a is away"), 900_000);
  assert.equal(look(written, 959_000, 64_000).since("a is away"), 900_000);
  const confirmed = look(written, 960_000, 65_000);
  assert.equal(confirmed.since("a is away"), 100_000);
  assert.deepEqual(confirmed.running, [{ ...written[0], seen: 860_000 }], "and is kept all the time");
  const next = processOf(60_000)(confirmed.running, 965_000, 7_000);
  assert.equal(next.since("a is away"), 965_000 - 860_000, "the next process believes it at once");
});

test("observation times of processes add up, independent of their wall clocks", () => {
  let written: readonly RecordedSightings[] = [];
  const lengths = [1, 2, 3, 4, 5, 6, 7, 8].map((life) => {
    const look = processOf(60_000);
    // Each wall clock is an hour ahead of the one before.
    const began = life * 3_600_000;
    for (let at = 0; at <= 55_000; at += 5_000) {
      const stopwatch = look(written, began + at, at);
      const since = stopwatch.since("a is away");
      assert.ok(began + at - since <= life * 55_000, "never longer than it was seen");
      written = stopwatch.running;
    }
    return written[0]?.seen ?? 0;
  });
  assert.ok((lengths.at(-1) ?? 0) >= 300_000, JSON.stringify(lengths));
});

test("a long observation is rarely written", () => {
  const look = processOf(60_000);
  let written: readonly RecordedSightings[] = [];
  const records = new Set<string>();
  for (let at = 0; at <= 24 * 3_600_000; at += 5_000) {
    const stopwatch = look(written, at, at);
    stopwatch.since("a is away");
    written = stopwatch.running;
    records.add(JSON.stringify(written));
  }
  assert.ok(records.size < 60, `${records.size} times in a day`);
});

test("noted() accepts a recorded time at once", () => {
  const written = [{ what: "a does not end", since: 100_000 }];
  assert.equal(processOf()(written, 900_000, 5_000).noted("a does not end"), 100_000);
});

test("a time in the future counts from now", () => {
  assert.equal(processOf()([{ what: "a is away", since: 9_000 }], 2_000, 0).since("a is away"), 2_000);
});
