import assert from "node:assert/strict";
import { test } from "node:test";
import type { Deployment, ReplicaSet } from "@capstan/kinds/apps/v1";
import { DESIRED_REPLICAS, MAX_REPLICAS } from "./annotations.ts";
import {
  maxSurge,
  maxUnavailable,
  scaleDeployment,
  reconcileNewReplicaSet,
  reconcileOldReplicaSets,
} from "./scaling.ts";

function deployment(replicas: number, surge: number | string, unavailable: number | string): Deployment {
  const rollingUpdate = { maxSurge: surge, maxUnavailable: unavailable };
  return { spec: { replicas, strategy: { type: "RollingUpdate", rollingUpdate } }, metadata: {} } as Deployment;
}

let age = 0;
function set(replicas: number, available: number, before?: { desired: number; max: number }): ReplicaSet {
  age++;
  const annotations =
    before === undefined ? {} : { [DESIRED_REPLICAS]: String(before.desired), [MAX_REPLICAS]: String(before.max) };
  return {
    metadata: { name: `set-${age}`, creationTimestamp: `2030-01-01T00:00:${10 + age}Z`, annotations },
    spec: { replicas },
    status: { replicas, availableReplicas: available },
  } as unknown as ReplicaSet;
}

test("surge rounds up, unavailability rounds down, and at least one pod may move", () => {
  const cases = [
    [10, "25%", "25%", 3, 2],
    [1, "25%", "25%", 1, 0],
    [3, 0, 0, 0, 1],
    [2, "0%", "1%", 0, 1],
    [4, 2, "100%", 2, 4],
    [0, "25%", "25%", 0, 0],
  ] as const;
  for (const [replicas, surge, unavailable, over, under] of cases) {
    const one = deployment(replicas, surge, unavailable);
    assert.deepEqual([maxSurge(one), maxUnavailable(one)], [over, under], `${replicas} ${surge} ${unavailable}`);
  }
});

test("the new set scales up as far as the surge allows", () => {
  const cases: [string, Deployment, ReplicaSet, ReplicaSet[], number | undefined][] = [
    ["room for the surge", deployment(10, 2, 2), set(0, 0), [set(10, 10)], 2],
    ["no room", deployment(10, 2, 2), set(2, 2), [set(10, 10)], undefined],
    ["never beyond the wanted number", deployment(2, 20, 2), set(0, 0), [set(10, 10)], 2],
    ["too large", deployment(3, 1, 1), set(5, 5), [], 3],
    ["has its size", deployment(3, 1, 1), set(3, 0), [], undefined],
  ];
  for (const [name, one, fresh, old, to] of cases) assert.equal(reconcileNewReplicaSet(one, fresh, old)?.to, to, name);
});

test("old sets scale down unhealthy pods first, then spare ones", () => {
  const cases: [string, Deployment, ReplicaSet, ReplicaSet[], number[]][] = [
    ["as many as may be missing", deployment(10, 2, 2), set(2, 0), [set(10, 10)], [8]],
    ["new pods that do not serve yet hold back", deployment(10, 2, 0), set(2, 0), [set(10, 10)], []],
    ["those that do not serve go, however few serve", deployment(10, 0, 2), set(0, 0), [set(10, 3)], [8]],
    ["the oldest set first", deployment(4, 4, 0), set(4, 4), [set(2, 2), set(2, 2)], [0, 0]],
  ];
  for (const [name, one, fresh, old, sizes] of cases) {
    assert.deepEqual(
      reconcileOldReplicaSets(one, fresh, old).map(({ to }) => to),
      sizes,
      name,
    );
  }
});

test("scaling is proportional, and the largest set takes the remainder", () => {
  const before = { desired: 10, max: 13 };
  const fresh = set(5, 5, before);
  const old = set(8, 8, before);
  const sizes = scaleDeployment(deployment(30, 3, 2), fresh, [old]).map(({ set: one, to }) => [one.metadata.name, to]);
  assert.deepEqual(
    new Map(sizes as [string, number][]),
    new Map([
      [old.metadata.name, 20],
      [fresh.metadata.name, 13],
    ]),
  );
  assert.deepEqual(
    scaleDeployment(deployment(0, 3, 2), fresh, [old]).map(({ to }) => to),
    [0, 0],
  );
  assert.deepEqual(
    scaleDeployment(deployment(7, 1, 1), set(3, 3, before), []).map(({ to }) => to),
    [7],
  );
});
