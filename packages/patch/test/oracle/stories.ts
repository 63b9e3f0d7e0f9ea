/** What users and controllers do to objects, to be run against a real API server. */
import type { Json } from "@capstan/model";
import type { OpenApiSchema } from "../../src/index.ts";

/** One request of a story; an update is sent as the live object with these fields replaced. */
export interface StoryRequest {
  readonly verb: "create" | "update" | "apply" | "json" | "merge" | "strategic";
  readonly manager: string;
  readonly force?: boolean;
  readonly subresource?: "status";
  readonly body: Json;
}

/** Requests to one object. */
export interface Story {
  readonly collection: string;
  readonly name: string;
  readonly steps: readonly StoryRequest[];
}

type Fields = { readonly [key: string]: Json };

const deployment = (spec: Fields, metadata: Fields = {}): Fields => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default", ...metadata },
  spec,
});

const labels = { app: "web" };
const container = (fields: Fields): Fields => ({ name: "main", image: "nginx:1", ...fields });
const workload = (containers: Json, more: Fields = {}): Fields => ({
  selector: { matchLabels: labels },
  template: { metadata: { labels }, spec: { containers } },
  ...more,
});

const deploymentStory: Story = {
  collection: "/apis/apps/v1/namespaces/default/deployments",
  name: "web",
  steps: [
    { verb: "apply", manager: "ann", body: deployment(workload([container({ ports: [{ containerPort: 80 }] })])) },
    { verb: "apply", manager: "ann", body: deployment(workload([container({ ports: [{ containerPort: 80 }] })])) },
    { verb: "apply", manager: "bob", body: deployment(workload([container({ image: "nginx:2" })], { replicas: 2 })) },
    { verb: "apply", manager: "bob", body: deployment(workload([container({})])) },
    {
      verb: "apply",
      manager: "bob",
      force: true,
      body: deployment(workload([container({ image: "nginx:3" })], { replicas: 3 })),
    },
    { verb: "apply", manager: "ann", body: deployment(workload([container({ image: "nginx:1" })], { replicas: 4 })) },
    { verb: "merge", manager: "scaler", body: { spec: { replicas: 5 } } },
    { verb: "apply", manager: "bob", body: deployment(workload([container({ image: "nginx:3" })], { replicas: 3 })) },
    {
      verb: "strategic",
      manager: "kubectl-edit",
      body: {
        spec: {
          template: { spec: { containers: [{ name: "side", image: "busybox", env: [{ name: "A", value: "1" }] }] } },
        },
      },
    },
    { verb: "json", manager: "patcher", body: [{ op: "add", path: "/metadata/annotations", value: { note: "x" } }] },
    {
      verb: "merge",
      manager: "status",
      subresource: "status",
      body: { status: { replicas: 1, observedGeneration: 1 } },
    },
    {
      verb: "apply",
      manager: "ctrl",
      subresource: "status",
      force: true,
      body: {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "web" },
        status: { replicas: 2, conditions: [{ type: "Available", status: "True" }] },
      },
    },
    { verb: "apply", manager: "bob", force: true, body: deployment(workload([container({ image: "nginx:3" })])) },
    { verb: "apply", manager: "bob", force: true, body: deployment({ replicas: 1 }, { labels: { team: "b" } }) },
    { verb: "apply", manager: "bob", force: true, body: deployment({}) },
    { verb: "apply", manager: "bad", body: deployment({ replicas: "many" }) },
    { verb: "apply", manager: "bad", body: deployment({ unknown: 1 }) },
    { verb: "apply", manager: "bad", body: { ...deployment({}), kind: "ReplicaSet" } },
    { verb: "apply", manager: "bad", body: deployment({}, { managedFields: [] }) },
    { verb: "apply", manager: "bad", body: deployment(workload([container({}), container({})])) },
    { verb: "merge", manager: "reset", body: { metadata: { managedFields: [] } } },
    { verb: "merge", manager: "after-reset", body: { spec: { replicas: 7 } } },
    { verb: "apply", manager: "ann", body: deployment({ replicas: 8 }) },
    { verb: "apply", manager: "ann", force: true, body: deployment({ replicas: 8 }) },
  ],
};

const service = (spec: Fields): Fields => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "svc", namespace: "default" },
  spec,
});

const serviceStory: Story = {
  collection: "/api/v1/namespaces/default/services",
  name: "svc",
  steps: [
    { verb: "create", manager: "creator", body: service({ selector: labels, ports: [{ name: "http", port: 80 }] }) },
    { verb: "apply", manager: "ann", body: service({ ports: [{ name: "http", port: 80, protocol: "TCP" }] }) },
    { verb: "apply", manager: "ann", body: service({ ports: [{ name: "http", port: 80, targetPort: 8080 }] }) },
    {
      verb: "apply",
      manager: "ann",
      force: true,
      body: service({
        ports: [
          { name: "http", port: 80, targetPort: 8080 },
          { name: "dns", port: 53, protocol: "UDP" },
        ],
      }),
    },
    {
      verb: "apply",
      manager: "ann",
      force: true,
      body: service({ ports: [{ name: "dns", port: 53, protocol: "UDP" }] }),
    },
    { verb: "strategic", manager: "editor", body: { spec: { ports: [{ port: 80, $patch: "delete" }] } } },
    {
      verb: "merge",
      manager: "editor",
      body: { spec: { selector: { app: null, tier: "front" }, sessionAffinity: "ClientIP" } },
    },
  ],
};

const configMap = (data: Fields, metadata: Fields = {}): Fields => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "config", namespace: "default", ...metadata },
  data,
});

const lastApplied = (data: Fields): Fields => ({
  annotations: { "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify(configMap(data)) },
});

const configMapStory: Story = {
  collection: "/api/v1/namespaces/default/configmaps",
  name: "config",
  steps: [
    {
      verb: "create",
      manager: "kubectl-client-side-apply",
      body: configMap({ a: "1", b: "2" }, lastApplied({ a: "1", b: "2" })),
    },
    { verb: "apply", manager: "kubectl", body: configMap({ a: "1", b: "3" }) },
    { verb: "apply", manager: "kubectl", body: configMap({ a: "2" }) },
    { verb: "apply", manager: "other", body: configMap({ a: "3", c: "1" }) },
    {
      verb: "apply",
      manager: "other",
      body: configMap({ a: "2", c: "1" }, { labels: { x: "y" }, finalizers: ["example.dev/a"] }),
    },
    { verb: "update", manager: "writer", body: { data: { a: "9", z: "1" } } },
    { verb: "update", manager: "writer", body: { data: { a: "9", z: "1" } } },
    {
      verb: "json",
      manager: "writer",
      body: [
        { op: "remove", path: "/data/a" },
        { op: "remove", path: "/metadata/finalizers" },
      ],
    },
    { verb: "apply", manager: "kubectl", force: true, body: configMap({ a: "1" }) },
    ...Array.from({ length: 12 }, (_, index): StoryRequest => ({
      verb: "merge",
      manager: `writer-${index}`,
      body: { data: { [`key-${index}`]: "x" } },
    })),
    { verb: "apply", manager: "last", force: true, body: configMap({ "key-0": "y" }) },
  ],
};

const text: OpenApiSchema = { type: "string" };

/** The schema of the custom resource of the stories. */
export const thingSchema: OpenApiSchema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        size: { type: "integer", default: 1 },
        either: { "x-kubernetes-int-or-string": true },
        tags: { type: "array", items: text, "x-kubernetes-list-type": "set" },
        rows: { type: "array", items: text },
        ports: {
          type: "array",
          items: {
            type: "object",
            properties: { port: { type: "integer" }, protocol: { ...text, default: "TCP" }, note: text },
            required: ["port", "protocol"],
          },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["port", "protocol"],
        },
        whole: { type: "object", additionalProperties: text, "x-kubernetes-map-type": "atomic" },
        parts: { type: "object", additionalProperties: text },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        inner: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
      },
    },
    status: { type: "object", properties: { phase: text } },
  },
};

/** The definition of the custom resource of the stories. */
export const customResourceDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.example.dev" },
  spec: {
    group: "example.dev",
    scope: "Namespaced",
    names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: thingSchema as unknown as Json },
        subresources: { status: {} },
      },
    ],
  },
};

const thing = (spec: Fields, more: Fields = {}): Fields => ({
  apiVersion: "example.dev/v1",
  kind: "Thing",
  metadata: { name: "thing", namespace: "default" },
  spec,
  ...more,
});

const rich: Fields = {
  size: 2,
  either: "50%",
  tags: ["a", "b"],
  rows: ["x"],
  ports: [{ port: 80 }, { port: 53, protocol: "UDP", note: "dns" }],
  whole: { a: "1" },
  parts: { a: "1", b: "2" },
  free: { deep: { er: [1, 2] } },
  inner: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "in", labels: { x: "y" } }, data: { a: "1" } },
};

const thingStory: Story = {
  collection: "/apis/example.dev/v1/namespaces/default/things",
  name: "thing",
  steps: [
    { verb: "apply", manager: "ann", body: thing(rich) },
    { verb: "apply", manager: "ann", body: thing(rich) },
    {
      verb: "apply",
      manager: "bob",
      body: thing({ tags: ["c"], parts: { c: "3" }, whole: { b: "2" }, free: { deep: { er: [3] } } }),
    },
    {
      verb: "apply",
      manager: "bob",
      force: true,
      body: thing({ tags: ["c", "a"], parts: { c: "3" }, whole: { b: "2" } }),
    },
    { verb: "apply", manager: "bob", body: thing({ tags: ["c"], ports: [{ port: 80, note: "web" }] }) },
    { verb: "apply", manager: "ann", body: thing({ tags: ["b"], ports: [{ port: 53, protocol: "UDP" }] }) },
    { verb: "merge", manager: "writer", body: { spec: { either: 3, rows: ["y"], parts: { a: null } } } },
    {
      verb: "json",
      manager: "writer",
      body: [
        { op: "test", path: "/spec/either", value: 3 },
        { op: "add", path: "/spec/tags/-", value: "z" },
      ],
    },
    { verb: "update", manager: "putter", body: { spec: { size: 5, tags: ["b", "q"] } } },
    { verb: "merge", manager: "status", subresource: "status", body: { status: { phase: "Ready" } } },
    { verb: "apply", manager: "ctrl", subresource: "status", body: { ...thing({}), status: { phase: "Ready" } } },
    { verb: "apply", manager: "ctrl", subresource: "status", body: { ...thing({}), status: { phase: "Gone" } } },
    { verb: "apply", manager: "ann", body: thing({}, { status: { phase: "Mine" } }) },
    { verb: "apply", manager: "bad", body: thing({ size: "two" }) },
    { verb: "apply", manager: "bad", body: thing({ tags: ["a", "a"] }) },
    { verb: "apply", manager: "bad", body: thing({ tags: [{ a: 1 }], whole: [], parts: "x" }) },
  ],
};

const template = { metadata: { labels }, spec: { containers: [container({})] } };
const selector = { matchLabels: labels };
const oneShot = { spec: { restartPolicy: "Never", containers: [container({})] } };
const target = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];

/** Kinds of which one object is created: which containers its creator owns depends on what was there before. */
const firsts: readonly (readonly [path: string, kind: string, body: Fields])[] = [
  ["/api/v1/namespaces/default/secrets", "Secret", { data: { a: "Yg==" } }],
  ["/api/v1/namespaces/default/serviceaccounts", "ServiceAccount", {}],
  [
    "/api/v1/namespaces/default/endpoints",
    "Endpoints",
    { subsets: [{ addresses: [{ ip: "1.2.3.4" }], ports: [{ port: 80 }] }] },
  ],
  [
    "/api/v1/namespaces/default/limitranges",
    "LimitRange",
    { spec: { limits: [{ type: "Container", default: { cpu: "1" } }] } },
  ],
  ["/api/v1/namespaces/default/resourcequotas", "ResourceQuota", { spec: { hard: { pods: "3" } } }],
  [
    "/api/v1/namespaces/default/replicationcontrollers",
    "ReplicationController",
    { spec: { selector: labels, template } },
  ],
  ["/api/v1/namespaces/default/podtemplates", "PodTemplate", { template }],
  [
    "/api/v1/namespaces/default/events",
    "Event",
    { involvedObject: { kind: "Pod", namespace: "default" }, reason: "x" },
  ],
  ["/apis/apps/v1/namespaces/default/statefulsets", "StatefulSet", { spec: { selector, template, serviceName: "x" } }],
  ["/apis/apps/v1/namespaces/default/daemonsets", "DaemonSet", { spec: { selector, template } }],
  ["/apis/apps/v1/namespaces/default/replicasets", "ReplicaSet", { spec: { selector, template } }],
  ["/apis/apps/v1/namespaces/default/controllerrevisions", "ControllerRevision", { revision: 1, data: { a: 1 } }],
  [
    "/apis/batch/v1/namespaces/default/cronjobs",
    "CronJob",
    { spec: { schedule: "* * * * *", jobTemplate: { spec: { template: oneShot } } } },
  ],
  [
    "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers",
    "HorizontalPodAutoscaler",
    { spec: { scaleTargetRef: target, maxReplicas: 3 } },
  ],
  [
    "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
    "PodDisruptionBudget",
    { spec: { selector, minAvailable: 1 } },
  ],
  [
    "/apis/networking.k8s.io/v1/namespaces/default/ingresses",
    "Ingress",
    { spec: { defaultBackend: { service: { name: "x", port: { number: 80 } } } } },
  ],
  ["/apis/networking.k8s.io/v1/namespaces/default/networkpolicies", "NetworkPolicy", { spec: { podSelector: {} } }],
  ["/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles", "Role", { rules }],
  ["/apis/rbac.authorization.k8s.io/v1/clusterroles", "ClusterRole", { rules }],
  ["/apis/storage.k8s.io/v1/storageclasses", "StorageClass", { provisioner: "x" }],
  ["/apis/storage.k8s.io/v1/csidrivers", "CSIDriver", { spec: {} }],
  ["/apis/coordination.k8s.io/v1/namespaces/default/leases", "Lease", { spec: { holderIdentity: "x" } }],
  ["/apis/scheduling.k8s.io/v1/priorityclasses", "PriorityClass", { value: 3 }],
  [
    "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
    "EndpointSlice",
    { addressType: "IPv4", endpoints: [{ addresses: ["1.2.3.4"] }], ports: [{ port: 80 }] },
  ],
  ["/apis/resource.k8s.io/v1/namespaces/default/resourceclaims", "ResourceClaim", { spec: {} }],
];

const firstStories = firsts.map(([collection, kind, body]): Story => {
  const apiVersion =
    /^\/(?:api|apis)\/((?:[^/]+\.[^/]+\/|apps\/|batch\/|autoscaling\/|policy\/)?v\d)/.exec(collection)?.[1] ?? "";
  const object = { apiVersion, kind, ...body, metadata: { name: "first", labels } };
  return { collection, name: "first", steps: [{ verb: "create", manager: "creator", body: object }] };
});

/** All stories. */
export const stories: readonly Story[] = [deploymentStory, serviceStory, configMapStory, thingStory, ...firstStories];
