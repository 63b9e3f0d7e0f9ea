import assert from "node:assert/strict";
import { test } from "node:test";
import { isComingUp } from "./phase.ts";
import { firstSituation, type ContainerRecord, type Situation } from "./situation.ts";

const metadata = { name: "p", uid: "u", resourceVersion: "1", creationTimestamp: "2030-01-01T00:00:00Z" };
const pod = { apiVersion: "v1" as const, kind: "Pod" as const, metadata, spec: { containers: [{ name: "c" }] } };
const ready = { is: "ready", sandbox: { id: "s", ips: [] } } as const;
const failed = { is: "missing", code: "ErrImagePull", message: "", failedAt: 0, retryAt: 1 } as const;

function situation(sandbox: Situation["sandbox"], change: Partial<ContainerRecord> = {}): Situation {
  const first = firstSituation(pod, { now: 0, wall: 0 });
  const containers = new Map([...first.containers].map(([name, record]) => [name, { ...record, ...change }]));
  return { ...first, sandbox, containers };
}

test("a pod comes up while its sandbox, image or first container is in progress", () => {
  assert.equal(isComingUp(situation({ is: "preparing" })), true);
  assert.equal(isComingUp(situation(ready, { image: { is: "pulling" } })), true);
  assert.equal(isComingUp(situation(ready, { life: { is: "starting" } })), true);
});

test("a running, stuck, ended or failed pod is reported at once", () => {
  for (const [sandbox, change] of [
    [{ is: "refused", code: "FailedMount", message: "", retryAt: 1 }, {}],
    [ready, {}],
    [ready, { image: failed }],
    [ready, { image: { is: "pulling", before: failed } }],
    [ready, { life: { is: "starting", id: "its hook takes its time" } }],
    [ready, { life: { is: "running", id: "c", startedAt: 0, since: 0 } }],
    [ready, { life: { is: "starting" }, restarts: 1 }],
  ] as const)
    assert.equal(isComingUp(situation(sandbox, change)), false, JSON.stringify([sandbox, change]));
  const verdict = { reason: "Evicted", message: "" };
  assert.equal(isComingUp({ ...situation({ is: "preparing" }), verdict }), false);
});
