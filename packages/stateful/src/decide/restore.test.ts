import assert from "node:assert/strict";
import { test } from "node:test";
import type { Observation, ObservedPod, ObservedVolume } from "../cluster/observation.ts";
import { decideRestore } from "./restore.ts";
import { viewOf } from "./view.ts";

const former = [
  { name: "c-0", state: "Joined" },
  { name: "c-1", state: "Joined" },
] as const;
const restore = { uid: "r", name: "restore", former, primary: "c-0", lineage: "old" };

function pod(member: string, more: Partial<ObservedPod> = {}): ObservedPod {
  const plain = { boot: "run", startRole: "replica", serves: "none", templateHash: "", hasNoData: false } as const;
  return { ...plain, member, uid: member, run: member, state: "running", isReady: true, isNodeLost: false, ...more };
}

function volume(member: string): ObservedVolume {
  return { member, state: "bound", requested: 1, capacity: 1 };
}

/** Two members before a restore, or the new one with the former ones aside. */
function seen(change: Partial<Observation<number>> & { readonly isBegun: boolean }): Observation<number> {
  const { isBegun, ...more } = change;
  const [names, rest] = isBegun ? [["c-2"], { restore, isCreated: false }] : [["c-0", "c-1"], { isCreated: true }];
  return {
    name: "c",
    now: 0,
    desired: {
      generation: 1,
      isPaused: false,
      size: 2,
      version: "1",
      failoverMode: "Safe",
      failoverAfter: 1,
      availableAfter: 1,
      volumeBytes: 1,
      refused: [],
      maintenance: { isOpen: true },
      templateHash: "",
    },
    recorded: {
      lineage: isBegun ? "r" : "old",
      epoch: 1,
      primary: names[0],
      nextSerial: 2,
      acknowledgements: 0,
      members: names.map((name) => ({ name, state: "Joined" as const })),
      isCreated: rest.isCreated,
      restore: "restore" in rest ? rest.restore : undefined,
    },
    pods: [],
    volumes: ["c-0", "c-1", ...(isBegun ? ["c-2"] : [])].map(volume),
    statuses: {},
    isolatedForMs: 0,
    foreign: [],
    missing: [],
    restoreRequest: { uid: "r", name: "restore" },
    ...more,
  };
}

const decided = (observation: Observation<number>) => decideRestore(viewOf(observation));

test("a verified restore begins once, and not in a cluster that never had data", () => {
  const request = { uid: "r", name: "restore" };
  const before = seen({ isBegun: false });
  assert.deepEqual(decided(before), { do: "begin-restore", member: "c-2", ...request });
  const { recorded } = before;
  assert.equal(decided({ ...before, recorded: { ...recorded, handledRestore: "r" } }), undefined);
  assert.equal(decided({ ...before, recorded: { ...recorded, isCreated: false } }), undefined);
});

test("the former members stop before the new one starts, except on a lost node", () => {
  const running = seen({ isBegun: true, pods: [pod("c-0"), pod("c-1")] });
  assert.deepEqual(decided(running)?.do, "delete-pod");
  assert.equal(decided({ ...running, pods: [pod("c-0", { state: "stopping" })] })?.do, "wait");
  assert.equal(decided({ ...running, pods: [pod("c-0", { isNodeLost: true })] }), undefined);
  assert.equal(decided({ ...running, pods: [] }), undefined);
});

test("former volumes are deleted only when the restored data is served", () => {
  const report = {
    version: "1",
    lineage: "r",
    role: "primary",
    acceptsWrites: true,
    received: 1,
    applied: 1,
    isReceiving: false,
    acknowledgements: 0,
    waitingForAcknowledgement: 0,
  } as const;
  const serving = seen({ isBegun: true, pods: [pod("c-2")], statuses: { "c-2": { is: "responding", report } } });
  assert.deepEqual(decided(serving), { do: "delete-volume", member: "c-0", why: "the restored data is served" });
  assert.deepEqual(decided({ ...serving, volumes: [volume("c-2")] }), { do: "end-restore" });
  const foreign = { "c-2": { is: "responding", report: { ...report, lineage: "x" } } } as const;
  assert.equal(decided({ ...serving, statuses: foreign }), undefined);
});

test("without its request, the new member goes and the former data comes back", () => {
  const taken = seen({ isBegun: true, restoreRequest: undefined, pods: [pod("c-2")] });
  assert.equal(decided(taken)?.do, "delete-pod");
  assert.equal(decided({ ...taken, pods: [pod("c-2", { state: "stopping" })] })?.do, "wait");
  const stopped = { ...taken, pods: [] };
  assert.deepEqual(decided(stopped), { do: "delete-volume", member: "c-2", why: "the restore was taken back" });
  assert.deepEqual(decided({ ...stopped, volumes: [volume("c-0"), volume("c-1")] }), { do: "return-to-former" });
});
