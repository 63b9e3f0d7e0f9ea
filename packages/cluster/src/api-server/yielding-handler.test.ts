import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTick } from "node:timers/promises";
import { yieldBetweenCalls } from "./yielding-handler.ts";

test("many calls yield to the event loop, and every call completes", async () => {
  let done = 0;
  const call = yieldBetweenCalls(async (value: number) => {
    done += 1;
    return value;
  });
  const all = Promise.all(Array.from({ length: 100 }, (_, index) => call(index)));
  await nextTick();
  await nextTick();
  assert.ok(done > 0 && done < 50, `${done} calls ran before the event loop continued`);
  assert.equal((await all).length, 100);
  assert.equal(await call(7), 7);
});
