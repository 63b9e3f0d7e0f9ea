/** Autoscalers, in both versions. */
import { defineTopic, get, patch, post, put } from "../../case.ts";
import { creates, life, table, updates } from "./variants.ts";

const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "d" };
const two = {
  path: "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers",
  base: { metadata: { name: "a" }, spec: { scaleTargetRef, maxReplicas: 5 } },
};
const one = { ...two, path: two.path.replace("v2", "v1") };
const metric = (value: object): { [path: string]: unknown } => ({ "spec/metrics": [value] });
const rules = (value: object): { [path: string]: unknown } => ({ "spec/behavior": { scaleUp: value } });
const described = { apiVersion: "v1", kind: "Service", name: "s" };
const all = [
  { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "1Gi" } } },
  { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } } },
  {
    type: "Pods",
    pods: {
      metric: { name: "m", selector: { matchLabels: { a: "b" } } },
      target: { type: "AverageValue", averageValue: "5" },
    },
  },
  {
    type: "Object",
    object: { describedObject: described, metric: { name: "m" }, target: { type: "Value", value: "5" } },
  },
  {
    type: "Object",
    object: { describedObject: described, metric: { name: "m" }, target: { type: "AverageValue", averageValue: "5" } },
  },
  { type: "External", external: { metric: { name: "m" }, target: { type: "AverageValue", averageValue: "5" } } },
  {
    type: "ContainerResource",
    containerResource: { name: "cpu", container: "c", target: { type: "Utilization", averageUtilization: 10 } },
  },
];
const status = {
  currentReplicas: 2,
  desiredReplicas: 3,
  currentMetrics: [
    { type: "Resource", resource: { name: "memory", current: { averageValue: "500Mi", averageUtilization: 5 } } },
    { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 30, averageValue: "1" } } },
    { type: "Pods", pods: { metric: { name: "m" }, current: { averageValue: "4" } } },
  ],
  conditions: [
    { type: "AbleToScale", status: "True", reason: "R", message: "m", lastTransitionTime: "2026-01-01T00:00:00Z" },
  ],
};

export const autoscaling = defineTopic("kinds-autoscaling", {
  ...life("HorizontalPodAutoscaler v2", two),
  ...life("HorizontalPodAutoscaler v1", one),
  ...creates("HorizontalPodAutoscaler v2", two, {
    "refuses nothing": { spec: undefined },
    "refuses replicas": { "spec/minReplicas": 0, "spec/maxReplicas": -1 },
    "refuses too few": { "spec/minReplicas": 6 },
    "refuses a target": { "spec/scaleTargetRef": { kind: "", name: "a/b", apiVersion: "v1" } },
    "refuses a version": { "spec/scaleTargetRef/apiVersion": "a/b/c" },
    "takes replication controllers": {
      "spec/scaleTargetRef": { kind: "ReplicationController", name: "a", apiVersion: "v1" },
    },
    "takes all metrics": { "spec/metrics": all },
    "refuses no type": metric({}),
    "refuses a type": metric({ type: "Foo" }),
    "refuses another source": metric({
      type: "Pods",
      resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 5 } },
    }),
    "refuses no source": metric({ type: "Pods" }),
    "refuses a resource": metric({
      type: "Resource",
      resource: { target: { type: "Foo", averageUtilization: 0, averageValue: "-1" } },
    }),
    "refuses no target": metric({ type: "Resource", resource: { name: "cpu", target: {} } }),
    "refuses a container resource": metric({
      type: "ContainerResource",
      containerResource: { name: "foo", container: "A_", target: { type: "Utilization" } },
    }),
    "refuses pods": metric({ type: "Pods", pods: { metric: { name: "a/b" }, target: { type: "Value", value: "0" } } }),
    "refuses an object": metric({
      type: "Object",
      object: { describedObject: {}, metric: {}, target: { type: "Value" } },
    }),
    "refuses externals": metric({
      type: "External",
      external: { metric: { name: "m" }, target: { type: "Value", value: "1", averageValue: "1" } },
    }),
    "fills in behavior": { "spec/behavior": {} },
    "keeps behavior": rules({
      stabilizationWindowSeconds: 5,
      selectPolicy: "Min",
      policies: [{ type: "Pods", value: 1, periodSeconds: 1 }],
      tolerance: "0.1",
    }),
    "refuses behavior": rules({
      stabilizationWindowSeconds: 5000,
      selectPolicy: "Foo",
      policies: [{ type: "Foo", value: 0, periodSeconds: 5000 }],
      tolerance: "-1",
    }),
    "refuses a window": rules({ stabilizationWindowSeconds: -1 }),
    "drops a status": { status: { currentReplicas: 3 } },
  }),
  ...creates("HorizontalPodAutoscaler v1", one, {
    "takes a percentage": { "spec/targetCPUUtilizationPercentage": 50 },
    "refuses a percentage": { "spec/targetCPUUtilizationPercentage": 0 },
    "refuses nothing": { spec: undefined },
    "reads metrics in annotations": {
      "metadata/annotations": {
        "autoscaling.alpha.kubernetes.io/metrics": JSON.stringify([
          { type: "Pods", pods: { metricName: "m", targetAverageValue: "5" } },
        ]),
        x: "y",
      },
    },
    "ignores what is no metrics": { "metadata/annotations": { "autoscaling.alpha.kubernetes.io/metrics": "x" } },
  }),
  ...updates("HorizontalPodAutoscaler v2", two, {
    changes: { "spec/maxReplicas": 9, "metadata/labels": { a: "b" } },
    "refuses replicas": { "spec/maxReplicas": 0 },
    "refuses another target": { "spec/scaleTargetRef/apiVersion": "v1" },
  }),
  "HorizontalPodAutoscaler: is one object in both versions": [
    post(two.path, { ...two.base, spec: { ...two.base.spec, metrics: all, behavior: {} } }),
    put(`${two.path}/a/status`, { ...two.base, status }),
    get(`${one.path}/a`),
    get(`${two.path}/a`, { accept: table }),
    patch("merge", `${one.path}/a`, { spec: { targetCPUUtilizationPercentage: 70 } }, { only: ["spec", "status"] }),
    get(`${two.path}/a`, { only: ["spec", "status"] }),
    patch("merge", `${two.path}/a/status`, { status: { currentReplicas: -1, desiredReplicas: -1 } }),
  ],
});
