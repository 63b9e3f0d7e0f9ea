import assert from "node:assert/strict";
import { test } from "node:test";
import { formatResult } from "../backup/agent/result.ts";
import { seePod } from "./pods.ts";
import type { PodObject } from "./pods.ts";

function podWith(status: object): PodObject {
  return { apiVersion: "v1", kind: "Pod", metadata: { name: "e-0", uid: "u" }, status } as unknown as PodObject;
}

const waiting = { reason: "CrashLoopBackOff", message: "back-off 10s" };

test("a member whose backup is broken tells what the agent said, not only that something crashed", () => {
  const message = formatResult({ ok: false, code: "Truncated", message: "the backup breaks off" });
  const fetch = { name: "fetch", state: { waiting }, lastState: { terminated: { exitCode: 1, message } } };
  const etcd = { name: "etcd", state: { waiting: { reason: "PodInitializing" } } };
  for (const containerStatuses of [[], [etcd]]) {
    const { trouble } = seePod(podWith({ initContainerStatuses: [fetch], containerStatuses }), undefined, 0);
    assert.match(trouble ?? "", /CrashLoopBackOff.*Truncated: the backup breaks off/u);
  }
});

test("a member that crashes tells how it ended, and one that is being made is in no trouble", () => {
  const etcd = { name: "etcd", state: { waiting }, lastState: { terminated: { exitCode: 2 } } };
  assert.match(seePod(podWith({ containerStatuses: [etcd] }), undefined, 0).trouble ?? "", /it ended with 2/u);
  const making = { name: "etcd", state: { waiting: { reason: "ContainerCreating" } } };
  assert.equal(seePod(podWith({ containerStatuses: [making] }), undefined, 0).trouble, undefined);
});
