/** Tests of the differences that a plan shows. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterServiceVersion } from "../kinds/csv.ts";
import { differences } from "./differences.ts";
import { permissionChange } from "./permissions.ts";

test("fields of the cluster do not count, changed ones are named by path", () => {
  const live = { spec: { replicas: 1, paused: false, list: [{ image: "a:1", pull: "Always" }] } };
  assert.deepEqual(differences({ spec: { replicas: 1, list: [{ image: "a:2" }] } }, live), [
    { path: "spec.list[0].image", from: "a:1", to: "a:2" },
  ]);
  assert.deepEqual(differences({ spec: { labels: {}, text: "" } }, live), []);
  const longer = [{ image: "a:1" }, { image: "b:1" }];
  assert.deepEqual(differences({ list: longer }, { list: [{ image: "a:1" }] }), [
    { path: "list", from: [{ image: "a:1" }], to: longer },
  ]);
});

test("permissions are compared right by right", () => {
  const csv = (resources: readonly string[], verbs: readonly string[]): ClusterServiceVersion => {
    const rules = [{ apiGroups: [""], resources, verbs }];
    const spec = { clusterPermissions: [{ serviceAccountName: "a", rules }] };
    // Only the permissions matter here.
    return { spec: { install: { strategy: "deployment", spec } } } as unknown as ClusterServiceVersion;
  };
  const change = permissionChange(csv(["pods"], ["get"]), csv(["pods", "secrets"], ["get"]));
  assert.deepEqual(change, { gained: [{ scope: "cluster", account: "a", right: "get secrets" }], lost: [] });
  const dropped = permissionChange(csv(["pods"], ["get", "delete"]), csv(["pods"], ["get"]));
  assert.deepEqual(dropped.lost, [{ scope: "cluster", account: "a", right: "delete pods" }]);
  assert.equal(permissionChange(undefined, csv(["pods"], ["get"])).gained.length, 1);
});
