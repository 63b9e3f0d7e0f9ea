import assert from "node:assert/strict";
import { test } from "node:test";
import type { Deployment, ReplicaSet } from "@capstan/kinds/apps/v1";
import { newReplicaSetAnnotations, highestRevision, previousRevision, REVISION } from "./annotations.ts";

const set = (revision: string): ReplicaSet =>
  ({ metadata: { annotations: { [REVISION]: revision } } }) as unknown as ReplicaSet;
const deployment = (annotations: object): Deployment => ({ metadata: { annotations } }) as unknown as Deployment;

test("revisions keep all their 64 bits", () => {
  const sets = [set("3546343826724305832"), set("3546343826724305833"), set("none")];
  assert.equal(highestRevision(sets), 3546343826724305833n);
  assert.equal(previousRevision(sets), 3546343826724305832n);
});

test("a new ReplicaSet copies annotations and records a new and the old revision", () => {
  const from = deployment({ note: "x", [REVISION]: "7", "kubectl.kubernetes.io/last-applied-configuration": "{}" });
  assert.deepEqual(newReplicaSetAnnotations(from, {}, 1n), { note: "x", [REVISION]: "1" });
  assert.deepEqual(newReplicaSetAnnotations(from, { [REVISION]: "2" }, 5n), {
    note: "x",
    [REVISION]: "5",
    "deployment.kubernetes.io/revision-history": "2",
  });
  assert.deepEqual(newReplicaSetAnnotations(from, { [REVISION]: "5" }, 5n), { note: "x", [REVISION]: "5" });
});
