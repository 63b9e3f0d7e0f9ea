import assert from "node:assert/strict";
import { test } from "node:test";
import { cloneJson } from "@capstan/model";
import { firstVersion } from "./first-version.ts";

const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "d" };
const memory = {
  type: "Resource",
  resource: { name: "memory", target: { type: "AverageValue", averageValue: "1Gi" } },
};
const cpu = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } },
};

test("fields without a place in autoscaling/v1 survive a round trip", () => {
  const stored = {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "a", annotations: { mine: "stays" } },
    spec: {
      scaleTargetRef,
      maxReplicas: 5,
      metrics: [memory, cpu],
      behavior: { scaleDown: { policies: [{ type: "Percent", value: 100, periodSeconds: 15 }], selectPolicy: "Max" } },
    },
    status: { desiredReplicas: 0, currentMetrics: null },
  };
  const shown = firstVersion.fromHub(cloneJson(stored) as never);
  const back = firstVersion.toHub(cloneJson(shown));
  assert.deepEqual(back.spec, stored.spec);
  assert.deepEqual(back.metadata.annotations, { mine: "stays" });
});

test("an autoscaler without metrics uses the CPU", () => {
  const first = { metadata: { name: "a" }, spec: { scaleTargetRef, maxReplicas: 5 }, status: {} };
  const { spec } = firstVersion.toHub(first as never);
  assert.equal(spec.metrics?.[0]?.resource?.target.averageUtilization, 80);
});
