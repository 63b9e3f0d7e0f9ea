import assert from "node:assert/strict";
import { test } from "node:test";
import type { StatefulSet } from "@capstan/kinds/apps/v1";
import type { PersistentVolumeClaim, Pod } from "@capstan/kinds/v1";
import type { OwnerReference } from "@capstan/model";
import { ownersOf } from "./retention.ts";

const stored = { resourceVersion: "1", creationTimestamp: "2030-01-01T00:00:00Z" };
const set: StatefulSet = {
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { ...stored, name: "db", uid: "set" },
  spec: {
    replicas: 1,
    selector: {},
    serviceName: "db",
    template: {},
    persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Delete" },
  },
};
const pod: Pod = { apiVersion: "v1", kind: "Pod", metadata: { ...stored, name: "db-0", uid: "pod" } };
const claim = (ownerReferences: readonly OwnerReference[]): PersistentVolumeClaim => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { ...stored, name: "data-db-0", uid: "claim", ownerReferences: [...ownerReferences] },
});
const controls = { controller: true, blockOwnerDeletion: true };
const bySet = { apiVersion: "apps/v1", kind: "StatefulSet", name: "db", uid: "set", ...controls };
const byPod = { apiVersion: "v1", kind: "Pod", name: "db-0", uid: "pod", ...controls };
const stranger = { apiVersion: "v1", kind: "ConfigMap", name: "other", uid: "other" };

test("a claim belongs to the set while its pod is wanted, and to a condemned pod", () => {
  assert.deepEqual(ownersOf(claim([]), { set, pod, ordinal: 0 }), [bySet]);
  assert.deepEqual(ownersOf(claim([bySet]), { set, pod, ordinal: 1 }), [byPod]);
});

test("other owners stay, and a claim with another controller gets none of ours", () => {
  assert.deepEqual(ownersOf(claim([stranger]), { set, pod, ordinal: 0 }), [stranger, bySet]);
  const master = { ...stranger, controller: true };
  assert.deepEqual(ownersOf(claim([master, byPod]), { set, pod, ordinal: 0 }), [master]);
});
