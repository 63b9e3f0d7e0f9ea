import assert from "node:assert/strict";
import { test } from "node:test";
import type { ContainerStatus, Pod, PodStatus } from "@capstan/kinds/v1";
import { podRow } from "./pod-table.ts";

const now = Date.parse("2026-01-01T01:00:00Z");

/** The cells ready, status and restarts of a pod with one container. */
function cellsOf(status: PodStatus, more: { initContainers?: object[]; deleted?: boolean } = {}): unknown[] {
  const pod = {
    metadata: {
      name: "p",
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...(more.deleted === true ? { deletionTimestamp: "2026-01-01T00:30:00Z" } : {}),
    },
    spec: { containers: [{ name: "c" }], initContainers: more.initContainers ?? [] },
    status,
  } as unknown as Pod;
  return podRow(pod, now).cells.slice(1, 4);
}

const container = (state: ContainerStatus["state"], more: object = {}): ContainerStatus =>
  ({ name: "c", ready: false, restartCount: 0, state, ...more }) as ContainerStatus;

test("the status cell defaults to the phase", () => {
  assert.deepEqual(cellsOf({ phase: "Pending" }), ["0/1", "Pending", "0"]);
  assert.deepEqual(cellsOf({ phase: "Failed", reason: "Evicted" }), ["0/1", "Evicted", "0"]);
});

test("container states override the phase", () => {
  const waiting = container({ waiting: { reason: "ImagePullBackOff" } });
  assert.deepEqual(cellsOf({ phase: "Pending", containerStatuses: [waiting] }), ["0/1", "ImagePullBackOff", "0"]);
  const running = container({ running: {} }, { ready: true, restartCount: 2 });
  assert.deepEqual(cellsOf({ phase: "Running", containerStatuses: [running] }), ["1/1", "Running", "2"]);
  const ended = container({ terminated: { exitCode: 3 } });
  assert.deepEqual(cellsOf({ phase: "Running", containerStatuses: [ended] }), ["0/1", "ExitCode:3", "0"]);
});

test("restarts show the time of the last one", () => {
  const lastState = { terminated: { exitCode: 1, finishedAt: "2026-01-01T00:59:00Z" } };
  const running = container({ running: {} }, { ready: true, restartCount: 5, lastState });
  assert.deepEqual(cellsOf({ phase: "Running", containerStatuses: [running] }), ["1/1", "Running", "5 (60s ago)"]);
});

test("init containers determine the status until they finish", () => {
  const initContainers = [{ name: "i" }, { name: "j" }];
  const done = { ...container({ terminated: { exitCode: 0 } }), name: "i" };
  const waiting = { ...container({ waiting: {} }), name: "j" };
  const status: PodStatus = { phase: "Pending", initContainerStatuses: [done, waiting] };
  assert.deepEqual(cellsOf(status, { initContainers }), ["0/1", "Init:1/2", "0"]);
  const failed = { ...container({ terminated: { exitCode: 1, reason: "Error" } }), name: "i" };
  assert.deepEqual(cellsOf({ phase: "Pending", initContainerStatuses: [failed] }, { initContainers }), [
    "0/1",
    "Init:Error",
    "0",
  ]);
});

test("a pod that is being deleted is Terminating", () => {
  assert.deepEqual(cellsOf({ phase: "Running" }, { deleted: true }), ["0/1", "Terminating", "0"]);
  assert.deepEqual(cellsOf({ phase: "Succeeded" }, { deleted: true }), ["0/1", "Succeeded", "0"]);
});
