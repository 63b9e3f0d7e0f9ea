import assert from "node:assert/strict";
import { test } from "node:test";
import { VirtualClock } from "@capstan/runtime/testing";
import { ReconcileThrottle } from "./throttle.ts";

test("an owner of many pods reconciles less often, with a bounded delay", async () => {
  const clock = new VirtualClock();
  const throttle = new ReconcileThrottle(clock);
  for (const [pods, wait] of [
    [3, undefined],
    [100, 50],
    [5000, 250],
  ] as const) {
    throttle.reconciled("owner", pods);
    assert.equal(throttle.delay("owner"), wait);
  }
  await clock.advance(250);
  assert.equal(throttle.delay("owner"), undefined);
});
