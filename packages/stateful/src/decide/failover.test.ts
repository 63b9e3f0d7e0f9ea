import assert from "node:assert/strict";
import { test } from "node:test";
import type { MemberReport } from "../application.ts";
import { fencedFollowersNeeded } from "../application.ts";
import type { MemberStatus, Observation, ObservedPod, Rules } from "../cluster/observation.ts";
import { decide } from "./decide.ts";

const rules: Rules<number> = {
  compare: (one, other) => (one === other ? "same" : one < other ? "behind" : "ahead"),
  acknowledgements: (size) => (size > 1 ? 1 : 0),
};

const silent: MemberStatus<number> = { is: "silent", why: "refused", forMs: 60_000 };

function replica(received: number, change: Partial<MemberReport<number>> = {}): MemberStatus<number> {
  const report: MemberReport<number> = {
    version: "1",
    lineage: "L",
    role: "replica",
    acceptsWrites: false,
    received,
    applied: received,
    upstream: "m-0.m-members.ns.svc",
    isReceiving: false,
    acknowledgements: 0,
    waitingForAcknowledgement: 0,
    ...change,
  };
  return { is: "responding", report };
}

function pod(member: string, change: Partial<ObservedPod> = {}): ObservedPod {
  return {
    member,
    uid: member,
    run: `run of ${member}`,
    state: "running",
    isReady: true,
    boot: "run",
    startRole: "replica",
    serves: "none",
    templateHash: "t",
    hasNoData: false,
    isNodeLost: false,
    ...change,
  };
}

/** Three members; the primary m-0 is lost and a failover has begun. */
function lost(statuses: Observation<number>["statuses"], change: Partial<Observation<number>> = {}) {
  const names = ["m-0", "m-1", "m-2"];
  const seen: Observation<number> = {
    name: "m",
    now: 100_000,
    desired: {
      generation: 1,
      isPaused: false,
      size: 3,
      version: "1",
      failoverMode: "Safe",
      failoverAfter: 5_000,
      availableAfter: 60_000,
      volumeBytes: 1,
      refused: [],
      maintenance: { isOpen: true },
      templateHash: "t",
    },
    recorded: {
      lineage: "L",
      isCreated: true,
      epoch: 1,
      primary: "m-0",
      nextSerial: 3,
      acknowledgements: 1,
      members: names.map((name) => ({ name, state: "Joined", syncedRun: `run of ${name}` })),
      failover: { from: "m-0", began: 99_000, why: "m-0 is silent" },
    },
    pods: names.map((name) => pod(name)),
    volumes: names.map((member) => ({ member, state: "bound", requested: 1, capacity: 1 })),
    statuses: { "m-0": silent, ...statuses },
    isolatedForMs: 0,
    foreign: [],
    missing: [],
    ...change,
  };
  return decide(seen, rules);
}

test("one acknowledgement requires fencing all followers; zero is never safe", () => {
  assert.equal(fencedFollowersNeeded(2, 1), 2);
  assert.equal(fencedFollowersNeeded(4, 2), 3);
  assert.ok(fencedFollowersNeeded(2, 0) > 2);
});

test("a follower that still receives is fenced before a choice is made", () => {
  const action = lost({ "m-1": replica(5), "m-2": replica(4, { isReceiving: true }) });
  assert.deepEqual(action, { do: "fence", members: ["m-2"] });
});

test("the follower that received most leads, once it has applied all of it", () => {
  const waiting = lost({ "m-1": replica(5), "m-2": replica(6, { applied: 4 }) });
  assert.deepEqual(waiting, { do: "wait", for: "m-2 to apply what it received", isShort: true });
  const action = lost({ "m-1": replica(5), "m-2": replica(6) });
  assert.deepEqual(action, { do: "appoint", member: "m-2", from: "m-0" });
});

test("a silent follower may hold an acknowledged write, so the failover is refused", () => {
  const action = lost({ "m-1": replica(5), "m-2": silent });
  assert.equal(action.do === "refuse" && action.reason, "WritesMayBeMissing");
});

test("a follower that restarted since it was in sync is no witness", () => {
  const pods = [pod("m-0"), pod("m-1"), pod("m-2", { run: "another run" })];
  const action = lost({ "m-1": replica(5), "m-2": replica(5) }, { pods });
  assert.equal(action.do === "refuse" && action.reason, "WritesMayBeMissing");
});

test("the old primary loses its label before another member leads", () => {
  const pods = [pod("m-0", { startRole: "primary", serves: "primary" }), pod("m-1"), pod("m-2")];
  const action = lost({ "m-1": replica(5), "m-2": replica(5) }, { pods });
  assert.deepEqual(action, { do: "set-role", member: "m-0", role: "replica", serves: "none" });
});

test("an old primary that accepts writes again keeps its place", () => {
  const back = replica(7, { role: "primary", acceptsWrites: true, upstream: undefined });
  const action = lost({ "m-0": back, "m-1": replica(5), "m-2": replica(5) });
  assert.equal(action.do, "cancel-failover");
});

test("a first member that finds data of another cluster is refused with a sentence", () => {
  const recorded = { isCreated: false, epoch: 1, lineage: "L", nextSerial: 1, acknowledgements: 0, primary: "m-0" };
  const action = lost(
    { "m-0": replica(5, { lineage: "other", role: "detached" }) },
    { recorded: { ...recorded, members: [{ name: "m-0", state: "Joined" }] }, pods: [pod("m-0", { boot: "create" })] },
  );
  assert.equal(action.do === "refuse" && action.reason, "ForeignData");
  assert.match(action.do === "refuse" ? action.why : "", /m-0 has the data of other, not of this one/u);
});
