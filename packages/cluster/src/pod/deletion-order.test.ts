import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "@capstan/kinds/v1";
import { DELETION_COST, podsToDelete } from "./deletion-order.ts";

const now = Date.UTC(2030, 0, 1, 12);

interface Traits {
  readonly node?: string;
  readonly phase?: string;
  readonly ready?: string;
  readonly cost?: string;
  readonly restarts?: number;
  readonly created?: string;
}

function pod(uid: string, { node = "n", phase = "Running", ready, cost, restarts = 0, created }: Traits): Pod {
  return {
    metadata: {
      uid,
      name: uid,
      creationTimestamp: created ?? "2030-01-01T00:00:00Z",
      annotations: cost === undefined ? {} : { [DELETION_COST]: cost },
    },
    spec: node === "" ? {} : { nodeName: node },
    status: {
      phase,
      conditions: ready === undefined ? [] : [{ type: "Ready", status: "True", lastTransitionTime: ready }],
      containerStatuses: [{ restartCount: restarts }],
    },
  } as unknown as Pod;
}

const long = "2030-01-01T00:00:00Z";

test("pods are deleted in the order of Kubernetes", () => {
  const cases: [string, Traits, Traits][] = [
    ["without a node before with one", { node: "", ready: long }, { phase: "Pending" }],
    ["pending before running", { phase: "Pending" }, { phase: "Running" }],
    ["not ready before ready", {}, { ready: long }],
    ["cheap before dear", { ready: long, cost: "-5" }, { ready: long, cost: "3" }],
    ["an invalid cost counts as 0", { ready: long, cost: "-1" }, { ready: long, cost: "x" }],
    ["ready for a short time before long", { ready: "2030-01-01T11:59:50Z" }, { ready: long }],
    ["often restarted before seldom", { restarts: 4 }, { restarts: 1 }],
    ["young before old", { created: "2030-01-01T11:59:59Z" }, { created: long }],
  ];
  for (const [name, first, second] of cases) {
    for (const pods of [
      [pod("a", first), pod("b", second)],
      [pod("b", second), pod("a", first)],
    ]) {
      assert.equal(podsToDelete(pods, 1, { rank: () => 0, now })[0]?.metadata.name, "a", name);
    }
  }
});

test("of equal pods, one from the node with the most pods is deleted", () => {
  const pods = [pod("a", { ready: long, node: "quiet" }), pod("b", { ready: long, node: "crowded" })];
  const rank = ({ spec }: Pod): number => (spec?.nodeName === "crowded" ? 2 : 1);
  assert.equal(podsToDelete(pods, 1, { rank, now })[0]?.metadata.name, "b");
});
