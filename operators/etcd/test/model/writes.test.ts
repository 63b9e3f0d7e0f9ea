/** Writes in the model: members with more or less of the log, with an unapplied log, or with a vote that the status does not know. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Disaster } from "./disaster.ts";
import { follow, isAsWanted } from "./explore.ts";
import type { Known } from "./explore.ts";
import { acknowledgedBy } from "./ledger.ts";
import { company, describeWorld, mustRecover, worldOf } from "./starts.ts";
import { OLD } from "./world.ts";
import type { Slot, World } from "./world.ts";

/** The fates of a member. */
const FATES: readonly Partial<Slot>[] = [
  {},
  { isApplying: true },
  { pod: "none" },
  { pod: "starting", isApplying: true },
  { pod: "none", data: "none" },
  { pod: "down", data: "broken" },
  { pod: "cut off" },
  { data: "doomed" },
  { data: "foreign" },
];

/** Every fate, with every part of the log. */
const MEMBERS: readonly Partial<Slot>[] = FATES.flatMap((fate) => [2, 1, 0].map((log) => ({ ...fate, log })));

function counting(slots: readonly Slot[], size: number): World {
  return {
    ...worldOf({ slots: [...slots], size, version: OLD, update: undefined }),
    acknowledged: acknowledgedBy(slots),
  };
}

/** Follows a world to its end; returns whether its writes had to be compared without a quorum. */
function mustKeepWrites(world: World, visited: Known): boolean {
  try {
    const { end, world: final, last } = follow(world, visited);
    // The newest copy, if its volume is in deletion, is reported and not used.
    const isClear = world.slots.every(({ data }) => data !== "doomed");
    if (mustRecover(world) && isClear)
      assert.ok(end === "available" && isAsWanted(final), `${end}: ${JSON.stringify(last)}\n${describeWorld(final)}`);
    return final.recovery?.phase === "Done";
  } catch (error) {
    if (!(error instanceof Disaster || error instanceof assert.AssertionError)) throw error;
    return assert.fail(`${error.message}\nfrom\n${describeWorld(world)}`);
  }
}

for (const size of [1, 3, 5]) {
  test(`size ${size}: no write that a majority had is lost while a member has it`, () => {
    const visited: Known = new Map();
    let [starts, recovered] = [0, 0];
    for (const [at, first] of MEMBERS.entries()) {
      for (const [and, second] of MEMBERS.slice(at).entries()) {
        for (const third of MEMBERS.slice(at + and)) {
          starts++;
          recovered += Number(mustKeepWrites(counting(company([first, second, third]), size), visited));
        }
      }
    }
    assert.ok(starts > 3_000 && recovered > 100, `${starts} starts, ${recovered} recovered`);
  });
}

test("a voter that the status does not know is asked before one continues alone", () => {
  const visited: Known = new Map();
  let [starts, recovered] = [0, 0];
  const few = MEMBERS.filter(({ log }) => log !== 1);
  for (const first of few) {
    for (const second of few) {
      for (const newcomer of few) {
        const lost = { pod: "none", data: "none", log: 2 } as const;
        const slots = company([first, second, lost, { ...newcomer, isForgotten: true }]);
        starts++;
        recovered += Number(mustKeepWrites(counting(slots, 3), visited));
      }
    }
  }
  assert.ok(starts > 1_000 && recovered > 50, `${starts} starts, ${recovered} recovered`);
});
