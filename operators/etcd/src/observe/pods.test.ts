import assert from "node:assert/strict";
import { test } from "node:test";
import { formatResult } from "../backup/agent/result.ts";
import { bootstrapAnnotationKeys, BOOT_ANNOTATION, templateHashAnnotation } from "../pods/index.ts";
import { observePod } from "./pods.ts";
import type { PodObject } from "./pods.ts";
import { Stopwatch } from "./stopwatch.ts";
import type { RecordedSightings } from "./stopwatch.ts";

function podWith(status: object): PodObject {
  return { apiVersion: "v1", kind: "Pod", metadata: { name: "e-0", uid: "u" }, status } as unknown as PodObject;
}

/** A look of a process that takes what was written down as it is. */
function lookedAt(former: readonly RecordedSightings[], now: number): Stopwatch {
  return new Stopwatch(former, now, { at: now, sightings: new Map(), confirmAfter: 0 });
}

const light = { node: undefined, now: 0, stopwatch: lookedAt([], 0) };

test("absence counts from when the operator first saw it, whatever the clocks of others say", () => {
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
  // It was ready in between, while nobody looked.
  assert.equal(away("2001-01-01T00:00:30Z", lookedAt(first.running, 1_060_000), 1_060_000), 0);
});

test("a pod that does not end is given up after a while that the operator itself has seen pass", () => {
  const metadata = { name: "e-0", uid: "u", deletionTimestamp: "2001-01-01T00:00:00Z" };
  const pod = { metadata, spec: { nodeName: "n", containers: [] } } as unknown as PodObject;
  const first = lookedAt([], 1_000_000);
  assert.equal(observePod(pod, { ...light, now: 1_000_000, stopwatch: first }).isNodeLost, false);
  const now = 1_200_000;
  assert.equal(observePod(pod, { ...light, now, stopwatch: lookedAt(first.running, now) }).isNodeLost, true);
});

const waiting = { reason: "CrashLoopBackOff", message: "back-off 10s" };

test("a member whose backup is broken tells what the agent said, not only that something crashed", () => {
  const message = formatResult({ ok: false, code: "Truncated", message: "the backup breaks off" });
  const fetch = { name: "fetch", state: { waiting }, lastState: { terminated: { exitCode: 1, message } } };
  const etcd = { name: "etcd", state: { waiting: { reason: "PodInitializing" } } };
  for (const containerStatuses of [[], [etcd]]) {
    const { startFailure: failure } = observePod(podWith({ initContainerStatuses: [fetch], containerStatuses }), light);
    assert.match(failure ?? "", /CrashLoopBackOff.*Truncated: the backup breaks off/u);
  }
});

test("a first member tells which backup it has begun with", () => {
  const message = JSON.stringify({ ok: true, manifest: { name: "n/e/b" } });
  const fetch = { name: "fetch", state: { terminated: { exitCode: 0, message } } };
  assert.equal(observePod(podWith({ initContainerStatuses: [fetch] }), light).restoredBackup, "n/e/b");
  assert.equal(observePod(podWith({ initContainerStatuses: [] }), light).restoredBackup, undefined);
});

test("a member that crashes tells how it ended, and one that is being made is in no trouble", () => {
  const etcd = { name: "etcd", state: { waiting }, lastState: { terminated: { exitCode: 2 } } };
  assert.match(observePod(podWith({ containerStatuses: [etcd] }), light).startFailure ?? "", /it ended with 2/u);
  const making = { name: "etcd", state: { waiting: { reason: "ContainerCreating" } } };
  assert.equal(observePod(podWith({ containerStatuses: [making] }), light).startFailure, undefined);
});

test("a member with other Secrets than it should have is not as it should be, whatever its fingerprint", () => {
  const volumes = ["server", "peer"].map((part) => ({ name: `tls-${part}`, secret: { secretName: part } }));
  const metadata = { name: "e-0", uid: "u", annotations: { [templateHashAnnotation]: "p" } };
  const pod = { metadata, spec: { containers: [], volumes } } as unknown as PodObject;
  const printWith = (mounts: { server: string; peer: string }): string =>
    observePod(pod, { ...light, mounts }).templateHash;
  assert.equal(printWith({ server: "server", peer: "peer" }), "p");
  assert.notEqual(printWith({ server: "server", peer: "renamed" }), "p");
  assert.notEqual(printWith({ server: "renamed", peer: "peer" }), "p");
});

test("only what can be taken back makes a newborn: an earlier operator's pods keep their flags for life", () => {
  const told = bootstrapAnnotationKeys["initial-cluster"];
  const isNewborn = (annotations: { [name: string]: string }): boolean =>
    observePod({ metadata: { name: "e-0", uid: "u", annotations } } as unknown as PodObject, light).hasBootstrapFlags;
  assert.equal(isNewborn({ [BOOT_ANNOTATION]: "join", [told]: "x" }), true);
  assert.equal(isNewborn({ [BOOT_ANNOTATION]: "join" }), false);
  assert.equal(isNewborn({ [BOOT_ANNOTATION]: "live", [told]: "x" }), false);
});

test("how often a member writes its state down is told by its own flags", () => {
  const countOf = (args: readonly string[]): number | undefined => {
    const spec = { containers: [{ name: "etcd", args }] };
    return observePod({ metadata: { name: "e-0", uid: "u" }, spec } as unknown as PodObject, light).snapshotCount;
  };
  assert.equal(countOf(["--name=e-0", "--snapshot-count=5000"]), 5_000);
  assert.equal(countOf(["--snapshot-count=abc"]), undefined);
  assert.equal(countOf([]), undefined);
});
