import assert from "node:assert/strict";
import test from "node:test";

import { PROVISIONER } from "./objects.ts";
import { planStorage } from "./provisioner.ts";
import type { Claim, StorageClass, Volume } from "./provisioner.ts";

const late: StorageClass = {
  metadata: { name: "late", uid: "1" },
  provisioner: PROVISIONER,
  volumeBindingMode: "WaitForFirstConsumer",
};
const early: StorageClass = { ...late, metadata: { name: "early", uid: "2" }, volumeBindingMode: "Immediate" };
const foreign: StorageClass = { ...early, metadata: { name: "foreign", uid: "3" }, provisioner: "other.example" };
const classes = [late, early, foreign];

function claim(storageClassName: string, node?: string, spec: Partial<Claim["spec"]> = {}): Claim {
  const annotations = node === undefined ? {} : { "volume.kubernetes.io/selected-node": node };
  return {
    metadata: { name: "data", namespace: "default", uid: "u", annotations },
    spec: { storageClassName, resources: { requests: { storage: "2Gi" } }, ...spec },
  };
}

function volume(phase: string, persistentVolumeReclaimPolicy: string, by: string = PROVISIONER): Volume {
  const annotations = { "pv.kubernetes.io/provisioned-by": by };
  return {
    metadata: { name: "pvc-u", uid: "v", annotations },
    spec: { persistentVolumeReclaimPolicy },
    status: { phase },
  };
}

const volumes: Volume[] = [];

test("a claim waits until the scheduler has chosen a node", () => {
  assert.deepEqual(planStorage({ claims: [claim("late")], volumes, classes }, "/v"), []);
  const [action] = planStorage({ claims: [claim("late", "node-2")], volumes, classes }, "/v");
  assert.equal(action?.kind, "make");
  assert.match(JSON.stringify(action), /"operator":"In","values":\["node-2"\]/);
  assert.match(JSON.stringify(action), /"local":\{"path":"\/v\/pvc-u"\}/);
  assert.match(JSON.stringify(action), /"capacity":\{"storage":"2Gi"\}/);
});

test("a class that binds at once needs no node", () => {
  const [action] = planStorage({ claims: [claim("early")], volumes, classes }, "/v");
  assert.match(JSON.stringify(action), /"operator":"Exists"/);
});

test("foreign, bound, block and provisioned claims are left alone", () => {
  const claims = [
    claim("foreign"),
    claim("unknown"),
    claim("early", undefined, { volumeName: "x" }),
    claim("early", undefined, { volumeMode: "Block" }),
  ];
  assert.deepEqual(planStorage({ claims, volumes, classes }, "/v"), []);
  assert.deepEqual(
    planStorage({ claims: [claim("early")], volumes: [volume("Available", "Delete")], classes }, "/v"),
    [],
  );
});

test("only a released volume of ours that is to be deleted goes", () => {
  const plan = (one: Volume): object[] => planStorage({ claims: [], volumes: [one], classes }, "/v");
  assert.deepEqual(plan(volume("Released", "Delete")), [{ kind: "remove", volume: "pvc-u" }]);
  assert.deepEqual(plan(volume("Released", "Retain")), []);
  assert.deepEqual(plan(volume("Bound", "Delete")), []);
  assert.deepEqual(plan(volume("Released", "Delete", "other.example")), []);
});
