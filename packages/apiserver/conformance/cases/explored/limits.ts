/** Quotas, limits, pod security, priorities and terminating namespaces. */
import { defineTopic, del, get, patch, post, put, type Step } from "../../case.ts";
import { maps, quietly, map } from "./admission-scene.ts";
import type { Part } from "./widget.ts";

const cases: { [name: string]: Step[] } = {};

const pod = (spec: Part = {}, name = "p", cont: Part = {}) => ({
  metadata: { name },
  spec: { containers: [{ name: "c", image: "i", ...cont }], ...spec },
});
const P = "/api/v1/namespaces/{ns}/pods";
const RQ = "/api/v1/namespaces/{ns}/resourcequotas";
const LR = "/api/v1/namespaces/{ns}/limitranges";
const quota = (hard: Part, more: Part = {}) => [
  post(RQ, { metadata: { name: "q" }, spec: { hard, ...more } }, quietly),
  patch(
    "merge",
    `${RQ}/q/status`,
    { status: { hard, used: Object.fromEntries(Object.keys(hard).map((k) => [k, "0"])) } },
    { quiet: true, settle: 1200 },
  ),
];
cases["quota pods"] = [...quota({ pods: "1" }), post(P, pod()), post(P, pod({}, "p2")), get(`${RQ}/q`)];
cases["quota cpu"] = [
  ...quota({ "requests.cpu": "1", "limits.memory": "1Gi" }),
  post(P, pod()),
  post(P, pod({}, "p2", { resources: { requests: { cpu: "2" }, limits: { memory: "1Mi", cpu: "3" } } })),
  post(P, pod({}, "p3", { resources: { limits: { memory: "1Mi", cpu: "500m" } } })),
  get(`${RQ}/q`),
];
cases["quota counts"] = [
  ...quota({
    "count/configmaps": "1",
    services: "1",
    "services.nodeports": "0",
    secrets: "0",
    "count/deployments.apps": "0",
    persistentvolumeclaims: "0",
    "requests.storage": "1Gi",
  }),
  post(maps, map()),
  post(maps, map({}, { name: "c2" })),
  post("/api/v1/namespaces/{ns}/secrets", { metadata: { name: "s" } }),
  post("/api/v1/namespaces/{ns}/services", {
    metadata: { name: "s" },
    spec: { type: "NodePort", ports: [{ port: 80 }] },
  }),
  post("/api/v1/namespaces/{ns}/persistentvolumeclaims", {
    metadata: { name: "c" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  }),
  post("/apis/apps/v1/namespaces/{ns}/deployments", {
    metadata: { name: "d" },
    spec: {
      selector: { matchLabels: { a: "b" } },
      template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  }),
];
cases["quota scopes"] = [
  ...quota({ pods: "0" }, { scopes: ["BestEffort"] }),
  post(P, pod()),
  post(P, pod({}, "p2", { resources: { requests: { cpu: "1" } } })),
];
cases["quota terminating"] = [
  ...quota({ pods: "0" }, { scopes: ["Terminating"] }),
  post(P, pod()),
  post(P, pod({ activeDeadlineSeconds: 5 }, "p2")),
];
cases["quota bad"] = [
  post(RQ, { metadata: { name: "a" }, spec: { hard: { pods: "1.5" } } }),
  post(RQ, { metadata: { name: "a" }, spec: { hard: { pods: "-1" } } }),
  post(RQ, { metadata: { name: "a" }, spec: { hard: { pods: "1" }, scopes: ["Nope", "BestEffort", "NotBestEffort"] } }),
  post(RQ, { metadata: { name: "a" }, spec: { hard: { services: "1" }, scopes: ["BestEffort"] } }),
  post(RQ, {
    metadata: { name: "a" },
    spec: {
      hard: { pods: "1" },
      scopeSelector: {
        matchExpressions: [
          { scopeName: "PriorityClass", operator: "X" },
          { scopeName: "PriorityClass", operator: "In" },
        ],
      },
    },
  }),
];
cases["limits"] = [
  post(
    LR,
    {
      metadata: { name: "l" },
      spec: {
        limits: [
          {
            type: "Container",
            default: { cpu: "500m" },
            defaultRequest: { cpu: "100m" },
            max: { cpu: "1" },
            min: { cpu: "50m" },
            maxLimitRequestRatio: { cpu: "10" },
          },
          { type: "Pod", max: { cpu: "2" } },
          { type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "2Gi" } },
        ],
      },
    },
    { quiet: true, settle: 1200 },
  ),
  post(P, pod()),
  post(P, pod({}, "p2", { resources: { limits: { cpu: "3" } } })),
  post(P, pod({}, "p3", { resources: { requests: { cpu: "10m" }, limits: { cpu: "900m" } } })),
  post("/api/v1/namespaces/{ns}/persistentvolumeclaims", {
    metadata: { name: "c" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "5Gi" } } },
  }),
];
cases["pod security"] = [
  patch(
    "merge",
    "/api/v1/namespaces/{ns}",
    {
      metadata: {
        labels: { "pod-security.kubernetes.io/enforce": "restricted", "pod-security.kubernetes.io/warn": "baseline" },
      },
    },
    { quiet: true, settle: 800 },
  ),
  post(P, pod({ hostNetwork: true }, "p", { securityContext: { privileged: true } })),
  post("/apis/apps/v1/namespaces/{ns}/deployments", {
    metadata: { name: "d" },
    spec: {
      selector: { matchLabels: { a: "b" } },
      template: { metadata: { labels: { a: "b" } }, spec: { hostPID: true, containers: [{ name: "c", image: "i" }] } },
    },
  }),
  post(
    P,
    pod({ securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } } }, "ok", {
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
    }),
  ),
  patch("merge", "/api/v1/namespaces/{ns}", { metadata: { labels: { "pod-security.kubernetes.io/enforce": "nope" } } }),
  patch("merge", "/api/v1/namespaces/{ns}", {
    metadata: { labels: { "pod-security.kubernetes.io/enforce-version": "v9" } },
  }),
];
cases["namespace gone"] = [
  post("/api/v1/namespaces/nope-{ns}/configmaps", map()),
  post("/api/v1/namespaces", { metadata: { name: "t-{ns}" } }, quietly),
  del("/api/v1/namespaces/t-{ns}", undefined, { quiet: true, settle: 500 }),
  post("/api/v1/namespaces/t-{ns}/configmaps", map()),
  patch("apply", "/api/v1/namespaces/t-{ns}/configmaps/x?fieldManager=a", {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "x" },
  }),
  del("/api/v1/namespaces/default"),
  del("/api/v1/namespaces/kube-system"),
  put("/api/v1/namespaces/t-{ns}/finalize", { metadata: { name: "t-{ns}" }, spec: { finalizers: [] } }),
  get("/api/v1/namespaces/t-{ns}"),
];
cases["priority"] = [
  post(P, pod({ priorityClassName: "nope" })),
  post(P, pod({ priority: 5 })),
  post(P, pod({ priorityClassName: "system-node-critical" }, "p2")),
  post(
    "/apis/scheduling.k8s.io/v1/priorityclasses",
    { metadata: { name: "x-{ns}" }, value: 7, preemptionPolicy: "Never" },
    { quiet: true, settle: 500 },
  ),
  post(P, pod({ priorityClassName: "x-{ns}" }, "p3")),
  post(P, pod({ priorityClassName: "x-{ns}", preemptionPolicy: "PreemptLowerPriority" }, "p4")),
  post(P, pod({ priorityClassName: "x-{ns}", priority: 8 }, "p5")),
];
cases["storage class"] = [
  post(
    "/apis/storage.k8s.io/v1/storageclasses",
    { metadata: { name: "sc-{ns}" }, provisioner: "p.example.com" },
    quietly,
  ),
  post("/api/v1/namespaces/{ns}/persistentvolumeclaims", {
    metadata: { name: "c" },
    spec: { storageClassName: "sc-{ns}", accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  }),
  patch("merge", "/api/v1/namespaces/{ns}/persistentvolumeclaims/c", {
    spec: { resources: { requests: { storage: "2Gi" } } },
  }),
  patch("merge", "/api/v1/namespaces/{ns}/persistentvolumeclaims/c", { spec: { storageClassName: "x" } }),
  del("/apis/storage.k8s.io/v1/storageclasses/sc-{ns}", undefined, quietly),
];

export const limits = defineTopic("limits", cases);
