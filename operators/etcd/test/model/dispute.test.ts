import assert from "node:assert/strict";
import { test } from "node:test";
import { followTorn } from "./dispute.ts";
import type { Torn } from "./dispute.ts";
import { Disaster } from "./disaster.ts";
import { isAsWanted } from "./explore.ts";
import { company, describeWorld, worldOf } from "./starts.ts";
import { OLD, quorumExists } from "./world.ts";
import type { Slot } from "./world.ts";

/** How a member can be found. */
const CONDITIONS = {
  up: {},
  /** Its data is good as far as it knows, and it does not start while somebody is up who differs. */
  "kept out": { pod: "down", isLong: true },
  /** It does not start for another reason, and never will. */
  broken: { pod: "down", data: "broken", isLong: true },
  gone: { pod: "none", data: "none" },
} as const satisfies { readonly [name: string]: Partial<Slot> };

type Condition = keyof typeof CONDITIONS;

/** A voter: how it is, and what it has. */
interface Voter {
  readonly is: Condition;
  readonly hash: number;
}

const VOTERS: readonly Voter[] = [
  ...[1, 2, 3].map((hash) => ({ is: "up", hash }) as const),
  ...[1, 2, 3].map((hash) => ({ is: "kept out", hash }) as const),
  { is: "broken", hash: 1 },
  { is: "gone", hash: 1 },
];

/** So many voters in every combination. */
function* combinations(count: number): Generator<readonly Voter[]> {
  if (count === 0) return void (yield []);
  for (const rest of combinations(count - 1)) for (const voter of VOTERS) yield [...rest, voter];
}

/** The hash that more than half of all voters have who can have data, as far as they can be heard. */
function rightOf(voters: readonly Voter[]): number | undefined {
  const heard = voters.filter(isHeard).map(({ hash }) => hash);
  const judges = voters.filter(({ is }) => is !== "gone").length;
  return heard.find((hash) => heard.filter((other) => other === hash).length * 2 > judges);
}

function isHeard({ is }: Voter): boolean {
  return is === "up" || is === "kept out";
}

function tornOf(voters: readonly Voter[], leader: number): Torn {
  const slots = company(voters.map(({ is }) => CONDITIONS[is]));
  const world = { ...worldOf({ slots, size: voters.length, version: OLD, update: undefined }), leader: `m-${leader}` };
  const hashes = Object.fromEntries(voters.map(({ hash }, at) => [`m-${at}`, hash]));
  return { world, hashes, right: rightOf(voters) };
}

function isTorn(voters: readonly Voter[]): boolean {
  return new Set(voters.filter(isHeard).map(({ hash }) => hash)).size > 1;
}

for (const size of [2, 3, 4]) {
  test(`${size} members whose data differs: who is right is known by a majority of all, and nobody is given up who may be right`, () => {
    let [healed, refused] = [0, 0];
    for (const voters of combinations(size)) {
      for (const leader of voters.keys()) {
        const torn = tornOf(voters, leader);
        if (voters[leader]?.is !== "up" || !quorumExists(torn.world) || !isTorn(voters)) continue;
        const told = `${JSON.stringify(voters)}, ${leader} leads`;
        try {
          const end = followTorn(torn);
          if (torn.right === undefined) {
            assert.equal(end.last.do === "refuse" && end.last.reason, "DataDiffers", JSON.stringify(end.last));
            refused++;
            continue;
          }
          assert.ok(isAsWanted(end.world), `${JSON.stringify(end.last)}\n${describeWorld(end.world)}`);
          const left = end.world.slots.map(({ name }) => end.hashes[name]);
          assert.ok(left.every((hash) => hash === torn.right));
          healed++;
        } catch (error) {
          if (!(error instanceof Disaster || error instanceof assert.AssertionError)) throw error;
          assert.fail(`${error.message}\nfrom ${told}`);
        }
      }
    }
    assert.ok(refused > 0 && (size === 2 || healed > 20), `${healed} healed, ${refused} refused`);
  });
}

/** Every way in which so many voters can differ, with each of them leading. */
function* disputes(size: number): Generator<readonly [torn: Torn, told: string]> {
  for (const voters of combinations(size)) {
    for (const leader of voters.keys()) {
      const torn = tornOf(voters, leader);
      if (voters[leader]?.is !== "up" || !quorumExists(torn.world) || !isTorn(voters)) continue;
      yield [torn, `${JSON.stringify(voters)}, ${leader} leads`];
    }
  }
}

for (const size of [3, 4]) {
  test(`${size} members, one of which does not tell its hash: nobody is given up who may be right`, () => {
    const ends: string[] = [];
    for (const [torn, told] of disputes(size)) {
      for (const { name } of torn.world.slots) {
        assert.doesNotThrow(
          () => ends.push(followTorn({ ...torn, mute: name }).last.do),
          `from ${told}, ${name} is mute`,
        );
      }
    }
    const refused = ends.filter((last) => last === "refuse").length;
    assert.ok(refused > 20 && ends.length - refused > 20, `${refused} of ${ends.length} refused`);
  });
}
