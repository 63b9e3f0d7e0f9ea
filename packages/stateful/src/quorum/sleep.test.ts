import assert from "node:assert/strict";
import { test } from "node:test";
import type { Observation, ObservedPod } from "./contract.ts";
import { decide } from "./decide.ts";

/** One member that should hibernate. */
function actionFor(pod: Partial<ObservedPod>, volume: Observation["volumes"][number]["state"] | undefined): string {
  const seen = {
    application: { kinds: { cluster: "EtcdCluster" } },
    name: "e",
    desired: { size: 0, isPaused: false, rollsBackUpdates: false },
    recordedState: { serial: 0, versions: {}, clusterId: "1" },
    foreign: [],
    memberStatuses: {},
    membership: { by: "memory", members: [] },
    pods: [{ member: "e-0", state: "running", isContainerDown: false, ...pod }],
    volumes: volume === undefined ? [] : [{ member: "e-0", state: volume, requested: 1, capacity: 1 }],
  };
  return decide(seen as unknown as Observation).do;
}

test("hibernation is refused if data goes with a pod; a pod that never ran has none", () => {
  assert.equal(actionFor({}, "bound"), "delete-pod");
  assert.equal(actionFor({}, "stopping"), "refuse");
  assert.equal(actionFor({ isContainerDown: true }, "stopping"), "refuse");
  assert.equal(actionFor({}, undefined), "refuse");
  assert.equal(actionFor({}, "lost"), "refuse");
  assert.equal(actionFor({ state: "pending", isContainerDown: true }, undefined), "delete-pod");
  assert.equal(actionFor({ state: "ended", isContainerDown: true }, "lost"), "delete-pod");
});
