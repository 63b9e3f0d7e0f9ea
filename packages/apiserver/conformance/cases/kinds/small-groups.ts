/** PodDisruptionBudgets, leases, priority classes, runtime classes and endpoint slices. */
import { defineTopic, get, patch, post, put } from "../../case.ts";
import { creates, life, table, updates } from "./variants.ts";

const budget = {
  path: "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets",
  base: { metadata: { name: "a" }, spec: { minAvailable: 1, selector: { matchLabels: { a: "b" } } } },
};
const lease = {
  path: "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases",
  base: { metadata: { name: "a" }, spec: { holderIdentity: "me", leaseDurationSeconds: 15 } },
};
const priority = {
  path: "/apis/scheduling.k8s.io/v1/priorityclasses",
  base: { metadata: { name: "{ns}-a" }, value: 1000, description: "d" },
};
const runtime = {
  path: "/apis/node.k8s.io/v1/runtimeclasses",
  base: { metadata: { name: "{ns}-a" }, handler: "runc" },
};
const slice = {
  path: "/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices",
  base: {
    metadata: { name: "a" },
    addressType: "IPv4",
    ports: [{ name: "http", port: 80 }],
    endpoints: [{ addresses: ["10.1.2.3"] }],
  },
};
const [time, micro] = ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000000Z"];
const withEndpoint = (endpoint: object): object => ({ "endpoints/0": endpoint });

export const smallGroups = defineTopic("kinds-small-groups", {
  ...life("PodDisruptionBudget", budget),
  ...creates("PodDisruptionBudget", budget, {
    "takes a percentage": { "spec/minAvailable": "50%" },
    "takes the other limit": { "spec/minAvailable": undefined, "spec/maxUnavailable": 1 },
    "takes neither": { "spec/minAvailable": undefined },
    "refuses both": { "spec/maxUnavailable": "10%" },
    "refuses limits": { "spec/minAvailable": -1 },
    "refuses percentages": { "spec/minAvailable": "101%" },
    "refuses texts": { "spec/minAvailable": "x" },
    "refuses a selector": { "spec/selector": { matchExpressions: [{ key: "a", operator: "Foo" }] } },
    "needs no selector": { "spec/selector": undefined },
    "refuses an unknown policy": { "spec/unhealthyPodEvictionPolicy": "Foo" },
    "takes a policy": { "spec/unhealthyPodEvictionPolicy": "AlwaysAllow" },
    "takes almost any name": { "metadata/name": "A_b" },
    "refuses a name": { "metadata/name": "a/b" },
    "refuses labels": { "metadata/labels": { "a b": "c d" } },
    "drops a status": { status: { expectedPods: 3 } },
  }),
  ...updates("PodDisruptionBudget", budget, {
    "refuses an update without a version": { "spec/minAvailable": 2 },
  }),
  "PodDisruptionBudget: changes": [
    post(budget.path, budget.base, { quiet: true }),
    patch("merge", `${budget.path}/a`, { spec: { minAvailable: 2, selector: { matchLabels: { c: "d" } } } }),
    patch("merge", `${budget.path}/a`, { spec: { maxUnavailable: 2 } }),
    patch("merge", `${budget.path}/a`, { metadata: { labels: { "a b": "" } } }),
    patch("merge", `${budget.path}/a/status`, {
      status: { disruptionsAllowed: -1, currentHealthy: -1, conditions: [{}] },
    }),
    patch("merge", `${budget.path}/a/status`, {
      status: {
        disruptionsAllowed: 1,
        currentHealthy: 1,
        desiredHealthy: 1,
        expectedPods: 1,
        conditions: [
          { type: "A", status: "True", reason: "R-", message: "", lastTransitionTime: time, observedGeneration: -1 },
          { type: "A", status: "Foo", reason: "R", message: "", lastTransitionTime: time },
        ],
      },
    }),
    patch("merge", `${budget.path}/a/status`, { status: { disruptionsAllowed: 1, expectedPods: 2 } }),
    get(`${budget.path}/a`, { accept: table }),
  ],
  ...life("Lease", lease),
  ...creates("Lease", lease, {
    "needs nothing": { spec: undefined },
    "refuses no duration": { "spec/leaseDurationSeconds": 0 },
    "refuses negative transitions": { "spec/leaseTransitions": -1 },
    "keeps times": { "spec/renewTime": micro, "spec/acquireTime": micro },
    "refuses times": { "spec/renewTime": "x" },
    "drops a strategy": { "spec/strategy": "Foo", "spec/preferredHolder": "x" },
    "refuses a name": { "metadata/name": "A_b" },
  }),
  "Lease: is made by a replacement": [
    put(`${lease.path}/a`, lease.base),
    put(`${lease.path}/a`, lease.base),
    patch("merge", `${lease.path}/a`, { spec: { leaseDurationSeconds: -1, leaseTransitions: 3 } }),
  ],
  ...life("PriorityClass", priority),
  ...creates("PriorityClass", priority, {
    "needs no value": { value: undefined },
    "never preempts": { preemptionPolicy: "Never" },
    "refuses a policy": { preemptionPolicy: "Foo" },
    "refuses no policy": { preemptionPolicy: "" },
    "refuses a value": { value: 1000000001 },
    "takes a negative value": { value: -5 },
    "refuses names of the system": { "metadata/name": "system-foo" },
    "refuses values of the system": { "metadata/name": "system-node-critical" },
  }),
  ...updates("PriorityClass", priority, {
    "refuses another value": { value: 5 },
    "refuses another policy": { preemptionPolicy: "Never" },
    "changes its description": { description: "e" },
  }),
  ...life("RuntimeClass", runtime),
  ...creates("RuntimeClass", runtime, {
    "refuses no handler": { handler: undefined },
    "refuses a handler": { handler: "A_b" },
    "takes overhead": { overhead: { podFixed: { cpu: "1", memory: "1Mi" } } },
    "refuses overhead": { overhead: { podFixed: { cpu: "-1", foo: "1" } } },
    "takes scheduling": { scheduling: { nodeSelector: { a: "b" }, tolerations: [{ operator: "Exists" }] } },
    "refuses scheduling": {
      scheduling: {
        nodeSelector: { "a b": "c d" },
        tolerations: [
          { key: "a", operator: "Foo" },
          { key: "b", value: "v" },
          { key: "b", value: "v" },
        ],
      },
    },
    "warns of old labels": { scheduling: { nodeSelector: { "beta.kubernetes.io/os": "linux" } } },
  }),
  "RuntimeClass: keeps its handler": [
    post(runtime.path, runtime.base, { quiet: true }),
    patch("merge", `${runtime.path}/{ns}-a`, { handler: "other" }),
    put(`${runtime.path}/{ns}-a`, runtime.base),
    { method: "DELETE", path: `${runtime.path}/{ns}-a`, quiet: true },
  ],
  ...life("EndpointSlice", slice),
  ...creates("EndpointSlice", slice, {
    "refuses no type": { addressType: undefined },
    "refuses a type": { addressType: "Foo" },
    "needs no ports": { ports: undefined, endpoints: [] },
    "refuses no endpoints": { endpoints: undefined },
    "refuses ports": { ports: [{ name: "A_", protocol: "Foo", appProtocol: "a b" }, { name: "x" }, { name: "x" }] },
    "takes ports": { ports: [{}, { name: "y", protocol: "UDP", appProtocol: "example.com/x" }] },
    "refuses addresses": {
      endpoints: [
        { addresses: ["x"] },
        { addresses: ["::1"] },
        { addresses: ["127.0.0.1"] },
        { addresses: ["010.1.1.1"] },
        {},
      ],
    },
    "takes IPv6": { addressType: "IPv6", endpoints: [{ addresses: ["2001:db8::1"] }] },
    "refuses IPv6": {
      addressType: "IPv6",
      endpoints: [
        { addresses: ["1.2.3.4"] },
        { addresses: ["2001:DB8::0:1"] },
        { addresses: ["::1"] },
        { addresses: ["x"] },
      ],
    },
    "takes names": { addressType: "FQDN", endpoints: [{ addresses: ["example.com"] }] },
    "refuses names": { addressType: "FQDN", endpoints: [{ addresses: ["a", "", "A_.b"] }] },
    "refuses nodes and hosts": withEndpoint({ addresses: ["10.1.2.3"], nodeName: "A_", hostname: "A_" }) as never,
    "takes hints": withEndpoint({
      addresses: ["10.1.2.3"],
      hints: { forZones: [{ name: "z" }], forNodes: [{ name: "n" }] },
      conditions: { ready: true },
    }) as never,
    "refuses hints": withEndpoint({
      addresses: ["10.1.2.3"],
      hints: {
        forZones: [{ name: "z" }, { name: "z" }, { name: "a b" }],
        forNodes: [{ name: "n" }, { name: "n" }, { name: "A_" }],
      },
    }) as never,
    "drops topology": withEndpoint({ addresses: ["10.1.2.3"], deprecatedTopology: { a: "b" } }) as never,
    "refuses a name": { "metadata/name": "A_b" },
  }),
  ...updates("EndpointSlice", slice, {
    "refuses another type": { addressType: "IPv6", endpoints: [{ addresses: ["2001:db8::1"] }] },
    "counts a generation for endpoints": { endpoints: [{ addresses: ["10.1.2.4"] }] },
    "counts a generation for labels": { "metadata/labels": { a: "b" } },
    "counts none for annotations": { "metadata/annotations": { a: "b" } },
    "refuses labels": { "metadata/labels": { "a b": "" } },
  }),
  "EndpointSlice: shows many": [
    post(
      slice.path,
      {
        ...slice.base,
        ports: [{ name: "a", port: 1 }, { name: "b", port: 2 }, { name: "c" }, { name: "d", port: 4 }],
        endpoints: [{ addresses: ["10.0.0.1", "10.0.0.2"] }, { addresses: ["10.0.0.3", "10.0.0.4"] }],
      },
      { quiet: true },
    ),
    post(slice.path, { metadata: { name: "b" }, addressType: "IPv4", endpoints: [], ports: [] }, { quiet: true }),
    get(slice.path, { accept: table }),
  ],
});
