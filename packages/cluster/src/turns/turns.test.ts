import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { takingTurns } from "./turns.ts";

test("many calls leave room for others, and none is lost", async () => {
  let done = 0;
  const call = takingTurns(async (value: number) => {
    done += 1;
    return value;
  });
  const all = Promise.all(Array.from({ length: 100 }, (_, index) => call(index)));
  await turn();
  await turn();
  assert.ok(done > 0 && done < 50, `${done} calls were made before anybody else had a turn`);
  assert.equal((await all).length, 100);
  assert.equal(await call(7), 7);
});
