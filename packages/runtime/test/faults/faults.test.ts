/** Random worlds: whatever fails, in the end everything is as it should be. `CAPSTAN_SEEDS=10000` runs many, `CAPSTAN_SEED=n` one of them. */
import { test } from "node:test";
import { World } from "./world.ts";

const only = process.env["CAPSTAN_SEED"];
const first = only === undefined ? 1 : Number(only);
const count = only === undefined ? Number(process.env["CAPSTAN_SEEDS"] ?? 50) : 1;

test(`no event is lost and nothing is written without the lease, in ${count} random worlds`, async () => {
  for (let seed = first; seed < first + count; seed++) {
    try {
      await new World(seed).run();
    } catch (cause) {
      throw new Error(`seed ${seed} fails; repeat it with CAPSTAN_SEED=${seed}`, { cause });
    }
  }
});
