import assert from "node:assert/strict";
import { test } from "node:test";
import type { ListedMember } from "../contract.ts";
import { alarmedMembers, combineRounds, areHashesSplit, majorityOf, withData } from "./corruption.ts";
import type { Hashed } from "./hashes.ts";

const voter = (member: string): ListedMember => ({ member, id: `id-${member}`, isStarted: true, isLearner: false });
const hashed = (member: string, hash: number, compactRevision = 1): Hashed => ({
  member,
  hash: { hash, compactRevision },
  version: "3.6.16",
});
const older = (member: string, hash: number): Hashed => ({ ...hashed(member, hash), version: "3.5.35" });
const three = ["a", "b", "c"].map(voter);

test("two of three agree: the third differs, whichever member an alarm names", () => {
  const majority = majorityOf([hashed("a", 9), hashed("b", 1), hashed("c", 1)], three);
  assert.deepEqual(majority, { agreeing: ["b", "c"], differing: ["a"] });
});

test("without a majority of all voters, silent ones included, no member is right", () => {
  assert.equal(majorityOf([hashed("a", 9), hashed("b", 1)], three), undefined);
  assert.equal(majorityOf([hashed("a", 9), hashed("b", 1), hashed("c", 2)], three), undefined);
  const five = ["a", "b", "c", "d", "e"].map(voter);
  assert.equal(majorityOf([hashed("a", 9), hashed("b", 1), hashed("c", 1)], five), undefined);
});

test("a silent minority does not prevent a result", () => {
  const five = ["a", "b", "c", "d", "e"].map(voter);
  const majority = majorityOf([hashed("a", 9), hashed("b", 1), hashed("c", 1), hashed("d", 1)], five);
  assert.deepEqual(majority, { agreeing: ["b", "c", "d"], differing: ["a"] });
});

test("another compaction is neither right nor wrong, and a learner has no vote", () => {
  const majority = majorityOf([hashed("a", 9, 2), hashed("b", 1), hashed("c", 1)], three);
  assert.deepEqual(majority, { agreeing: ["b", "c"], differing: [] });
  const withLearner = [voter("a"), voter("b"), { ...voter("c"), isLearner: true }];
  assert.equal(majorityOf([hashed("a", 9), hashed("b", 1), hashed("c", 1)], withLearner), undefined);
});

test("only listed members can be named by an alarm", () => {
  const quorum = { by: "quorum", clusterId: "x", members: three } as const;
  const alarms = [
    { kind: "Corrupt", memberId: "id-b" },
    { kind: "NoSpace", memberId: "id-a" },
    { kind: "Corrupt", memberId: "gone" },
  ] as const;
  assert.deepEqual(alarmedMembers({ quorum, alarms }), ["b"]);
});

test("data differs if two voters have other hashes after the same compaction", () => {
  assert.equal(areHashesSplit([hashed("a", 1), hashed("b", 1)], three), false);
  assert.equal(areHashesSplit([hashed("a", 1), hashed("b", 2)], three), true);
  assert.equal(areHashesSplit([hashed("a", 1, 4), hashed("b", 2, 5)], three), false);
  assert.equal(areHashesSplit([hashed("a", 1), hashed("z", 2)], three), false, "whoever is no voter has no say");
});

test("another version is right if its hash is equal, and else undecided", () => {
  assert.deepEqual(majorityOf([older("a", 1), hashed("b", 1), hashed("c", 1)], three)?.agreeing, ["a", "b", "c"]);
  const majority = majorityOf([older("a", 9), hashed("b", 1), hashed("c", 1)], three);
  assert.deepEqual(majority, { agreeing: ["b", "c"], differing: [] });
  assert.equal(areHashesSplit([older("a", 1), hashed("b", 2)], three), false);
});

test("a result needs comparable hashes of all responding voters in each round", () => {
  const all = { members: three, asked: ["a", "b", "c"] };
  const [a, b, c] = [hashed("a", 1), hashed("b", 1), hashed("c", 1)];
  const missing = (rounds: readonly (readonly Hashed[])[], of = all): readonly string[] =>
    combineRounds(rounds, of).missing;
  const twice = (round: readonly Hashed[]): readonly (readonly Hashed[])[] => [round, round];
  assert.deepEqual(missing(twice([a, b, c])), []);
  assert.deepEqual(missing(twice([hashed("a", 9), b, c])), [], "whoever differs was compared");
  assert.deepEqual(
    missing([
      [a, b, c],
      [a, b],
    ]),
    ["c"],
  );
  assert.deepEqual(missing(twice([a, b, hashed("c", 1, 2)])), ["c"]);
  assert.deepEqual(missing(twice([a, b, older("c", 9)])), ["c"]);
  assert.deepEqual(missing(twice([a, b]), { ...all, asked: ["a", "b"] }), [], "two of three are a majority");
  assert.deepEqual(missing(twice([a, hashed("b", 9)]), { ...all, asked: ["a", "b"] }), [], "and so is a dispute");
  assert.deepEqual(missing(twice([a]), { ...all, asked: ["a"] }), ["b", "c"], "one alone is no measure");
  assert.deepEqual(missing(twice([a]), { ...all, asked: ["a", "b"] }), ["b", "c"]);
});

test("an incomparable hash is distinguished from a missing one", () => {
  const all = { members: three, asked: ["a", "b", "c"] };
  const [a, b] = [hashed("a", 1), hashed("b", 1)];
  const unlike = (round: readonly Hashed[]): readonly string[] => combineRounds([round, round], all).unlike;
  assert.deepEqual(unlike([a, b, older("c", 9)]), ["c"]);
  assert.deepEqual(unlike([a, b, hashed("c", 1, 2)]), ["c"]);
  assert.deepEqual(unlike([a, hashed("b", 1, 2), hashed("c", 1, 3)]), ["a", "b", "c"]);
  assert.deepEqual(unlike([a, b]), []);
  assert.deepEqual(unlike([a, hashed("b", 1, 2)]), [], "and where somebody gave none, that is what to look at first");
});

test("a voter without volume does not count, but at most one of them", () => {
  const four = ["a", "b", "c", "d"].map(voter);
  const five = [...four, voter("e")];
  const volumesOf = (names: string[]) =>
    names.map((member) => ({ member, state: "bound", requested: 1, capacity: 1 }) as const);
  const left = withData({ members: four }, { answers: {}, volumes: volumesOf(["a", "b", "c"]) });
  assert.deepEqual(majorityOf([hashed("a", 9), hashed("b", 1), hashed("c", 1)], left.members)?.differing, ["a"]);
  const rest = withData({ members: five }, { answers: {}, volumes: volumesOf(["a", "b", "c"]) });
  assert.equal(majorityOf([hashed("a", 9), hashed("b", 9), hashed("c", 1)], rest.members), undefined);
});
