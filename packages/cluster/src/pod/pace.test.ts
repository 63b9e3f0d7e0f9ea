import assert from "node:assert/strict";
import { test } from "node:test";
import { VirtualClock } from "@capstan/runtime/testing";
import { Pace } from "./pace.ts";

test("an owner of many pods rests between turns, longer the more there are, but never long", async () => {
  const clock = new VirtualClock();
  const pace = new Pace(clock);
  for (const [pods, wait] of [
    [3, undefined],
    [100, 50],
    [5000, 250],
  ] as const) {
    pace.took("owner", pods);
    assert.equal(pace.rest("owner"), wait);
  }
  await clock.advance(250);
  assert.equal(pace.rest("owner"), undefined);
});
