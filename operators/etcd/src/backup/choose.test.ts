import assert from "node:assert/strict";
import { test } from "node:test";
import type { Alarm, EndpointStatus, EtcdClient } from "../etcd/index.ts";
import { choose } from "./choose.ts";

function candidate(memberId: string, revision: number, more: Partial<EndpointStatus> = {}) {
  const status: EndpointStatus = {
    clusterId: "c",
    memberId,
    revision,
    version: "3.6.16",
    dbSize: 1,
    dbSizeInUse: 1,
    leader: "a",
    isLearner: false,
    raftTerm: 1,
    raftIndex: 1,
    raftAppliedIndex: 1,
    errors: [],
    ...more,
  };
  // Only the status matters here.
  return { status, client: {} as EtcdClient };
}

test("the member with the newest revision is asked, a follower first, no learner", () => {
  const chosen = (...all: ReturnType<typeof candidate>[]): string | undefined =>
    choose(all, { alarms: [], learners: "never" })?.status.memberId;
  assert.equal(chosen(candidate("a", 5), candidate("b", 7), candidate("c", 6)), "b");
  assert.equal(chosen(candidate("a", 7), candidate("b", 7)), "b");
  assert.equal(chosen(candidate("a", 9), candidate("b", 7)), "a");
  assert.equal(chosen(candidate("b", 9, { isLearner: true }), candidate("a", 7)), "a");
  assert.equal(chosen(candidate("b", 9, { isLearner: true })), undefined);
});

test("a learner of this cluster is asked if allowed and no voter responds", () => {
  const chosen = (...all: ReturnType<typeof candidate>[]): string | undefined =>
    choose(all, { clusterId: "c", alarms: [], learners: "at last" })?.status.memberId;
  assert.equal(chosen(candidate("b", 9, { isLearner: true }), candidate("a", 7)), "a");
  assert.equal(chosen(candidate("b", 9, { isLearner: true })), "b");
  assert.equal(chosen(candidate("b", 9, { isLearner: true, clusterId: "another" })), undefined);
});

test("a member of another cluster or with corrupt data is not asked", () => {
  const lastGood = [candidate("a", 100), candidate("b", 100)];
  const foreign = candidate("f", 900, { clusterId: "another" });
  const chosen = (all: ReturnType<typeof candidate>[], alarms: readonly Alarm[] = [], clusterId?: string) =>
    choose(all, { clusterId, alarms, learners: "at last" })?.status.memberId;
  assert.equal(chosen([foreign, ...lastGood], [], "c"), "b");
  assert.equal(chosen([foreign], [], "c"), undefined);
  assert.equal(chosen(lastGood, [{ memberId: "b", kind: "Corrupt" }], "c"), "a");
  // A full database is still worth a backup.
  assert.equal(chosen(lastGood, [{ memberId: "b", kind: "NoSpace" }], "c"), "b");
});
