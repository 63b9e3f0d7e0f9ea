/** A second fault while the operator works: at every step of every run, on every member, in every manner. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Disaster } from "./disaster.ts";
import { follow, isAsWanted, wayFrom } from "./explore.ts";
import type { Known } from "./explore.ts";
import { acknowledgedBy } from "./ledger.ts";
import { company, describeWorld, mustRecover, worldOf } from "./starts.ts";
import { NEW, OLD } from "./world.ts";
import type { Slot, World } from "./world.ts";

const lost = { pod: "none", data: "none" } as const;

function startOf(parts: readonly Partial<Slot>[], part: Partial<World> = {}): World {
  const slots = company(parts.map((one) => ({ log: 1, ...one })));
  return {
    ...worldOf({ slots, size: 3, version: OLD, update: undefined }),
    acknowledged: acknowledgedBy(slots),
    ...part,
  };
}

/** What the operator is doing when the fault happens. */
const WORKS: { readonly [what: string]: World } = {
  "it grows": startOf([{}, {}, {}], { size: 5 }),
  "it shrinks": startOf([{}, {}, {}, {}, {}], { size: 3 }),
  "it is updated": startOf([{}, {}, {}], { version: NEW }),
  "one is made anew": startOf([{ isOldForm: true }], { size: 1 }),
  "it sleeps and wakes": startOf([{ pod: "none" }, { pod: "none" }, { pod: "none" }]),
  "a member is replaced": startOf([{}, {}, lost]),
  "a corrupt member is replaced": startOf([{}, {}, { data: "corrupt" }]),
  "the last copy goes on alone": startOf([{}, lost, lost]),
  "one of two copies goes on alone": startOf([{}, { log: 0 }, lost, lost, lost], { size: 5 }),
  "a backup takes the place of nothing": startOf([lost, lost, lost], { backup: "good" }),
  "a backup takes the place of data": startOf([{}, {}, {}], { backup: "good", restore: "asked" }),
  "a bad backup is called off": startOf([{}, {}, {}], { backup: "bad", restore: "asked" }),
};

/** The faults of a member. */
const FAULTS: { readonly [what: string]: (slot: Slot) => Partial<Slot> | undefined } = {
  "its volume is lost": ({ data }) => (data === "none" ? undefined : { pod: "none", data: "none", isLong: false }),
  "its pod is lost": ({ pod }) => (pod === "none" ? undefined : { pod: "none", isLong: false }),
  "it does not start any more": ({ data, pod }) =>
    data === "good" ? { pod: pod === "none" ? "none" : "down", data: "broken", isLong: false } : undefined,
  "its node is lost": ({ pod }) => (pod === "up" ? { pod: "cut off", isLong: false } : undefined),
};

function* brokenWorlds(world: World): Generator<readonly [what: string, world: World]> {
  for (const slot of world.slots) {
    for (const [what, fault] of Object.entries(FAULTS)) {
      const broken = fault(slot);
      if (broken === undefined) continue;
      const slots = world.slots.map((one): Slot => (one === slot ? { ...one, ...broken } : one));
      yield [`${slot.name}: ${what}`, { ...world, slots }];
    }
  }
}

/** A run in a recovery may refuse; any other run that can recover must recover. */
function mustEndWell(world: World, visited: Known): string {
  const { end, world: final, last } = follow(world, visited);
  const isUnderWay =
    world.recovery !== undefined && world.recovery.phase !== "Done" && world.recovery.phase !== "Refused";
  assert.notEqual(end, "stuck", `${JSON.stringify(last)}\n${describeWorld(final)}`);
  if (!isUnderWay && world.restore === "none" && mustRecover(world))
    assert.ok(end === "available" && isAsWanted(final), `${end}: ${JSON.stringify(last)}\n${describeWorld(final)}`);
  return end;
}

for (const [work, start] of Object.entries(WORKS)) {
  test(`a second fault while ${work} loses no quorum and no write that a member has`, () => {
    const visited: Known = new Map();
    let [tried, available] = [0, 0];
    for (const world of wayFrom(start)) {
      for (const [fault, broken] of brokenWorlds(world)) {
        tried++;
        try {
          available += Number(mustEndWell(broken, visited) === "available");
        } catch (error) {
          if (!(error instanceof Disaster || error instanceof assert.AssertionError)) throw error;
          assert.fail(`${fault}: ${error.message}\nin\n${describeWorld(world)}`);
        }
      }
    }
    assert.ok(tried > 10 && available > 0, `${tried} tried, ${available} available`);
  });
}
