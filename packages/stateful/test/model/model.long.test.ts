/** The same rules, followed further: all orders of a few writes, crashes, cuts and lost volumes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { explore } from "./explore.ts";
import { settledWorld } from "./world.ts";

const BUDGETS = [
  { writes: 2, crashes: 1, cuts: 1, losses: 0 },
  { writes: 2, crashes: 1, cuts: 0, losses: 1 },
  { writes: 1, crashes: 2, cuts: 1, losses: 0 },
  { writes: 1, crashes: 0, cuts: 1, losses: 1 },
] as const;

for (const size of [2, 3]) {
  for (const budget of BUDGETS) {
    test(`no acknowledged write is lost: ${size} members, ${JSON.stringify(budget)}`, () => {
      const found = explore(settledWorld(size, budget), 200_000);
      assert.equal(found.violation, undefined, found.violation?.join("\n"));
      assert.ok(found.appointments > 0, `no failover in ${found.worlds} worlds`);
    });
  }
}
