/** The manager is killed after some of its writes, and the end is that of an undisturbed life. crash.long.test.ts tries all of them. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Life, type Lives, startLives } from "./crash.ts";

let lives: Lives;
let undisturbed: Life;
before(async () => {
  lives = await startLives();
  undisturbed = await lives.live("calm", 0);
});
after(() => lives[Symbol.asyncDispose]());

for (const share of [0.5]) {
  test(`a manager killed after ${share * 100} % of its writes reaches the same end`, async () => {
    const at = Math.max(1, Math.floor(undisturbed.writes * share));
    const { stages } = await lives.live(`killed-${at}`, at, undisturbed.stages);
    assert.deepEqual(stages, undisturbed.stages);
  });
}
