import assert from "node:assert/strict";
import { test } from "node:test";
import { nextRestoreStep } from "./restore-steps.ts";
import type { RestoreSeen, SeenTarget } from "./restore-steps.ts";

const target: SeenTarget = { uid: "new", isOurs: false, version: "3.6.16", isAvailable: true };

function step(spec: object, status: object, more: Partial<SeenTarget> = {}): string {
  const seen = { uid: "r", spec: { cluster: "e", ...spec }, status: { phase: "Running", ...status }, jobs: [] };
  const next = nextRestoreStep({ ...seen, target: { ...target, ...more } } as unknown as RestoreSeen);
  return next.do === "fail" ? next.reason : next.do;
}

test("a restore in place continues only with the cluster that it was created for", () => {
  const overwrite = { overwrite: "e" };
  assert.equal(step(overwrite, { clusterUid: "new" }), "wait");
  assert.equal(step(overwrite, { clusterUid: "old" }), "ClusterGone");
  // A restore that an older operator began does not record the uid of the cluster.
  assert.equal(step(overwrite, {}), "wait");
});

test("a restore into a new cluster waits only for the cluster that it created", () => {
  assert.equal(step({}, {}, { isOurs: true, isAvailable: false }), "wait");
  assert.equal(step({}, {}, { isOurs: true }), "succeed");
  assert.equal(step({}, {}), "ClusterGone");
});
