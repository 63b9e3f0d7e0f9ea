/** Tests of readiness and of the take-over of objects. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { decideTakeover, effectiveProtection } from "./collision.ts";
import { unreadyReasons } from "./probes.ts";

const deployment = (status: object, generation = 2) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "d", namespace: "ns", generation },
  status,
});

test("a deployment is ready when all replicas are updated and it is available", () => {
  const available = [{ type: "Available", status: "True" }];
  assert.deepEqual(
    unreadyReasons(deployment({ observedGeneration: 2, replicas: 1, updatedReplicas: 1, conditions: available })),
    [],
  );
  assert.deepEqual(unreadyReasons(deployment({ observedGeneration: 1, replicas: 1, updatedReplicas: 1 })), [
    ".status outdated",
  ]);
  assert.deepEqual(unreadyReasons(deployment({ replicas: 2, updatedReplicas: 1 })), [
    '"status.updatedReplicas" == "1", want "2" of "status.replicas"',
    'missing condition "Available"',
  ]);
});

test("namespaces, claims and CRDs have probes, other kinds are ready at once", () => {
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "n" } };
  assert.deepEqual(unreadyReasons(namespace), ['"status.phase" missing']);
  const crd = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: { name: "c" } };
  assert.deepEqual(
    unreadyReasons({ ...crd, status: { conditions: [{ type: "Established", status: "False" }] } } as typeof crd),
    ['condition "Established" == "False", want "True"'],
  );
  assert.deepEqual(unreadyReasons({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } }), []);
});

const owned = (uid: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "c", ownerReferences: [{ apiVersion: "v1", kind: "A", name: "a", uid, controller: true }] },
});

test("an object of something else is a collision unless the protection allows it", () => {
  const plain = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } };
  const decide = (existing: typeof plain | undefined, protection: "Prevent" | "IfNoController" | "None") =>
    decideTakeover({ existing, owners: ["me", "predecessor"], protection }).type;
  assert.equal(decide(undefined, "Prevent"), "create");
  assert.equal(decide(owned("predecessor"), "Prevent"), "update");
  assert.equal(decide(plain, "Prevent"), "collision");
  assert.equal(decide(plain, "IfNoController"), "adopt");
  assert.equal(decide(owned("other"), "IfNoController"), "collision");
  assert.equal(decide(owned("other"), "None"), "adopt");
  assert.equal(effectiveProtection(undefined, "IfNoController", "None"), "IfNoController");
  assert.equal(effectiveProtection(), "Prevent");
});
