/** Random worlds: whatever fails, the final state is correct. `npm run worlds -w packages/runtime` runs any number of them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { World } from "./world.ts";

const SEEDS = Array.from({ length: 25 }, (_, at) => at + 1);

test(`no lost event and no write without the lease, in ${SEEDS.length} random worlds`, async () => {
  for (const seed of SEEDS) {
    try {
      await new World(seed).run();
    } catch (cause) {
      throw new Error(`seed ${seed} fails; repeat it with: npm run worlds -w packages/runtime -- ${seed}`, { cause });
    }
  }
});

test("the same seed gives the same world, reconcile by reconcile and write by write", async () => {
  for (const seed of [7, 8]) assert.deepEqual(await new World(seed).run(), await new World(seed).run());
});
