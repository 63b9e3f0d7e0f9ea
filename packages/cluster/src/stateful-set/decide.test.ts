import assert from "node:assert/strict";
import { test } from "node:test";
import type { StatefulSet } from "@capstan/kinds/apps/v1";
import type { Pod } from "@capstan/kinds/v1";
import { decide } from "./decide.ts";

function set(spec: object, status: object = {}): StatefulSet {
  return { metadata: { name: "db", uid: "u" }, spec: { replicas: 3, ...spec }, status } as unknown as StatefulSet;
}

type State = "ready" | "starting" | "leaving" | "failed";

function pod(ordinal: number, state: State = "ready", revision = "new"): Pod {
  const name = `db-${ordinal}`;
  return {
    metadata: {
      name,
      labels: { "statefulset.kubernetes.io/pod-name": name, "controller-revision-hash": revision },
      ...(state === "leaving" && { deletionTimestamp: "2030-01-01T00:00:00Z" }),
    },
    spec: {},
    status: {
      phase: state === "failed" ? "Failed" : state === "starting" ? "Pending" : "Running",
      conditions: [{ type: "Ready", status: state === "ready" ? "True" : "False" }],
    },
  } as unknown as Pod;
}

function steps(one: StatefulSet, pods: readonly Pod[]): readonly string[] {
  return decide({ set: one, pods, current: "old", update: "new", now: 0 }).map((action) => {
    switch (action.do) {
      case "start":
        return `start ${action.ordinal} ${action.revision}`;
      case "end":
        return `end ${action.pod.metadata.name}`;
      case "claim":
      case "identify":
        return `${action.do} ${action.ordinal}`;
    }
  });
}

test("pods are created, deleted and updated in order", () => {
  const cases: [string, StatefulSet, Pod[], string[]][] = [
    ["the first pod is created first", set({}), [], ["start 0 update"]],
    ["the next waits", set({}), [pod(0, "starting")], ["claim 0"]],
    ["the next pod is created", set({}), [pod(0)], ["start 1 update"]],
    [
      "all at once when parallel",
      set({ podManagementPolicy: "Parallel" }),
      [],
      ["start 0 update", "start 1 update", "start 2 update"],
    ],
    ["a failed member is replaced", set({}), [pod(0, "failed"), pod(1), pod(2)], ["end db-0"]],
    ["a terminating pod blocks", set({}), [pod(0, "leaving"), pod(1), pod(2)], []],
    ["the last pod is deleted first", set({ replicas: 1 }), [pod(0), pod(1), pod(2)], ["end db-2"]],
    ["and the next waits for it", set({ replicas: 1 }), [pod(0), pod(1), pod(2, "leaving")], []],
    ["no deletion while a pod is unhealthy", set({ replicas: 2 }), [pod(0, "starting"), pod(1), pod(2)], ["claim 0"]],
    ["ordinals may start later", set({ replicas: 1, ordinals: { start: 2 } }), [pod(2)], []],
  ];
  for (const [name, one, pods, expected] of cases) assert.deepEqual(steps(one, pods), expected, name);
});

test("an update goes from the last pod to the partition", () => {
  const old = (...states: readonly State[]): Pod[] => states.map((state, ordinal) => pod(ordinal, state, "old"));
  const rolling = (partition: number): object => ({
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition } },
  });
  assert.deepEqual(steps(set(rolling(0)), old("ready", "ready", "ready")), ["end db-2"]);
  assert.deepEqual(steps(set(rolling(0)), [...old("ready", "ready"), pod(2)]), ["end db-1"]);
  assert.deepEqual(steps(set(rolling(2)), [...old("ready", "ready"), pod(2)]), []);
  assert.deepEqual(steps(set({ updateStrategy: { type: "OnDelete" } }), old("ready", "ready", "ready")), []);
  assert.deepEqual(
    steps(set(rolling(2)), [pod(1, "ready", "old")]),
    ["start 0 current"],
    "below the partition it stays as it was",
  );
});
