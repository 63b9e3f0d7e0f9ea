/** Mutable fields of existing services, nodes, volumes, claims and namespaces. */
import { defineTopic, del, get, patch, post, put, type Step } from "../../case.ts";
import { changed, type Changes } from "../kinds/variants.ts";
import type { Part } from "../explored/widget.ts";

const quiet = { quiet: true };
const refusal = { only: ["spec", "status", "message", "reason", "details", "code"] };

interface Scene {
  readonly path: string;
  readonly base: { readonly metadata: { readonly name: string } };
  readonly subresource?: string;
  readonly before?: readonly Step[];
}

/** Creates the object once and applies each change as a dry run: by PUT without a resourceVersion, and by merge patch. */
function changesOf(scene: Scene, variants: { readonly [name: string]: Changes }): Step[] {
  const { path, base, subresource, before = [] } = scene;
  const at = `${path}/${base.metadata.name}`;
  const view = subresource === undefined ? at : `${at}/${subresource}`;
  // Releases allocated values such as addresses.
  const clean = [del(`${at}?gracePeriodSeconds=0`, undefined, quiet)];
  return [
    ...before,
    post(path, base, quiet),
    ...Object.values(variants).map((changes) => patch("merge", `${view}?dryRun=All`, changed({}, changes), refusal)),
    ...Object.values(variants).map((changes) => put(`${view}?dryRun=All`, changed(base, changes), refusal)),
    ...clean,
  ];
}

const services = "/api/v1/namespaces/{ns}/services";
const headless: Scene = {
  path: services,
  base: {
    metadata: { name: "a" },
    spec: { clusterIP: "None", selector: { app: "a" }, ports: [{ name: "p", port: 80 }] },
  } as Scene["base"],
};
const named: Scene = {
  path: services,
  base: { metadata: { name: "a" }, spec: { type: "ExternalName", externalName: "example.com" } } as Scene["base"],
};
const serviceChanges: { readonly [name: string]: Changes } = {
  type: { "spec/type": "NodePort" },
  "type balancer": { "spec/type": "LoadBalancer" },
  "type name": { "spec/type": "ExternalName" },
  "type name with name": { "spec/type": "ExternalName", "spec/externalName": "example.org" },
  "type unknown": { "spec/type": "X" },
  address: { "spec/clusterIP": "" },
  "another address": { "spec/clusterIP": "10.0.0.77" },
  addresses: { "spec/clusterIPs": ["10.0.0.77"] },
  "both addresses": { "spec/clusterIP": "10.0.0.77", "spec/clusterIPs": ["10.0.0.77"] },
  families: { "spec/ipFamilies": ["IPv6"] },
  "two families": { "spec/ipFamilies": ["IPv4", "IPv6"], "spec/ipFamilyPolicy": "PreferDualStack" },
  "family policy": { "spec/ipFamilyPolicy": "RequireDualStack" },
  "no ports": { "spec/ports": [] },
  ports: { "spec/ports": [{ port: 81 }, { port: 82 }] },
  "node ports": { "spec/ports": [{ port: 80, nodePort: 30001 }] },
  selector: { "spec/selector": {} },
  affinity: { "spec/sessionAffinity": "ClientIP" },
  "affinity of time": {
    "spec/sessionAffinity": "ClientIP",
    "spec/sessionAffinityConfig": { clientIP: { timeoutSeconds: 0 } },
  },
  "external traffic": { "spec/externalTrafficPolicy": "Local" },
  "internal traffic": { "spec/internalTrafficPolicy": "Local" },
  "external addresses": { "spec/externalIPs": ["1.2.3.4", "x"] },
  "a class": { "spec/loadBalancerClass": "example.com/x" },
  ranges: { "spec/loadBalancerSourceRanges": ["1.2.3.4"] },
  "not ready": { "spec/publishNotReadyAddresses": true },
  "health port": { "spec/healthCheckNodePort": 30005 },
  distribution: { "spec/trafficDistribution": "PreferSameNode" },
};
const balancer = {
  metadata: { name: "a" },
  spec: {
    type: "LoadBalancer",
    allocateLoadBalancerNodePorts: false,
    clusterIP: "10.0.0.188",
    loadBalancerClass: "example.com/x",
    ports: [{ port: 80 }],
  },
} as Scene["base"];
const balancerChanges: { readonly [name: string]: Changes } = {
  class: { "spec/loadBalancerClass": "example.com/y" },
  "no class": { "spec/loadBalancerClass": null },
  "another type and class": {
    "spec/type": "ClusterIP",
    "spec/loadBalancerClass": null,
    "spec/allocateLoadBalancerNodePorts": null,
  },
  "another type": { "spec/type": "ClusterIP" },
  "to a name": { "spec/type": "ExternalName", "spec/externalName": "example.com" },
  headless: { "spec/clusterIP": "None" },
  "other address": { "spec/clusterIP": "10.0.0.178" },
  "address of the balancer": { "spec/loadBalancerIP": "1.2.3.4" },
  "node ports": { "spec/allocateLoadBalancerNodePorts": null },
};

const volume = {
  metadata: { name: "pv-{ns}" },
  spec: {
    capacity: { storage: "1Gi" },
    accessModes: ["ReadWriteOnce"],
    storageClassName: "none",
    csi: { driver: "d.example.com", volumeHandle: "h" },
  },
} as Scene["base"];
const volumeChanges: { readonly [name: string]: Changes } = {
  capacity: { "spec/capacity/storage": "2Gi" },
  "no capacity": { "spec/capacity": {} },
  modes: { "spec/accessModes": ["ReadWriteMany"] },
  "no modes": { "spec/accessModes": [] },
  mode: { "spec/volumeMode": "Block" },
  class: { "spec/storageClassName": "other" },
  policy: { "spec/persistentVolumeReclaimPolicy": "Delete" },
  "policy unknown": { "spec/persistentVolumeReclaimPolicy": "X" },
  recycled: { "spec/persistentVolumeReclaimPolicy": "Recycle" },
  handle: { "spec/csi/volumeHandle": "other" },
  secret: { "spec/csi/controllerExpandSecretRef": { name: "s", namespace: "n" } },
  "another source": { "spec/csi": null, "spec/hostPath": { path: "/a" } },
  "two sources": { "spec/hostPath": { path: "/a" } },
  claim: { "spec/claimRef": { kind: "PersistentVolumeClaim", namespace: "{ns}", name: "c" } },
  affinity: {
    "spec/nodeAffinity": {
      required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "In", values: ["b"] }] }] },
    },
  },
  "bad affinity": { "spec/nodeAffinity": { required: {} } },
  options: { "spec/mountOptions": ["ro"] },
  "class of attributes": { "spec/volumeAttributesClassName": "x" },
};

const claims = "/api/v1/namespaces/{ns}/persistentvolumeclaims";
const claim = {
  metadata: { name: "a" },
  spec: { accessModes: ["ReadWriteOnce"], storageClassName: "fixed-{ns}", resources: { requests: { storage: "2Gi" } } },
} as Scene["base"];
const claimChanges: { readonly [name: string]: Changes } = {
  more: { "spec/resources/requests/storage": "3Gi" },
  less: { "spec/resources/requests/storage": "1Gi" },
  none: { "spec/resources": {} },
  modes: { "spec/accessModes": ["ReadOnlyMany"] },
  class: { "spec/storageClassName": "other" },
  "no class": { "spec/storageClassName": null },
  "no name of a class": { "spec/storageClassName": "" },
  volume: { "spec/volumeName": "v" },
  selector: { "spec/selector": { matchLabels: { a: "b" } } },
  mode: { "spec/volumeMode": "Block" },
  source: { "spec/dataSource": { kind: "PersistentVolumeClaim", name: "x" } },
  attributes: { "spec/volumeAttributesClassName": "x" },
  limits: { "spec/resources/limits": { storage: "1Gi" } },
};
const claimStatus: { readonly [name: string]: Changes } = {
  bound: { status: { phase: "Bound", capacity: { storage: "2Gi" }, accessModes: ["ReadWriteOnce"] } },
  phase: { status: { phase: "X" } },
  capacity: { status: { capacity: { storage: "-1" } } },
  modes: { status: { accessModes: ["X"] } },
  conditions: { status: { conditions: [{ type: "Resizing", status: "True" }] } },
  "conditions of no type": { status: { conditions: [{ type: "", status: "X" }] } },
  allocated: {
    status: {
      allocatedResources: { storage: "3Gi" },
      allocatedResourceStatuses: { storage: "ControllerResizeInProgress" },
    },
  },
  "allocated badly": { status: { allocatedResources: { cpu: "1" }, allocatedResourceStatuses: { "a b": "X" } } },
  modified: { status: { modifyVolumeStatus: { targetVolumeAttributesClassName: "x", status: "" } } },
};

const node = { metadata: { name: "n-{ns}" }, spec: { podCIDR: "10.1.0.0/24", providerID: "p://1" } } as Scene["base"];
const nodeChanges: { readonly [name: string]: Changes } = {
  cidr: { "spec/podCIDR": "10.2.0.0/24" },
  cidrs: { "spec/podCIDRs": ["10.2.0.0/24"] },
  "bad cidr": { "spec/podCIDR": "x", "spec/podCIDRs": ["x"] },
  provider: { "spec/providerID": "p://2" },
  "no provider": { "spec/providerID": "" },
  unschedulable: { "spec/unschedulable": true },
  taints: { "spec/taints": [{ key: "a", effect: "NoExecute" }] },
  "bad taints": {
    "spec/taints": [
      { key: "a b", value: "c d", effect: "X" },
      { key: "", effect: "" },
    ],
  },
  "same taints": {
    "spec/taints": [
      { key: "a", effect: "NoSchedule" },
      { key: "a", effect: "NoSchedule", value: "b" },
    ],
  },
  "old id": { "spec/externalID": "x" },
  source: { "spec/configSource": { configMap: { namespace: "n", name: "c", kubeletConfigKey: "k" } } },
  capacity: { status: { capacity: { cpu: "1", pods: "-1" } } },
};
const nodeStatus: { readonly [name: string]: Changes } = {
  capacity: { status: { capacity: { cpu: "1", memory: "1Gi", pods: "10" } } },
  "bad capacity": { status: { capacity: { cpu: "-1" } } },
  "parts of what is whole": { status: { capacity: { "example.com/x": "1.5" } } },
  "unknown capacity": { status: { capacity: { foo: "1" } } },
  addresses: {
    status: {
      addresses: [
        { type: "InternalIP", address: "1.2.3.4" },
        { type: "InternalIP", address: "1.2.3.4" },
      ],
    },
  },
  conditions: { status: { conditions: [{ type: "Ready", status: "True" }] } },
  endpoints: { status: { daemonEndpoints: { kubeletEndpoint: { Port: 70000 } } } },
  images: { status: { images: [{ names: ["a"], sizeBytes: 5 }] } },
  phase: { status: { phase: "X" } },
  volumes: { status: { volumesInUse: ["a"], volumesAttached: [{ name: "a", devicePath: "" }] } },
  features: { status: { declaredFeatures: ["b", "a"] } },
};

const storageClasses = "/apis/storage.k8s.io/v1/storageclasses";
const fixed = post(storageClasses, { metadata: { name: "fixed-{ns}" }, provisioner: "p" }, quiet);
const unfixed = del(`${storageClasses}/fixed-{ns}`, undefined, quiet);

const namespace = "/api/v1/namespaces/more-{ns}";
const makeNamespace = post("/api/v1/namespaces", { metadata: { name: "more-{ns}" } }, quiet);
const finalize = (finalizers: readonly string[] | undefined, more: Part = {}): Step =>
  put(`${namespace}/finalize`, {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "more-{ns}" },
    spec: { finalizers },
    ...more,
  });

const flow = "/apis/flowcontrol.apiserver.k8s.io/v1";
const settling = { quiet: true, settle: 4000 };
const level = {
  spec: { type: "Limited", limited: { nominalConcurrencyShares: 1, limitResponse: { type: "Reject" } } },
};
const table = "application/json;as=Table;v=v1;g=meta.k8s.io";

export const changeTours = defineTopic("tour-changes", {
  "a headless service": changesOf(headless, serviceChanges),
  "a name": changesOf(named, {
    ...serviceChanges,
    "no longer": {
      "spec/type": "ClusterIP",
      "spec/externalName": "",
      "spec/clusterIP": "None",
      "spec/ports": [{ port: 80 }],
    },
  }),
  "a balancer": changesOf({ path: services, base: balancer }, balancerChanges),
  "a volume": changesOf({ path: "/api/v1/persistentvolumes", base: volume }, volumeChanges),
  "a claim": [...changesOf({ path: claims, base: claim, before: [fixed] }, claimChanges), unfixed],
  "a bound claim": [
    fixed,
    post(claims, claim, quiet),
    patch("merge", `${claims}/a/status`, { status: { phase: "Bound", capacity: { storage: "2Gi" } } }, quiet),
    ...Object.values(claimChanges).map((changes) =>
      patch("merge", `${claims}/a?dryRun=All`, changed({}, changes), refusal),
    ),
    patch("merge", `${storageClasses}/fixed-{ns}`, { allowVolumeExpansion: true }, { quiet: true, settle: 500 }),
    ...Object.values(claimChanges).map((changes) =>
      patch("merge", `${claims}/a?dryRun=All`, changed({}, changes), refusal),
    ),
    unfixed,
  ],
  "the status of a claim": changesOf({ path: claims, base: claim, subresource: "status" }, claimStatus),
  "a node": changesOf({ path: "/api/v1/nodes", base: node }, nodeChanges),
  "the status of a node": changesOf({ path: "/api/v1/nodes", base: node, subresource: "status" }, nodeStatus),
  "a flow schema whose level comes and goes": [
    post(
      `${flow}/flowschemas`,
      {
        metadata: { name: "f-{ns}" },
        spec: { matchingPrecedence: 9999, priorityLevelConfiguration: { name: "l-{ns}" } },
      },
      settling,
    ),
    get(`${flow}/flowschemas/f-{ns}`),
    get(`${flow}/flowschemas/f-{ns}?includeObject=None`, { accept: table }),
    post(`${flow}/prioritylevelconfigurations`, { metadata: { name: "l-{ns}" }, ...level }, settling),
    get(`${flow}/flowschemas/f-{ns}`),
    patch(
      "merge",
      `${flow}/flowschemas/f-{ns}`,
      { spec: { priorityLevelConfiguration: { name: "none-{ns}" } } },
      settling,
    ),
    get(`${flow}/flowschemas/f-{ns}`),
    del(`${flow}/flowschemas/f-{ns}`, undefined, quiet),
    del(`${flow}/prioritylevelconfigurations/l-{ns}`, undefined, quiet),
  ],
  "the end of a namespace": [
    makeNamespace,
    get(`${namespace}/finalize`),
    finalize(["kubernetes", "example.com/x"]),
    finalize(["x"]),
    finalize(["a b"]),
    finalize(undefined, { spec: undefined }),
    finalize(["kubernetes"], { metadata: { name: "other" } }),
    finalize(["kubernetes"], { metadata: { name: "more-{ns}", labels: { a: "b" } }, status: { phase: "Terminating" } }),
    finalize(["kubernetes"], { kind: "Pod" }),
    patch("merge", `${namespace}/finalize`, { spec: { finalizers: [] } }),
    patch("merge", namespace, { spec: { finalizers: [] } }),
    patch("merge", `${namespace}/status`, { status: { phase: "Terminating" } }),
    patch("merge", `${namespace}/status`, { status: { phase: "Nope" } }),
    patch("merge", `${namespace}/status`, { status: { conditions: [{ type: "X", status: "True" }] } }),
    patch("merge", namespace, { metadata: { labels: { "kubernetes.io/metadata.name": "other" } } }),
    patch("merge", namespace, { metadata: { labels: { "kubernetes.io/metadata.name": null } } }),
    del(`${namespace}?propagationPolicy=Orphan`),
    del(`${namespace}?dryRun=All`),
    del(namespace),
    del(namespace),
    post(`${namespace}/configmaps`, { metadata: { name: "late" } }),
    patch("merge", namespace, { metadata: { finalizers: ["example.com/late"] } }),
    patch("merge", namespace, { metadata: { labels: { late: "yes" } } }),
    finalize([]),
    get(namespace),
    finalize([]),
  ],
});
