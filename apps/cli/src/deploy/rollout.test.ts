import assert from "node:assert/strict";
import { test } from "node:test";
import type { ContainerStatus } from "@capstan/kinds/v1";
import { rolloutOf, type Seen } from "./rollout.ts";

interface Case {
  readonly status?: object;
  readonly conditions?: readonly object[];
  readonly containers?: readonly object[];
  readonly podConditions?: readonly object[];
}

/** One wanted replica, generation 2, and one pod of the newest ReplicaSet beside a broken one of the former. */
function seen({ status = {}, conditions = [], containers = [], podConditions = [] }: Case): Seen {
  const pod = (hash: string, containerStatuses: readonly object[]): object => ({
    metadata: { name: `app-${hash}`, labels: { "pod-template-hash": hash } },
    status: { phase: "Running", conditions: podConditions, containerStatuses },
  });
  const set = (hash: string, revision: string): object => ({
    metadata: { labels: { "pod-template-hash": hash }, annotations: { "deployment.kubernetes.io/revision": revision } },
  });
  const former = { name: "manager", ready: false, state: { waiting: { reason: "CrashLoopBackOff" } }, restartCount: 9 };
  const deployment = {
    metadata: { generation: 2 },
    spec: { replicas: 1 },
    status: { observedGeneration: 2, conditions, ...status },
  };
  return {
    deployment,
    replicaSets: [set("old", "9"), set("new", "10")],
    pods: [pod("old", [former]), pod("new", containers)],
  } as unknown as Seen;
}

const container = (fields: Partial<ContainerStatus>): object => ({
  name: "manager",
  restartCount: 0,
  ready: false,
  ...fields,
});

test("it is available when the new replicas are, and the old ones are gone", () => {
  const status = { updatedReplicas: 1, availableReplicas: 1, replicas: 1 };
  assert.deepEqual(rolloutOf(seen({ status })), { is: "available", text: "1 of 1 replicas are available" });
  assert.equal(rolloutOf(seen({ status: { ...status, replicas: 2 } })).is, "waiting");
  assert.equal(rolloutOf(seen({ status: { ...status, observedGeneration: 1 } })).is, "waiting");
});

test("a wait names what the new pod waits for", () => {
  const creating = container({ state: { waiting: { reason: "ContainerCreating" } } });
  assert.deepEqual(rolloutOf(seen({ containers: [creating] })), {
    is: "waiting",
    text: "0 of 1 replicas are available; app-new: ContainerCreating",
  });
  const podConditions = [{ type: "PodScheduled", status: "False", message: "0/1 nodes are available" }];
  assert.match(rolloutOf(seen({ podConditions })).text, /app-new: 0\/1 nodes are available$/u);
  assert.match(
    rolloutOf(seen({ containers: [container({ state: { running: {} } })] })).text,
    /it runs, and is not ready$/u,
  );
});

test("a container that cannot start is a failure, with its exit code", () => {
  const crashed = container({
    restartCount: 3,
    state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 40s" } },
    lastState: { terminated: { exitCode: 2, reason: "Error" } },
  } as Partial<ContainerStatus>);
  assert.deepEqual(rolloutOf(seen({ containers: [crashed] })), {
    is: "failed",
    text: "0 of 1 replicas are available; app-new/manager: CrashLoopBackOff (exit code 2, 3 restarts): back-off 40s",
  });
});

test("a first crash is no failure yet", () => {
  const crashed = container({ restartCount: 1, state: { waiting: { reason: "CrashLoopBackOff" } } });
  assert.deepEqual(rolloutOf(seen({ containers: [crashed] })), {
    is: "waiting",
    text: "0 of 1 replicas are available; app-new: CrashLoopBackOff",
  });
});

test("a Deployment that cannot create pods is a failure with the reason", () => {
  const conditions = [{ type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: "exceeded quota" }];
  assert.deepEqual(rolloutOf(seen({ conditions })), {
    is: "failed",
    text: "0 of 1 replicas are available; FailedCreate: exceeded quota",
  });
});
