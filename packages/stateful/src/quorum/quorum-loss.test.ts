import assert from "node:assert/strict";
import { test } from "node:test";
import type { QuorumApplication } from "./contract.ts";
import { describeMissingBackup, newestFirst } from "./quorum-loss.ts";

const survivor = (name: string, revision: number, raftIndex: number, state: "bound" | "stopping" = "bound") => ({
  name,
  talk: { revision, raftIndex, raftTerm: 100 - revision },
  volume: { state },
});

test("the newest data has the longest committed log, then the highest revision", () => {
  const order = (...survivors: readonly ReturnType<typeof survivor>[]): string[] =>
    survivors.toSorted(newestFirst).map(({ name }) => name);
  // The member has not applied all of its committed entries yet.
  assert.deepEqual(order(survivor("a", 11, 40), survivor("b", 10, 50)), ["b", "a"]);
  assert.deepEqual(order(survivor("a", 10, 50), survivor("b", 11, 50)), ["b", "a"]);
  assert.deepEqual(order(survivor("a", 10, 50, "stopping"), survivor("b", 10, 50)), ["b", "a"]);
});

test("backups of an earlier cluster of the same name are named after data loss", () => {
  const application = { kinds: { restore: "EtcdRestore" } } as QuorumApplication;
  assert.equal(describeMissingBackup({ application, name: "e" }), "there is no backup");
  assert.match(
    describeMissingBackup({ application, name: "e", backupsOfEarlierCluster: 2 }),
    /no backup of this cluster, but 2 of an earlier .*overwrite: e/u,
  );
});
