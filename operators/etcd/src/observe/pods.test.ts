import assert from "node:assert/strict";
import { test } from "node:test";
import { formatResult } from "capstan/stateful/parts";
import { bootstrapAnnotationKeys, BOOT_ANNOTATION, templateHashAnnotation } from "../pods/index.ts";
import { observePod } from "./pods.ts";
import type { PodObject } from "./pods.ts";
import { Stopwatch } from "capstan/stateful/quorum";
import type { RecordedSightings } from "capstan/stateful/quorum";

function podWith(status: object): PodObject {
  return { apiVersion: "v1", kind: "Pod", metadata: { name: "e-0", uid: "u" }, status } as unknown as PodObject;
}

/** An observation of a process that accepts recorded times at once. */
function lookedAt(former: readonly RecordedSightings[], now: number): Stopwatch {
  return new Stopwatch(former, now, { at: now, sightings: new Map(), confirmAfter: 0 });
}

const light = { node: undefined, now: 0, stopwatch: lookedAt([], 0) };

test("absence counts from the operator's first observation, by its own clock", () => {
  const away = (lastTransitionTime: string, stopwatch: Stopwatch, now: number): number =>
    now -
    observePod(podWith({ conditions: [{ type: "Ready", status: "False", lastTransitionTime }] }), {
      ...light,
      now,
      stopwatch,
    }).since;
  const first = lookedAt([], 1_000_000);
  assert.equal(away("2001-01-01T00:00:00Z", first, 1_000_000), 0);
  assert.equal(away("2001-01-01T00:00:00Z", lookedAt(first.running, 1_060_000), 1_060_000), 60_000);
  // The pod was ready in between, unobserved.
  assert.equal(away("2001-01-01T00:00:30Z", lookedAt(first.running, 1_060_000), 1_060_000), 0);
});

test("a pod that does not end counts as lost after a time observed by the operator", () => {
  const metadata = { name: "e-0", uid: "u", deletionTimestamp: "2001-01-01T00:00:00Z" };
  const pod = { metadata, spec: { nodeName: "n", containers: [] } } as unknown as PodObject;
  const first = lookedAt([], 1_000_000);
  assert.equal(observePod(pod, { ...light, now: 1_000_000, stopwatch: first }).isNodeLost, false);
  const now = 1_200_000;
  assert.equal(observePod(pod, { ...light, now, stopwatch: lookedAt(first.running, now) }).isNodeLost, true);
});

const waiting = { reason: "CrashLoopBackOff", message: "back-off 10s" };

test("a broken backup is reported with the message of the agent", () => {
  const message = formatResult({ ok: false, code: "Truncated", message: "the backup breaks off" });
  const fetch = { name: "fetch", state: { waiting }, lastState: { terminated: { exitCode: 1, message } } };
  const etcd = { name: "etcd", state: { waiting: { reason: "PodInitializing" } } };
  for (const containerStatuses of [[], [etcd]]) {
    const { startFailure: failure } = observePod(podWith({ initContainerStatuses: [fetch], containerStatuses }), light);
    assert.match(failure ?? "", /CrashLoopBackOff.*Truncated: the backup breaks off/u);
  }
});

test("a first member reports the backup that it restored", () => {
  const message = JSON.stringify({ ok: true, manifest: { name: "n/e/b" } });
  const fetch = { name: "fetch", state: { terminated: { exitCode: 0, message } } };
  assert.equal(observePod(podWith({ initContainerStatuses: [fetch] }), light).restoredBackup, "n/e/b");
  assert.equal(observePod(podWith({ initContainerStatuses: [] }), light).restoredBackup, undefined);
});

test("a crash is reported with its exit, and a pod in creation has no failure", () => {
  const etcd = { name: "etcd", state: { waiting }, lastState: { terminated: { exitCode: 2 } } };
  assert.match(observePod(podWith({ containerStatuses: [etcd] }), light).startFailure ?? "", /it ended with 2/u);
  const making = { name: "etcd", state: { waiting: { reason: "ContainerCreating" } } };
  assert.equal(observePod(podWith({ containerStatuses: [making] }), light).startFailure, undefined);
});

test("a pod with other Secrets is outdated, whatever its template hash", () => {
  const volumes = ["server", "peer"].map((part) => ({ name: `tls-${part}`, secret: { secretName: part } }));
  const metadata = { name: "e-0", uid: "u", annotations: { [templateHashAnnotation]: "p" } };
  const pod = { metadata, spec: { containers: [], volumes } } as unknown as PodObject;
  const printWith = (mounts: { server: string; peer: string }): string =>
    observePod(pod, { ...light, mounts }).templateHash;
  assert.equal(printWith({ server: "server", peer: "peer" }), "p");
  assert.notEqual(printWith({ server: "server", peer: "renamed" }), "p");
  assert.notEqual(printWith({ server: "renamed", peer: "peer" }), "p");
});

test("only annotations count as bootstrap flags; older pods have fixed flags", () => {
  const told = bootstrapAnnotationKeys["initial-cluster"];
  const isNewborn = (annotations: { [name: string]: string }): boolean =>
    observePod({ metadata: { name: "e-0", uid: "u", annotations } } as unknown as PodObject, light).hasBootstrapFlags;
  assert.equal(isNewborn({ [BOOT_ANNOTATION]: "join", [told]: "x" }), true);
  assert.equal(isNewborn({ [BOOT_ANNOTATION]: "join" }), false);
  assert.equal(isNewborn({ [BOOT_ANNOTATION]: "live", [told]: "x" }), false);
});

test("the snapshot count comes from the flags of the running pod", () => {
  const countOf = (args: readonly string[]): number | undefined => {
    const spec = { containers: [{ name: "etcd", args }] };
    return observePod({ metadata: { name: "e-0", uid: "u" }, spec } as unknown as PodObject, light).snapshotCount;
  };
  assert.equal(countOf(["--name=e-0", "--snapshot-count=5000"]), 5_000);
  assert.equal(countOf(["--snapshot-count=abc"]), undefined);
  assert.equal(countOf([]), undefined);
});
