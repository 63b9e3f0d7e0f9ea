import assert from "node:assert/strict";
import { test } from "node:test";
import type { PodResources, Requirements } from "./pod-resources.ts";
import { qosClassOf } from "./qos.ts";

function podOf(resources: readonly Requirements[], ofPod?: Requirements): PodResources {
  return { containers: resources.map((one) => ({ resources: one })), resources: ofPod };
}

const full = { cpu: "1", memory: "1Gi" };

test("a pod without requests and limits is BestEffort", () => {
  assert.equal(qosClassOf(podOf([{}])), "BestEffort");
  assert.equal(qosClassOf(podOf([{ requests: { "ephemeral-storage": "1Gi" } }])), "BestEffort");
  assert.equal(qosClassOf(podOf([{ requests: { cpu: "0" } }])), "BestEffort");
});

test("a pod with requests equal to limits is Guaranteed", () => {
  assert.equal(qosClassOf(podOf([{ limits: full, requests: { cpu: "1000m", memory: "1024Mi" } }])), "Guaranteed");
});

test("all other pods are Burstable", () => {
  assert.equal(qosClassOf(podOf([{ requests: { cpu: "1" } }])), "Burstable");
  assert.equal(qosClassOf(podOf([{ limits: full, requests: full }, {}])), "Burstable");
  assert.equal(qosClassOf(podOf([{ limits: full, requests: { ...full, cpu: "500m" } }])), "Burstable");
});

test("pod-level resources determine the class", () => {
  assert.equal(qosClassOf(podOf([{}], { limits: full, requests: full })), "Guaranteed");
  assert.equal(qosClassOf(podOf([{ limits: full, requests: full }], { requests: { cpu: "1" } })), "Burstable");
});
