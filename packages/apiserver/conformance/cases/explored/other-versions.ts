/** Kinds with two served versions: written in one, read and owned in the other. */
import { defineTopic, get, patch, post, put } from "../../case.ts";
import type { Part } from "./widget.ts";

const p = (v: string): string => `/apis/autoscaling/${v}/namespaces/{ns}/horizontalpodautoscalers`;
const h = (v: string, spec: Part = {}, more: Part = {}) => ({
  apiVersion: `autoscaling/${v}`,
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "a" },
  spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" }, maxReplicas: 5, ...spec },
  ...more,
});
const table = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
const ev = (v: string) =>
  v === "v1" ? "/api/v1/namespaces/{ns}/events" : "/apis/events.k8s.io/v1/namespaces/{ns}/events";
export const otherVersions = defineTopic("other-versions", {
  "hpa one then two": [
    post(p("v1"), h("v1", { targetCPUUtilizationPercentage: 50 })),
    get(`${p("v2")}/a`),
    put(`${p("v2")}/a`, h("v2", { maxReplicas: 6 })),
    get(`${p("v1")}/a`),
    patch("merge", `${p("v1")}/a`, { spec: { maxReplicas: 7 } }),
    get(`${p("v2")}/a`),
    get(`${p("v1")}/a`, { accept: table }),
    get(`${p("v2")}/a`, { accept: table }),
  ],
  "hpa two then one": [
    post(
      p("v2"),
      h("v2", {
        metrics: [
          { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "1Gi" } } },
        ],
        behavior: { scaleDown: { stabilizationWindowSeconds: 5 } },
      }),
    ),
    get(`${p("v1")}/a`),
    put(`${p("v1")}/a`, h("v1", { maxReplicas: 9 })),
    get(`${p("v2")}/a`),
    patch("apply", `${p("v1")}/a?fieldManager=x`, h("v1", { minReplicas: 2 })),
    patch("apply", `${p("v1")}/a?fieldManager=x&force=true`, h("v1", { minReplicas: 2 })),
    patch("apply", `${p("v2")}/a?fieldManager=x`, h("v2", { minReplicas: 3 })),
    patch("apply", `${p("v2")}/a?fieldManager=y`, h("v2", { minReplicas: 4 })),
  ],
  "hpa apply both": [
    patch("apply", `${p("v1")}/a?fieldManager=x`, h("v1", { minReplicas: 2, targetCPUUtilizationPercentage: 10 })),
    patch("apply", `${p("v2")}/a?fieldManager=y`, h("v2", { minReplicas: 2 })),
    patch("apply", `${p("v2")}/a?fieldManager=x`, h("v2", { minReplicas: 2 })),
    get(`${p("v1")}/a`),
    patch("merge", `${p("v2")}/a/status`, { status: { currentReplicas: 1, desiredReplicas: 2, currentMetrics: [] } }),
    get(`${p("v1")}/a/status`),
  ],
  "event both": [
    post(ev("v1"), {
      metadata: { name: "e" },
      involvedObject: { kind: "Pod", namespace: "{ns}", name: "p" },
      reason: "R",
      message: "m",
      type: "Normal",
      count: 1,
    }),
    get(`${ev("n")}/e`),
    patch("merge", `${ev("n")}/e`, { metadata: { labels: { a: "b" } } }),
    get(`${ev("v1")}/e`),
    get(ev("n"), { accept: table }),
  ],
  "event new": [
    post(ev("n"), {
      metadata: { name: "e" },
      eventTime: "2020-01-01T00:00:00.000000Z",
      action: "A",
      reason: "R",
      type: "Normal",
      reportingController: "example.com/c",
      reportingInstance: "i",
      regarding: { kind: "Pod", namespace: "{ns}", name: "p" },
    }),
    get(`${ev("v1")}/e`),
    patch("merge", `${ev("n")}/e`, { series: { count: 3, lastObservedTime: "2020-01-02T00:00:00.000000Z" } }),
    patch("merge", `${ev("n")}/e`, { note: "x" }),
    patch("merge", `${ev("v1")}/e`, { message: "x" }),
    patch("apply", `${ev("n")}/e?fieldManager=z`, {
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: { name: "e" },
      series: { count: 4, lastObservedTime: "2020-01-02T00:00:00.000000Z" },
    }),
  ],
});
