import assert from "node:assert/strict";
import { test } from "node:test";
import { differingAmong, hashAll, hashTimeout } from "./hashes.ts";
import type { Hashed } from "./hashes.ts";
import type { HashReader, MemberHash } from "./reports.ts";

const MEBIBYTE = 2 ** 20;

test("a large database gets more time, and two rounds fit into one reconcile", () => {
  assert.ok(hashTimeout(20_000) < 31_000);
  assert.ok(hashTimeout(500 * MEBIBYTE) > 50_000);
  assert.ok(hashTimeout(8_192 * MEBIBYTE) * 2 < 150_000);
});

const answer = {
  is: "talking",
  id: "1",
  clusterId: "c",
  version: "3.6.16",
  isLearner: false,
  revision: 1,
  raftIndex: 1,
  raftTerm: 1,
  applied: 1,
  dbBytes: 8_192 * MEBIBYTE,
  dbBytesInUse: 1,
  isCorrupt: false,
  isFull: false,
} as const;

type Request = Parameters<HashReader["hashOf"]>[1];

/** Members with these responses. */
function reachTo(hashOf: (member: string, request: Request) => Partial<MemberHash>) {
  const time = { left: 150_000 };
  const told = { hash: 1, revision: 1, compactRevision: 0 };
  const reach: HashReader = {
    hashOf: async (member, request) => ({ ...told, ...hashOf(member, request) }),
    patience: () => time.left,
  };
  return { reach, time };
}

test("hash timeouts follow the database size, within the time of the reconcile", async () => {
  const limits: number[] = [];
  const { reach, time } = reachTo((_member, { timeoutMs }) => {
    limits.push(timeoutMs);
    return {};
  });
  await hashAll(reach, { "e-0": answer });
  time.left = 10_000;
  await hashAll(reach, { "e-0": answer });
  assert.deepEqual(limits, [hashTimeout(answer.dbBytes), 10_000]);
});

test("without writes, members hash their present data, not a past compaction", async () => {
  const asked: unknown[] = [];
  const { reach } = reachTo((_member, { revision }) => {
    asked.push(revision);
    return { revision: 31, compactRevision: 31 };
  });
  const still = { ...answer, revision: 31 };
  const hashes = await hashAll(reach, { "e-0": still, "e-1": still });
  assert.deepEqual(asked, [0, 0]);
  assert.deepEqual(
    hashes.map(({ hash }) => hash.compactRevision),
    [31, 31],
  );
});

test("with writes, members hash the highest revision that all of them have", async () => {
  const asked: unknown[] = [];
  const { reach } = reachTo((member, { revision }) => {
    asked.push(revision);
    return { revision: member === "e-0" ? 34 : 33 };
  });
  const at = (revision: number) => ({ ...answer, revision });
  await hashAll(reach, { "e-0": at(32), "e-1": at(31) });
  assert.deepEqual(asked, [31, 31]);
  await hashAll(reach, { "e-0": at(32), "e-1": at(32) });
  assert.deepEqual(asked.slice(2), [0, 0, 33, 33]);
});

const hashed = (member: string, hash: number, compactRevision = 1): Hashed => ({
  member,
  hash: { hash, compactRevision },
  version: "3.6.16",
});

test("a member differs only if a majority of all agrees, not of comparable ones", () => {
  const five = [hashed("a", 9), hashed("b", 9), hashed("c", 1), hashed("d", 5, 2), hashed("e", 5, 2)];
  assert.deepEqual(differingAmong(five), ["a", "b", "c"], "nobody knows who is right");
  assert.deepEqual(differingAmong(["a", "b", "c", "d"].map((name) => hashed(name, name === "a" ? 9 : 1))), ["a"]);
});

test("members that agree do not differ, however few can be compared", () => {
  assert.deepEqual(differingAmong([hashed("a", 1), hashed("b", 1), hashed("c", 5, 2), hashed("d", 6, 3)]), []);
  assert.deepEqual(differingAmong([hashed("a", 1), hashed("b", 2, 2)]), []);
  assert.deepEqual(differingAmong([]), []);
});
