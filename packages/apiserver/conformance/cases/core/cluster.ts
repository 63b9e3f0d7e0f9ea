/** Cluster-scoped kinds of the core group, and claims. */
import { defineTopic, del, get, patch, post, put } from "../../case.ts";
import { objectLife } from "./object-life.ts";
import { creates, life, table, updates, type Changes } from "../kinds/variants.ts";

const namespace = { path: "/api/v1/namespaces", base: { metadata: { name: "{ns}-x" } } };
const node = { path: "/api/v1/nodes", base: { metadata: { name: "{ns}" } } };
const volume = {
  path: "/api/v1/persistentvolumes",
  base: {
    metadata: { name: "{ns}" },
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/x" } },
  },
};
const claim = {
  path: "/api/v1/namespaces/{ns}/persistentvolumeclaims",
  base: {
    metadata: { name: "a" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "s" },
  },
};
const source = (fields: object): Changes => ({
  "spec/hostPath": undefined,
  ...Object.fromEntries(Object.entries(fields).map(([key, value]) => [`spec/${key}`, value])),
});

export const cluster = defineTopic("cluster", {
  ...creates("namespace", namespace, {
    "is made": {},
    "refuses bad names": { "metadata/name": "a.b" },
    "refuses bad finalizers": { "spec/finalizers": ["x", "a/b"] },
    "keeps its phase": { status: { phase: "Terminating" } },
    "keeps its label": { "metadata/labels": { "kubernetes.io/metadata.name": "y", a: "b" } },
  }),
  "namespace: is read, shown and changed": [
    post(namespace.path, namespace.base),
    get("/api/v1/namespaces/{ns}-x", { accept: table }),
    put("/api/v1/namespaces/{ns}-x", { metadata: { name: "{ns}-x", labels: { a: "b" } } }),
    put("/api/v1/namespaces/{ns}-x/status", { metadata: { name: "{ns}-x" }, status: { phase: "Terminating" } }),
    put("/api/v1/namespaces/{ns}-x/finalize", { metadata: { name: "{ns}-x" }, spec: { finalizers: ["x"] } }),
    put("/api/v1/namespaces/{ns}-x/finalize", {
      metadata: { name: "{ns}-x" },
      spec: { finalizers: ["kubernetes", "example.com/a"] },
    }),
  ],
  "namespace: goes when it is finished": [
    post(namespace.path, namespace.base, { quiet: true }),
    del("/api/v1/namespaces/{ns}-x"),
    del("/api/v1/namespaces/{ns}-x"),
    get("/api/v1/namespaces/{ns}-x", { accept: table }),
    put("/api/v1/namespaces/{ns}-x/finalize", { metadata: { name: "{ns}-x" }, spec: { finalizers: [] } }),
    get("/api/v1/namespaces/{ns}-x"),
  ],
  ...life("node", node),
  ...creates("node", node, {
    "refuses bad taints": {
      "spec/taints": [
        { key: "a b", value: "c d", effect: "X" },
        { key: "a", effect: "NoSchedule" },
        { key: "a", effect: "NoSchedule" },
        { key: "b", effect: "" },
      ],
    },
    "joins networks": { "spec/podCIDR": "10.1.0.0/24" },
    "refuses bad networks": { "spec/podCIDRs": ["x", "10.1.0.1/24", "10.2.0.0/24"] },
    "fills in what can be used": { "status/capacity": { cpu: "4", pods: "110" } },
    "refuses bad amounts": { "status/capacity": { pods: "1.5" } },
    "drops old configuration": {
      "spec/configSource": { configMap: { name: "a", namespace: "b", kubeletConfigKey: "c" } },
    },
    "warns about old names": { "spec/externalID": "x" },
    "refuses unsorted features": { "status/declaredFeatures": ["B", "A", "a"] },
  }),
  ...updates(
    "node",
    {
      ...node,
      base: { ...node.base, spec: { podCIDRs: ["10.1.0.0/24"], providerID: "x", externalID: "y" } } as typeof node.base,
    },
    {
      "refuses other networks": { "spec/podCIDRs": ["10.2.0.0/24"] },
      "refuses other providers": { "spec/providerID": "z" },
      "refuses other names": { "spec/externalID": "z" },
      "is cordoned": { "spec/unschedulable": true },
    },
  ),
  "node: reports": [
    post(
      node.path,
      { metadata: { name: "{ns}", labels: { "node-role.kubernetes.io/worker": "" } }, spec: { unschedulable: true } },
      { quiet: true },
    ),
    patch("merge", "/api/v1/nodes/{ns}/status", {
      status: {
        addresses: [{ type: "InternalIP", address: "1.2.3.4" }],
        conditions: [{ type: "Ready", status: "True" }],
        nodeInfo: {
          kubeletVersion: "v1",
          osImage: "o",
          kernelVersion: "k",
          architecture: "amd64",
          containerRuntimeVersion: "r",
        },
      },
    }),
    get("/api/v1/nodes/{ns}", { accept: table }),
    patch("merge", "/api/v1/nodes/{ns}/status", {
      status: {
        addresses: [
          { type: "A", address: "x" },
          { type: "A", address: "x" },
        ],
      },
    }),
    get("/api/v1/nodes?fieldSelector=spec.unschedulable=true,metadata.name={ns}"),
    del("/api/v1/nodes/{ns}", undefined, { quiet: true }),
  ],
  ...objectLife("volume", volume),
  ...creates("volume", volume, {
    "refuses nothing": { spec: {} },
    "refuses unknown modes": {
      "spec/accessModes": ["X"],
      "spec/volumeMode": "Y",
      "spec/persistentVolumeReclaimPolicy": "Z",
    },
    "refuses mixed modes": { "spec/accessModes": ["ReadWriteOncePod", "ReadWriteOnce"] },
    "refuses bad capacities": { "spec/capacity": { storage: "-1" } },
    "refuses other capacities": { "spec/capacity": { cpu: "1" } },
    "refuses two sources": { "spec/nfs": { server: "a", path: "/b" } },
    "refuses no source": { "spec/hostPath": undefined },
    "refuses local volumes anywhere": source({ local: { path: "/x" } }),
    "refuses bad drivers": source({ csi: { driver: "", volumeHandle: "", nodePublishSecretRef: { name: "A" } } }),
    "refuses bad iSCSI": source({ iscsi: { targetPortal: "", iqn: "x", lun: 999, chapAuthSession: true } }),
    "takes iSCSI": source({ iscsi: { targetPortal: "1.1.1.1", iqn: "iqn.2001-04.com.example:x", lun: 0 } }),
    "warns about recycling": { "spec/persistentVolumeReclaimPolicy": "Recycle" },
    "refuses recycling of everything": {
      "spec/persistentVolumeReclaimPolicy": "Recycle",
      "spec/hostPath": { path: "/" },
    },
    "refuses bad classes": { "spec/storageClassName": "A b", "spec/volumeAttributesClassName": "" },
    "refuses bad affinities": { "spec/nodeAffinity": { required: { nodeSelectorTerms: [] } } },
    "refuses empty affinities": { "spec/nodeAffinity": {} },
    "refuses mount options": { "metadata/annotations": { "volume.beta.kubernetes.io/mount-options": "x" } },
  }),
  ...updates("volume", volume, {
    "refuses another source": { "spec/hostPath": { path: "/y" } },
    "refuses another kind of source": source({ nfs: { server: "a", path: "/b" } }),
    "refuses another mode": { "spec/volumeMode": "Block" },
    "takes another class": { "spec/storageClassName": "x" },
    "refuses bad labels": { "metadata/labels": { "a b": "c" } },
  }),
  "volume: reports": [
    post(volume.path, volume.base, { quiet: true }),
    patch("merge", "/api/v1/persistentvolumes/{ns}/status", { status: { phase: "Bound" } }),
    patch("merge", "/api/v1/persistentvolumes/{ns}/status", { status: { message: "m" } }),
    del("/api/v1/persistentvolumes/{ns}"),
  ],
  ...objectLife("claim", claim),
  ...creates("claim", claim, {
    "refuses nothing": { spec: {} },
    "refuses unknown modes": { "spec/accessModes": ["X"], "spec/volumeMode": "Y" },
    "refuses bad amounts": { "spec/resources/requests/storage": "0" },
    "warns about parts of bytes": { "spec/resources/requests/storage": "1500m" },
    "refuses bad names": { "spec/storageClassName": "A b", "spec/volumeAttributesClassName": "A b" },
    "refuses bad selectors": { "spec/selector": { matchExpressions: [{ key: "a b", operator: "X" }] } },
    "drops unknown sources": { "spec/dataSource": { kind: "X", name: "y", apiGroup: "example.com" } },
    "is a copy": { "spec/dataSource": { kind: "PersistentVolumeClaim", name: "y" } },
    "takes any source by reference": { "spec/dataSourceRef": { kind: "X", name: "y", apiGroup: "example.com" } },
    "refuses different sources": {
      "spec/dataSource": { kind: "PersistentVolumeClaim", name: "y" },
      "spec/dataSourceRef": { kind: "PersistentVolumeClaim", name: "z" },
    },
    "refuses bad sources": { "spec/dataSourceRef": { kind: "", name: "", apiGroup: "A b" } },
    "warns about annotations": { "metadata/annotations": { "volume.beta.kubernetes.io/storage-class": "x" } },
  }),
  ...updates("claim", claim, {
    "refuses more": { "spec/resources/requests/storage": "2Gi" },
    "refuses less": { "spec/resources/requests/storage": "1Mi" },
    "refuses other modes": { "spec/accessModes": ["ReadWriteMany"] },
    "refuses another class": { "spec/storageClassName": "t" },
    "refuses another mode": { "spec/volumeMode": "Block" },
    "takes a volume": { "spec/volumeName": "v" },
    "takes labels": { "metadata/labels": { a: "b" } },
  }),
  "claim: grows when it is bound": [
    post(claim.path, claim.base, { quiet: true }),
    patch("merge", `${claim.path}/a/status`, {
      status: { phase: "Bound", capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"] },
    }),
    patch("merge", `${claim.path}/a`, { spec: { resources: { requests: { storage: "2Gi" } } } }),
    patch("merge", `${claim.path}/a`, { spec: { resources: { requests: { storage: "1Gi" } } } }),
    patch("merge", `${claim.path}/a`, { spec: { resources: { requests: { storage: "1536Mi" } } } }),
    patch("merge", `${claim.path}/a/status`, {
      status: { allocatedResourceStatuses: { storage: "X" }, allocatedResources: { cpu: "1" } },
    }),
    get(`${claim.path}/a`, { accept: table }),
  ],
});
