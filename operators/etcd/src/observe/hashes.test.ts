import assert from "node:assert/strict";
import { test } from "node:test";
import type { EtcdClient } from "../etcd/index.ts";
import { differingAmong, hashAll, hashLimit } from "./hashes.ts";
import type { Hashed } from "./hashes.ts";
import { Reach } from "./reach.ts";

const MEBIBYTE = 2 ** 20;

test("a large database may take longer to be read, and two rounds still fit into a turn of three minutes", () => {
  assert.ok(hashLimit(20_000) < 31_000);
  assert.ok(hashLimit(500 * MEBIBYTE) > 50_000);
  assert.ok(hashLimit(8_192 * MEBIBYTE) * 2 < 150_000);
});

test("members are asked with the time that their data takes, and never for longer than the turn has left", async () => {
  const limits: number[] = [];
  const maintenance = {
    hashKv: async ({ timeoutMs = 0 }) => {
      limits.push(timeoutMs);
      return { memberId: "1", clusterId: "c", hash: 1, revision: 1, compactRevision: 0 };
    },
  };
  let steady = 0;
  const connect = (): EtcdClient => ({ maintenance }) as unknown as EtcdClient;
  const place = { name: "e", namespace: "n", isSecure: false };
  const reach = new Reach({ connect, place, addresses: new Map([["e-0", "10.0.0.1"]]), steady: () => steady });
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
  await hashAll(reach, { "e-0": answer });
  steady = 140_000;
  await hashAll(reach, { "e-0": answer });
  assert.deepEqual(limits, [hashLimit(answer.dbBytes), 10_000]);
});

const hashed = (member: string, hash: number, compactRevision = 1): Hashed => ({
  member,
  hash: { hash, compactRevision },
  version: "3.6.16",
});

test("a member differs only where a majority of all agrees, not of those that can be compared", () => {
  const five = [hashed("a", 9), hashed("b", 9), hashed("c", 1), hashed("d", 5, 2), hashed("e", 5, 2)];
  assert.deepEqual(differingAmong(five), ["a", "b", "c"], "nobody knows who is right");
  assert.deepEqual(differingAmong(["a", "b", "c", "d"].map((name) => hashed(name, name === "a" ? 9 : 1))), ["a"]);
});

test("those who agree do not differ, however few can be compared", () => {
  assert.deepEqual(differingAmong([hashed("a", 1), hashed("b", 1), hashed("c", 5, 2), hashed("d", 6, 3)]), []);
  assert.deepEqual(differingAmong([hashed("a", 1), hashed("b", 2, 2)]), []);
  assert.deepEqual(differingAmong([]), []);
});
