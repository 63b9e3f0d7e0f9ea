/** Mutations and rejections of the admission plugins that are on by default. */
import { defineTopic, del, get, patch, post, put } from "../case.ts";

const pods = "/api/v1/namespaces/{ns}/pods";
const claims = "/api/v1/namespaces/{ns}/persistentvolumeclaims";
const ranges = "/api/v1/namespaces/{ns}/limitranges";
const quotas = "/api/v1/namespaces/{ns}/resourcequotas";
const maps = "/api/v1/namespaces/{ns}/configmaps";
const classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
const container = { name: "c", image: "i" };
const sized = (requests: object, limits: object = {}): object => ({ ...container, resources: { requests, limits } });
const pod = (spec: object = {}, metadata: object = {}): object => ({
  metadata: { name: "p", ...metadata },
  spec: { containers: [container], ...spec },
});
const claim = (storage: string): object => ({
  metadata: { name: "c" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
});
const range = (limit: object): object => ({ metadata: { name: "r" }, spec: { limits: [limit] } });
/** A quota with a status that a controller would fill in. */
const withQuota = (hard: object, used: object, more: object = {}) => [
  post(quotas, { metadata: { name: "q" }, spec: { hard, ...more } }, { quiet: true }),
  patch("merge", `${quotas}/q/status`, { status: { hard, used } }, { quiet: true, settle: 400 }),
];

export const admission = defineTopic("admission", {
  "NamespaceLifecycle: refuses what goes into a namespace that is not there": [
    post("/api/v1/namespaces/nowhere/configmaps", { metadata: { name: "a" } }),
  ],
  "NamespaceLifecycle: refuses what goes into a namespace that is going": [
    post(maps, { metadata: { name: "b" } }, { quiet: true }),
    del("/api/v1/namespaces/{ns}", undefined, { quiet: true, settle: 300 }),
    post(maps, { metadata: { name: "a" } }),
    patch("merge", `${maps}/b`, { data: { a: "b" } }, { only: ["data"] }),
  ],
  "NamespaceLifecycle: keeps some namespaces": [
    del("/api/v1/namespaces/default"),
    del("/api/v1/namespaces/kube-system"),
    del("/api/v1/namespaces/kube-public"),
  ],
  "Priority: knows the classes of the system": [
    post(pods, pod({ priorityClassName: "system-node-critical" }), { only: ["spec", "code", "message"] }),
  ],
  "Priority: refuses a class that is not there": [post(pods, pod({ priorityClassName: "nope" }))],
  "Priority: refuses a number that is not that of the class": [post(pods, pod({ priority: 7 }))],
  "Priority: refuses a policy that is not that of the class": [post(pods, pod({ preemptionPolicy: "Never" }))],
  "Priority: names a pod that is yet to be named by its prefix": [
    post(pods, { metadata: { generateName: "gen-" }, spec: { containers: [container], priorityClassName: "nope" } }),
  ],
  "Priority: there is one default at most": [
    post(classes, { metadata: { name: "{ns}-a" }, value: 5, globalDefault: true }, { quiet: true, settle: 300 }),
    post(classes, { metadata: { name: "{ns}-b" }, value: 6, globalDefault: true }),
    post(pods, pod()),
    del(`${classes}/{ns}-a`, undefined, { quiet: true, settle: 300 }),
  ],
  "LimitRanger: fills in defaults and says so": [
    post(ranges, range({ type: "Container", default: { cpu: "1", memory: "1Gi" }, defaultRequest: { cpu: "100m" } }), {
      quiet: true,
      settle: 300,
    }),
    post(pods, pod({ initContainers: [{ name: "i", image: "i" }] })),
  ],
  "LimitRanger: refuses too much and too little": [
    post(ranges, range({ type: "Container", max: { cpu: "1" }, min: { cpu: "100m" } }), { quiet: true, settle: 300 }),
    post(pods, pod({ containers: [sized({ cpu: "50m" }, { cpu: "1" })] })),
    post(pods, pod({ containers: [sized({ cpu: "200m" }, { cpu: "2" })] })),
    post(pods, pod({ containers: [sized({ cpu: "50m" }, { cpu: "2" })] })),
  ],
  "LimitRanger: refuses too wide a ratio": [
    post(ranges, range({ type: "Container", maxLimitRequestRatio: { cpu: "2" } }), { quiet: true, settle: 300 }),
    post(pods, pod({ containers: [sized({ cpu: "100m" }, { cpu: "1" })] })),
    post(pods, pod()),
  ],
  "LimitRanger: sums up pods": [
    post(ranges, range({ type: "Pod", max: { memory: "1Gi" } }), { quiet: true, settle: 300 }),
    post(
      pods,
      pod({
        containers: [
          { ...container, name: "a", resources: { limits: { memory: "600Mi" } } },
          { ...container, name: "b", resources: { limits: { memory: "600Mi" } } },
        ],
      }),
    ),
    post(pods, pod()),
  ],
  "LimitRanger: holds claims": [
    post(ranges, range({ type: "PersistentVolumeClaim", max: { storage: "2Gi" }, min: { storage: "1Gi" } }), {
      quiet: true,
      settle: 300,
    }),
    post(claims, claim("3Gi")),
    post(claims, claim("1Mi")),
    post(claims, claim("1Gi")),
  ],
  "ResourceQuota: charges what is made": [
    ...withQuota({ pods: "2", "requests.cpu": "1" }, { pods: "0", "requests.cpu": "0" }),
    post(pods, pod({ containers: [sized({ cpu: "600m" })] }), { quiet: true, settle: 300 }),
    get(`${quotas}/q`, { only: ["spec", "status"] }),
    post(pods, pod({ containers: [sized({ cpu: "600m" })] }, { name: "p2" })),
  ],
  "ResourceQuota: wants containers to say what they need": [
    ...withQuota({ "limits.memory": "1Gi", cpu: "1" }, { "limits.memory": "0", cpu: "0" }),
    post(pods, pod({ initContainers: [{ name: "i", image: "i" }] })),
  ],
  "ResourceQuota: refuses while usage is unknown": [
    post(quotas, { metadata: { name: "q" }, spec: { hard: { configmaps: "1" } } }, { quiet: true }),
    patch("merge", `${quotas}/q/status`, { status: { hard: { configmaps: "1" } } }, { quiet: true, settle: 400 }),
    post(maps, { metadata: { name: "a" } }),
  ],
  "ResourceQuota: counts anything": [
    ...withQuota({ "count/configmaps": "1", configmaps: "5" }, { "count/configmaps": "0", configmaps: "0" }),
    post(`${maps}?dryRun=All`, { metadata: { name: "a" } }, { quiet: true }),
    post(maps, { metadata: { name: "a" } }, { quiet: true, settle: 300 }),
    get(`${quotas}/q`, { only: ["status"] }),
    post(maps, { metadata: { name: "b" } }),
  ],
  "ResourceQuota: counts ports and balancers of services": [
    ...withQuota(
      { services: "5", "services.nodeports": "1", "services.loadbalancers": "0" },
      { services: "0", "services.nodeports": "0", "services.loadbalancers": "0" },
    ),
    post("/api/v1/namespaces/{ns}/services", {
      metadata: { name: "a" },
      spec: {
        type: "NodePort",
        ports: [
          { name: "a", port: 1 },
          { name: "b", port: 2 },
        ],
      },
    }),
    post("/api/v1/namespaces/{ns}/services", {
      metadata: { name: "a" },
      spec: { type: "LoadBalancer", ports: [{ port: 1 }] },
    }),
  ],
  "ResourceQuota: holds storage": [
    ...withQuota(
      { "requests.storage": "1Gi", "gold.storageclass.storage.k8s.io/requests.storage": "0" },
      {
        "requests.storage": "0",
        "gold.storageclass.storage.k8s.io/requests.storage": "0",
      },
    ),
    post(claims, claim("2Gi")),
    post(claims, claim("500Mi"), { quiet: true, settle: 300 }),
    get(`${quotas}/q`, { only: ["status"] }),
  ],
  "ResourceQuota: is about its scope only": [
    ...withQuota({ pods: "0" }, { pods: "0" }, { scopes: ["NotTerminating"] }),
    post(pods, pod()),
    post(pods, pod({ activeDeadlineSeconds: 5 }), { only: ["kind", "message"] }),
  ],
  "ResourceQuota: selects priority classes": [
    ...withQuota(
      { pods: "0" },
      { pods: "0" },
      {
        scopeSelector: {
          matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["system-cluster-critical"] }],
        },
      },
    ),
    post(pods, pod({ priorityClassName: "system-cluster-critical" })),
    post(pods, pod(), { only: ["kind", "message"] }),
  ],
  "DefaultTolerationSeconds: leaves what is tolerated already": [
    post(pods, pod({ tolerations: [{ key: "node.kubernetes.io/not-ready", operator: "Exists" }] })),
    post(pods, pod({ tolerations: [{ operator: "Exists" }] }, { name: "q" })),
  ],
  "StorageObjectInUseProtection: protects claims": [post(claims, claim("1Gi"))],
  "PersistentVolumeClaimResize: only bound claims grow": [
    post(claims, claim("1Gi"), { quiet: true }),
    patch("merge", `${claims}/c`, { spec: { resources: { requests: { storage: "2Gi" } } } }),
  ],
  "RuntimeClass: must be there": [post(pods, pod({ runtimeClassName: "nope" }))],
  "RuntimeClass: gives overhead and nodes": [
    post(
      "/apis/node.k8s.io/v1/runtimeclasses",
      {
        metadata: { name: "{ns}" },
        handler: "h",
        overhead: { podFixed: { cpu: "10m" } },
        scheduling: { nodeSelector: { a: "b" }, tolerations: [{ key: "x", operator: "Exists" }] },
      },
      { quiet: true, settle: 300 },
    ),
    post(pods, pod({ runtimeClassName: "{ns}", nodeSelector: { c: "d" } })),
    post(pods, pod({ runtimeClassName: "{ns}", nodeSelector: { a: "x" } }, { name: "q" })),
    post(pods, pod({ runtimeClassName: "{ns}", overhead: { cpu: "11m" } }, { name: "q" })),
    post(pods, pod({ overhead: { cpu: "11m" } }, { name: "q" })),
  ],
  "DefaultIngressClass: takes the default": [
    post(
      "/apis/networking.k8s.io/v1/ingressclasses",
      {
        metadata: { name: "{ns}", annotations: { "ingressclass.kubernetes.io/is-default-class": "true" } },
        spec: { controller: "a.b/c" },
      },
      { quiet: true, settle: 300 },
    ),
    post("/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses", {
      metadata: { name: "i" },
      spec: { defaultBackend: { service: { name: "s", port: { number: 1 } } } },
    }),
    del("/apis/networking.k8s.io/v1/ingressclasses/{ns}", undefined, { quiet: true, settle: 300 }),
  ],
  "DefaultStorageClass: takes the default": [
    post(
      "/apis/storage.k8s.io/v1/storageclasses",
      {
        metadata: { name: "{ns}", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
        provisioner: "a.b/c",
      },
      { quiet: true, settle: 300 },
    ),
    post(claims, claim("1Gi")),
    del("/apis/storage.k8s.io/v1/storageclasses/{ns}", undefined, { quiet: true, settle: 300 }),
  ],
  "TaintNodesByCondition: taints new nodes": [
    post(
      "/api/v1/nodes",
      { metadata: { name: "{ns}" }, spec: { taints: [{ key: "a", effect: "NoSchedule" }] } },
      {
        only: ["spec"],
      },
    ),
    del("/api/v1/nodes/{ns}", undefined, { quiet: true }),
  ],
  "CertificateSubjectRestriction and approval are for those who may": [
    put(
      "/apis/certificates.k8s.io/v1/certificatesigningrequests/nope/approval",
      { metadata: { name: "nope" } },
      {
        as: "alice",
      },
    ),
  ],
  "PodResizeValidator: a pod does not outgrow its node": [
    post("/api/v1/nodes", { metadata: { name: "{ns}" } }, { quiet: true }),
    patch(
      "merge",
      "/api/v1/nodes/{ns}/status",
      { status: { allocatable: { cpu: "1", memory: "1Gi" } } },
      {
        quiet: true,
        settle: 500,
      },
    ),
    post(pods, pod({ nodeName: "{ns}", containers: [sized({ cpu: "100m" })] }), { quiet: true }),
    patch("strategic", `${pods}/p/resize`, {
      spec: { containers: [{ name: "c", resources: { requests: { cpu: "2" } } }] },
    }),
    patch(
      "strategic",
      `${pods}/p/resize`,
      { spec: { containers: [{ name: "c", resources: { requests: { cpu: "200m" } } }] } },
      { only: ["kind", "message"] },
    ),
    del("/api/v1/nodes/{ns}", undefined, { quiet: true }),
  ],
});
