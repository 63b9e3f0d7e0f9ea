import assert from "node:assert/strict";
import { test } from "node:test";
import { followTorn } from "./dispute.ts";
import type { Torn } from "./dispute.ts";
import { Disaster } from "./disaster.ts";
import { isAsWanted } from "./explore.ts";
import { company, describeWorld, worldOf } from "./starts.ts";
import { OLD, quorumExists } from "./world.ts";
import type { Slot } from "./world.ts";

/** The conditions of a member. */
const CONDITIONS = {
  up: {},
  /** Its own data looks good, and etcd's initial check keeps it from starting while a member with other data is up. */
  "kept out": { pod: "down", isLong: true },
  /** It does not start for another reason, and never will. */
  broken: { pod: "down", data: "broken", isLong: true },
  gone: { pod: "none", data: "none" },
} as const satisfies { readonly [name: string]: Partial<Slot> };

type Condition = keyof typeof CONDITIONS;

/** A voter: its condition, and the hash of its data. */
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

/** Every combination of this many voters. */
function* combinations(count: number): Generator<readonly Voter[]> {
  if (count === 0) return void (yield []);
  for (const rest of combinations(count - 1)) for (const voter of VOTERS) yield [...rest, voter];
}

/** The hash of more than half of all voters that can have data, as far as their hashes can be read. */
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
  test(`${size} members with different data: a majority of all decides`, () => {
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

/** Every disagreement of this many voters, with each of them as the leader. */
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
  test(`${size} members, one without a hash: no member of the majority is removed`, () => {
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
