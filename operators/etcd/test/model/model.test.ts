import assert from "node:assert/strict";
import { test } from "node:test";
import { follow, isAsWanted } from "./explore.ts";
import type { Known } from "./explore.ts";
import { Disaster, isAlive, NEW, OLD } from "./world.ts";
import type { Slot, World } from "./world.ts";

const base: Slot = {
  name: "",
  role: "voter",
  isStarted: true,
  data: "good",
  pod: "up",
  boot: "live",
  version: OLD,
  isOldForm: false,
  isLong: false,
};

/** Every condition that a member can be in. */
const CONDITIONS: readonly Partial<Slot>[] = [
  {},
  { version: NEW },
  { isOldForm: true },
  { data: "corrupt" },
  { data: "foreign" },
  { data: "doomed" },
  { pod: "starting" },
  { pod: "starting", version: NEW },
  { pod: "none" },
  { pod: "ended" },
  { pod: "stopping" },
  { pod: "down", data: "broken" },
  { pod: "down", data: "broken", isLong: true },
  { pod: "down", version: NEW },
  { pod: "cut off" },
  { pod: "cut off", isLong: true },
  { pod: "none", data: "none" },
];

/** And what a learner can be in; there is at most one. */
const LEARNERS: readonly Partial<Slot>[] = [
  { role: "learner" },
  { role: "learner", version: NEW },
  { role: "learner", data: "corrupt" },
  { role: "learner", isStarted: false, data: "none", pod: "none" },
  { role: "learner", isStarted: false, data: "empty", pod: "none" },
  { role: "learner", isStarted: false, data: "empty", pod: "starting", boot: "join" },
  { role: "learner", isStarted: false, data: "empty", pod: "down", boot: "live" },
  { role: "learner", pod: "cut off", isLong: true },
];

const UPDATES: readonly World["update"][] = [
  undefined,
  { from: OLD, to: NEW, began: 1_000_000_000 },
  { from: OLD, to: NEW, member: "m-1", began: 1_000_000_000 },
  { from: OLD, to: NEW, began: 0, failed: "it did not come back", failedGeneration: 2 },
];

function* worlds(size: number): Generator<World> {
  for (const slots of companies()) {
    for (const update of UPDATES) {
      for (const version of [OLD, NEW]) yield worldOf({ slots, size, version, update });
    }
  }
}

/** Two or three members in every combination of conditions. */
function* companies(): Generator<Slot[]> {
  for (const [at, first] of CONDITIONS.entries()) {
    for (const second of CONDITIONS.slice(at)) {
      yield company([first, second]);
      for (const third of [...CONDITIONS, ...LEARNERS]) yield company([first, second, third]);
    }
  }
}

function company(parts: readonly Partial<Slot>[]): Slot[] {
  return parts.map((part, at): Slot => ({ ...base, ...part, name: `m-${at}` }));
}

function worldOf(part: Pick<World, "slots" | "size" | "version" | "update">): World {
  return {
    ...part,
    badVersion: undefined,
    recovery: undefined,
    hasIdentity: true,
    leader: undefined,
    recovers: true,
    store: "works",
    safeguards: {},
  };
}

/** Data of which nobody can say that it is worthless. */
const DOUBTFUL: ReadonlySet<Slot["data"]> = new Set(["corrupt", "broken"]);

/** Whether there is a way to serve again without hands and without doubt. */
function mustRecover(world: World): boolean {
  const { slots, recovers } = world;
  const voters = slots.filter(({ role }) => role === "voter");
  const good = voters.filter(({ data, pod }) => (data === "good" || data === "doomed") && pod !== "cut off");
  if (good.length > voters.length / 2) return true;
  const isCertain = !isCutOff(world) && !voters.some(({ data }) => DOUBTFUL.has(data));
  return recovers && isCertain && good.some(({ data }) => data === "good");
}

function isCutOff({ slots }: World): boolean {
  return slots.some(({ pod }) => pod === "cut off");
}

function describeWorld(world: World): string {
  const slots = world.slots.map((slot) => `${slot.name}: ${JSON.stringify(slot)}`);
  return [JSON.stringify({ ...world, slots: undefined }), ...slots].join("\n");
}

for (const size of [0, 1, 2, 3, 4, 5]) {
  test(`size ${size}: from every state, no decision ends a quorum, and whatever has data serves again`, () => {
    const visited: Known = new Map();
    let starts = 0;
    for (const world of worlds(size)) {
      starts++;
      try {
        const { end, world: final, last } = follow(world, visited);
        if (size === 0) assert.ok(end === "asleep" || isCutOff(world), JSON.stringify(last));
        else if (mustRecover(world))
          assert.ok(
            end === "available" && isAsWanted(final),
            `${end}: ${JSON.stringify(last)}\n${describeWorld(final)}`,
          );
        else assert.notEqual(end, "available", "nothing could have survived");
      } catch (error) {
        if (!(error instanceof Disaster || error instanceof assert.AssertionError)) throw error;
        assert.fail(`${error.message}\nfrom\n${describeWorld(world)}`);
      }
    }
    assert.ok(starts > 10_000 && visited.size > 1_000, `${starts} starts, ${visited.size} states`);
  });
}

test("a version that does not start is put back, and the cluster serves all the time", () => {
  for (const size of [1, 2, 3, 5]) {
    const slots = Array.from({ length: size }, (_, at): Slot => ({ ...base, name: `m-${at}` }));
    const world = { ...worldOf({ slots, size, version: NEW, update: undefined }), badVersion: NEW };
    const { end, world: final } = follow(world, new Map());
    assert.equal(end, "available");
    assert.ok(final.slots.every((slot) => slot.version === OLD && isAlive(slot)) && final.slots.length === size);
    assert.match(final.update?.failed ?? "", /did not come back/u);
  }
});

test("a store that fails holds up the update and nothing else", () => {
  for (const harm of CONDITIONS.filter(({ version, data }) => version === undefined && data !== "doomed")) {
    const slots = [base, base, { ...base, ...harm }].map((slot, at): Slot => ({ ...slot, name: `m-${at}` }));
    const world = { ...worldOf({ slots, size: 3, version: NEW, update: undefined }), store: "fails" } as const;
    const { last, world: final } = follow(world, new Map());
    assert.match(JSON.stringify(last), /fails: no route/u, JSON.stringify(harm));
    assert.ok(isAsWanted(final) && final.slots.every(({ version }) => version === OLD), JSON.stringify(harm));
  }
});

test("without a store the update goes on", () => {
  const slots = [0, 1, 2].map((at): Slot => ({ ...base, name: `m-${at}` }));
  const world = { ...worldOf({ slots, size: 3, version: NEW, update: undefined }), store: "none" } as const;
  const { end, world: final } = follow(world, new Map());
  assert.equal(end, "available");
  assert.ok(final.slots.every(({ version }) => version === NEW));
});
