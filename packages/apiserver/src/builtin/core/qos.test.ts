import assert from "node:assert/strict";
import { test } from "node:test";
import type { Container, Pod, ResourceRequirements } from "@capstan/kinds/v1";
import { qosClassOf } from "./qos.ts";

function podOf(resources: readonly ResourceRequirements[], ofPod?: ResourceRequirements): Pod {
  const containers = resources.map((one, index): Container => ({ name: `c${index}`, resources: one }));
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", uid: "u", resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" },
    spec: { containers, ...(ofPod === undefined ? {} : { resources: ofPod }) },
  };
}

const full = { cpu: "1", memory: "1Gi" };

test("who asks for nothing gets what is left", () => {
  assert.equal(qosClassOf(podOf([{}])), "BestEffort");
  assert.equal(qosClassOf(podOf([{ requests: { "ephemeral-storage": "1Gi" } }])), "BestEffort");
  assert.equal(qosClassOf(podOf([{ requests: { cpu: "0" } }])), "BestEffort");
});

test("who asks for its limits is guaranteed them", () => {
  assert.equal(qosClassOf(podOf([{ limits: full, requests: { cpu: "1000m", memory: "1024Mi" } }])), "Guaranteed");
});

test("everything else is between", () => {
  assert.equal(qosClassOf(podOf([{ requests: { cpu: "1" } }])), "Burstable");
  assert.equal(qosClassOf(podOf([{ limits: full, requests: full }, {}])), "Burstable");
  assert.equal(qosClassOf(podOf([{ limits: full, requests: { ...full, cpu: "500m" } }])), "Burstable");
});

test("a pod that asks as a whole is judged as a whole", () => {
  assert.equal(qosClassOf(podOf([{}], { limits: full, requests: full })), "Guaranteed");
  assert.equal(qosClassOf(podOf([{ limits: full, requests: full }], { requests: { cpu: "1" } })), "Burstable");
});
