import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pod } from "@capstan/kinds/v1";
import { metricsResponse } from "./api.ts";
import type { Sample } from "./summary.ts";

const sample = (at: number, cpuNanoseconds: number): Sample => ({
  at,
  nodes: new Map([["node", { cpuNanoseconds, memoryBytes: 4096 }]]),
  pods: new Map([
    ["1", { namespace: "a", name: "x", uid: "1", containers: new Map([["c", { cpuNanoseconds, memoryBytes: 2048 }]]) }],
  ]),
});

const pod = (namespace: string, uid: string): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "x",
    namespace,
    uid,
    labels: { app: "x" },
    creationTimestamp: "2026-01-01T00:00:00Z",
    resourceVersion: "1",
  },
});

const measured = {
  window: { before: sample(0, 0), after: sample(2000, 1e9) },
  nodes: [],
  pods: [pod("a", "1"), pod("b", "2")],
};
const ask = (path: string): unknown =>
  metricsResponse(new URL(`https://x/apis/metrics.k8s.io/v1beta1${path}`), measured);

test("usage is the difference of two samples, and unmeasured pods are omitted", () => {
  const { items } = ask("/pods") as { readonly items: readonly unknown[] };
  assert.deepEqual(items, [
    {
      kind: "PodMetrics",
      apiVersion: "metrics.k8s.io/v1beta1",
      metadata: { name: "x", namespace: "a", labels: { app: "x" }, creationTimestamp: "2026-01-01T00:00:00Z" },
      timestamp: "1970-01-01T00:00:02Z",
      window: "2.000s",
      containers: [{ name: "c", usage: { cpu: "500000000n", memory: "2Ki" } }],
    },
  ]);
});

test("pod metrics can be listed by namespace, name and labels", () => {
  const count = (path: string): number => (ask(path) as { readonly items: readonly unknown[] }).items.length;
  assert.equal(count("/namespaces/a/pods"), 1);
  assert.equal(count("/namespaces/b/pods"), 0);
  assert.equal(count("/pods?labelSelector=app%3Dy"), 0);
  assert.ok(ask("/namespaces/a/pods/x"));
  assert.equal(ask("/namespaces/a/pods/y"), undefined);
  assert.equal(ask("/things"), undefined);
});
