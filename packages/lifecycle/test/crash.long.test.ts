/** The manager is killed after each of its writes in the life of an operator, and the end is that of an undisturbed life. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startLives } from "./crash.ts";

test("a manager killed between any two writes reaches the same end", { timeout: 3_600_000 }, async (context) => {
  await using lives = await startLives();
  const { writes, stages } = await lives.live("calm", 0);
  context.diagnostic(`${writes} writes`);
  assert.ok(writes > 50, `the life has only ${writes} writes`);
  for (let at = 1; at <= writes; at++) {
    const life = await lives.live(`killed-${at}`, at, stages);
    assert.deepEqual(life.stages, stages, `killed after write ${at}`);
  }
});
