/** The decisions for an application other than etcd: its versions, its kinds, its log. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Action, MemberStatus, Observation, ObservedPod, QuorumApplication } from "./contract.ts";
import { failureOf, healthOf, quorumConditions, roleOf } from "./conditions.ts";
import { decide } from "./decide.ts";
import { viewOf } from "./view.ts";

/** Versions are numbers; each reads the log of the one before, and no other. */
const ledger: QuorumApplication = {
  name: "ledger",
  kinds: { cluster: "Ledger", restore: "LedgerRestore", operation: "LedgerOperation" },
  versions: {
    compare: (one, other) => Number(one) - Number(other),
    next: (from, to, newest) => {
      const next = Number(from) + 1;
      if (Number(to) <= next) return { go: to };
      const stop = newest[next];
      return stop === undefined ? { missing: `release ${next}` } : { go: stop };
    },
    isTooOldFor: (version, clusterVersion) => Number(version) < Number(clusterVersion),
    readsLogOf: (version, writer) => writer !== undefined && Number(version) - Number(writer) <= 1,
  },
  quotaAdvice: "Give it more",
};

const NAMES = ["l-0", "l-1", "l-2"];
const NOW = 1_000_000;

function pod(member: string, version: string): ObservedPod {
  return {
    member,
    uid: member,
    boot: "live",
    hasBootstrapFlags: false,
    initialCheck: "on",
    templateHash: `now-${version}`,
    version,
    state: "running",
    isReady: true,
    since: NOW,
    isContainerDown: false,
    restarts: 0,
    isNodeLost: false,
  };
}

const reply: Extract<MemberStatus, { is: "talking" }> = {
  is: "talking",
  id: "",
  clusterId: "c",
  version: "5",
  isLearner: false,
  leader: "l-2",
  revision: 10,
  raftIndex: 10,
  raftTerm: 1,
  applied: 10,
  dbBytes: 50,
  dbBytesInUse: 50,
  isCorrupt: false,
  isFull: false,
};

type Change = Partial<Omit<Observation, "desired" | "recordedState">> & {
  readonly desired?: Partial<Observation["desired"]>;
  readonly recordedState?: Partial<Observation["recordedState"]>;
};

function decided(change: Change): Action {
  return decide(seenWith(change));
}

/** Three healthy members of version 5, whose leader is the last one. */
function seenWith({ desired, recordedState, ...change }: Change): Observation {
  const members = NAMES.map((member) => ({ member, id: member, isStarted: true, isLearner: false }));
  return {
    application: ledger,
    name: "l",
    now: NOW,
    desired: {
      size: 3,
      version: "5",
      generation: 1,
      isPaused: false,
      volumeBytes: 1,
      quota: 100,
      patches: { 6: "6", 7: "7" },
      snapshotCount: 1_000,
      updateDeadline: 300_000,
      rollsBackUpdates: true,
      hasStore: false,
      safeguard: "unwanted",
      recoversQuorum: true,
      recoversFromBackup: true,
      replaceAfter: 300_000,
      bootstrapsFromBackup: false,
      replace: [],
      templateDigest: "now",
      templateHashFor: (version) => `now-${version}`,
      ...desired,
    },
    recordedState: { serial: 2, versions: {}, clusterId: "c", clusterVersion: "5", ...recordedState },
    pods: NAMES.map((member) => pod(member, "5")),
    volumes: NAMES.map((member) => ({ member, state: "bound", requested: 1, capacity: 1 })),
    memberStatuses: Object.fromEntries(NAMES.map((member) => [member, { ...reply, id: member }])),
    membership: { by: "quorum", clusterId: "c", members },
    foreign: [],
    otherAuthority: [],
    missing: [],
    differing: [],
    staleAlarms: [],
    isRestoreDeleted: false,
    snapshots: {},
    ...change,
  };
}

function whyOf(action: Action): string {
  return action.do === "refuse" ? action.why : JSON.stringify(action);
}

test("a healthy cluster is left alone", () => {
  assert.deepEqual(decided({}), { do: "rest" });
});

test("an update goes through the versions that the application names", () => {
  const begun = decided({ desired: { version: "7" } });
  assert.equal(begun.do === "note-update" && begun.update?.to, "6");
  const direct = decided({ desired: { version: "6" } });
  assert.equal(direct.do === "note-update" && direct.update?.to, "6");
  const { floor } = direct.do === "note-update" ? (direct.update ?? {}) : {};
  assert.equal(floor, undefined, "6 reads the log of 5");
  const unknown = decided({ desired: { version: "9", patches: {} } });
  assert.match(whyOf(unknown), /the way to 9 leads through release 6/u);
});

test("a version that cannot read the log waits until the log has grown past a snapshot", () => {
  const skips = { ...ledger.versions, next: (_from: string, to: string) => ({ go: to }) };
  const begun = decided({ application: { ...ledger, versions: skips }, desired: { version: "8" } });
  const floor = begun.do === "note-update" ? begun.update?.floor : undefined;
  assert.ok(floor !== undefined && floor >= 1_010, `${floor}`);
});

test("a version that cannot read the data is refused", () => {
  assert.match(whyOf(decided({ desired: { version: "4" } })), /the data is of version 5 and cannot be read by 4/u);
});

test("the leader is updated last, after it has handed over", () => {
  const update = { from: "5", to: "6", began: NOW, member: "l-0" };
  const recordedState = { update, clusterVersion: "5" };
  const desired = { version: "6" };
  const of = (updated: readonly string[]) => ({
    desired,
    recordedState,
    pods: NAMES.map((member) => pod(member, updated.includes(member) ? "6" : "5")),
  });
  const first = decided(of([]));
  assert.deepEqual(first.do === "delete-pod" && [first.member, first.next], ["l-0", "6"]);
  const last = decided(of(["l-0", "l-1"]));
  assert.deepEqual(last.do === "move-leader" && [last.from, last.to], ["l-2", "l-0"]);
});

test("messages name the kinds and the advice of the application", () => {
  const lost = {
    membership: {
      by: "memory" as const,
      members: NAMES.map((member) => ({ member, id: member, isStarted: true, isLearner: false })),
    },
    pods: [],
    volumes: [],
    memberStatuses: {},
  };
  const earlier = decided({ ...lost, backupsOfEarlierCluster: 2 });
  assert.match(whyOf(earlier), /make a LedgerRestore that names it with spec.overwrite: l/u);
  const memberStatuses = Object.fromEntries(NAMES.map((member) => [member, { ...reply, id: member, quota: 200 }]));
  const small = decided({
    desired: { quota: 20, templateHashFor: (version) => `new-${version}` },
    memberStatuses,
  });
  assert.match(whyOf(small), /more than the new quota of 20: all writes would be refused. Give it more$/u);
});

test("conditions and members of a healthy cluster", () => {
  const view = viewOf(seenWith({}));
  const { Available, Progressing, QuorumLost } = quorumConditions(view, decide(view.seen));
  assert.deepEqual([Available.isTrue, Available.message], [true, "3 of 3 voting members are healthy"]);
  assert.deepEqual([Progressing.isTrue, QuorumLost.isTrue], [false, false]);
  assert.equal(failureOf(view, { do: "rest" }), undefined);
  assert.deepEqual(view.members.map(roleOf), ["Follower", "Follower", "Leader"]);
});

test("without a quorum the conditions say so, unless the kubelets report one", () => {
  const members = NAMES.map((member) => ({ member, id: member, isStarted: true, isLearner: false }));
  const memberStatuses = Object.fromEntries(NAMES.map((name) => [name, { is: "silent", why: "" } as const]));
  const lost = { membership: { by: "memory", members }, memberStatuses } as const;
  const pods = NAMES.map((member) => ({ ...pod(member, "5"), isReady: false, isContainerDown: true, restarts: 1 }));
  const view = viewOf(seenWith({ ...lost, pods }));
  const action = decide(view.seen);
  const { Available, QuorumLost } = quorumConditions(view, action);
  assert.deepEqual([Available.isTrue, Available.reason, QuorumLost.isTrue], [false, "NoQuorum", true]);
  assert.equal(failureOf(view, action)?.reason, "MemberUnhealthy");
  assert.deepEqual(view.members.map(healthOf), ["Down", "Down", "Down"]);
  const unseen = quorumConditions(viewOf(seenWith(lost)), action);
  assert.deepEqual([unseen.Available.isTrue, unseen.Available.reason], [true, "OperatorCannotConnect"]);
});
