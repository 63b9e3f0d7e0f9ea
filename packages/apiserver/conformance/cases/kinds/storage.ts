/** Storage classes, CSI drivers, volume attachments. */
import { defineTopic, patch, post } from "../../case.ts";
import { creates, life, updates } from "./variants.ts";

const group = "/apis/storage.k8s.io/v1";
const storageClass = {
  path: `${group}/storageclasses`,
  base: { metadata: { name: "{ns}-a" }, provisioner: "example.com/p", parameters: { a: "b" } },
};
const attributes = {
  path: `${group}/volumeattributesclasses`,
  base: { metadata: { name: "{ns}-a" }, driverName: "example.com", parameters: { a: "b" } },
};
const driver = { path: `${group}/csidrivers`, base: { metadata: { name: "{ns}.a" }, spec: {} } };
const node = {
  path: `${group}/csinodes`,
  base: {
    metadata: { name: "{ns}-a" },
    spec: { drivers: [{ name: "d.example.com", nodeID: "n", topologyKeys: ["k"] }] },
  },
};
const capacity = {
  path: `${group}/namespaces/{ns}/csistoragecapacities`,
  base: { metadata: { name: "a" }, storageClassName: "s", capacity: "1Gi", nodeTopology: { matchLabels: { a: "b" } } },
};
const attachment = {
  path: `${group}/volumeattachments`,
  base: {
    metadata: { name: "{ns}-a" },
    spec: { attacher: "d.example.com", nodeName: "n", source: { persistentVolumeName: "v" } },
  },
};
const topology = (...expressions: readonly object[]): { [path: string]: unknown } => ({
  allowedTopologies: [{ matchLabelExpressions: expressions }],
});

export const storage = defineTopic("kinds-storage", {
  ...life("StorageClass", storageClass),
  ...creates("StorageClass", storageClass, {
    "refuses no provisioner": { provisioner: undefined },
    "refuses a provisioner": { provisioner: "a b" },
    "takes capitals": { provisioner: "Example.com/P" },
    "refuses empty parameters": { parameters: { "": "x" } },
    keeps: { reclaimPolicy: "Retain", volumeBindingMode: "WaitForFirstConsumer", allowVolumeExpansion: true },
    "refuses a policy": { reclaimPolicy: "Recycle" },
    "refuses a mode": { volumeBindingMode: "Foo" },
    "takes topologies": topology({ key: "a", values: ["b"] }),
    "refuses topologies": topology(
      { key: "a b", values: [] },
      { key: "a", values: ["b", "b"] },
      { key: "a", values: ["c"] },
    ),
    "refuses the same topology twice": {
      allowedTopologies: [
        { matchLabelExpressions: [{ key: "a", values: ["b"] }] },
        { matchLabelExpressions: [{ key: "a", values: ["b"] }] },
      ],
    },
    "refuses an empty topology": { allowedTopologies: [{}] },
    "warns of old labels": topology({ key: "failure-domain.beta.kubernetes.io/zone", values: ["b"] }),
    "refuses a name": { "metadata/name": "A_b" },
    "shows the default": { "metadata/annotations": { "storageclass.kubernetes.io/is-default-class": "true" } },
  }),
  ...updates("StorageClass", storageClass, {
    "refuses other parameters": { parameters: { a: "c" } },
    "refuses another provisioner": { provisioner: "example.com/q" },
    "refuses other policies": { reclaimPolicy: "Retain", volumeBindingMode: "WaitForFirstConsumer" },
    "takes other options": { mountOptions: ["ro"], allowVolumeExpansion: true },
    "refuses labels": { "metadata/labels": { "a b": "" } },
  }),
  ...life("VolumeAttributesClass", attributes),
  ...creates("VolumeAttributesClass", attributes, {
    "refuses no driver": { driverName: undefined },
    "refuses no parameters": { parameters: undefined },
    "refuses a driver": { driverName: "a b" },
  }),
  ...updates("VolumeAttributesClass", attributes, {
    "refuses another driver": { driverName: "other.com" },
    "refuses other parameters": { parameters: { c: "d" } },
  }),
  ...life("CSIDriver", driver),
  ...creates("CSIDriver", driver, {
    keeps: {
      spec: {
        attachRequired: false,
        podInfoOnMount: true,
        storageCapacity: true,
        fsGroupPolicy: "File",
        requiresRepublish: true,
        seLinuxMount: true,
        volumeLifecycleModes: ["Ephemeral"],
      },
    },
    "refuses a policy": { "spec/fsGroupPolicy": "Foo" },
    "refuses modes": { "spec/volumeLifecycleModes": ["Foo"] },
    "warns of tokens": { "spec/tokenRequests": [{ audience: "a", expirationSeconds: 600 }] },
    "refuses tokens": {
      "spec/tokenRequests": [
        { audience: "a", expirationSeconds: 5 },
        { audience: "a" },
        { audience: "b", expirationSeconds: 5000000000 },
      ],
    },
    "refuses tokens in secrets": { "spec/serviceAccountTokenInSecrets": true },
    "refuses a period": { "spec/nodeAllocatableUpdatePeriodSeconds": 5 },
    "refuses a name": { "metadata/name": "A_b" },
    "needs no spec": { spec: undefined },
    "drops what is off": { "spec/preventPodSchedulingIfMissing": true },
  }),
  "CSIDriver: changes": [
    post(driver.path, driver.base, { quiet: true }),
    patch("merge", `${driver.path}/{ns}.a`, { spec: { attachRequired: false } }),
    patch("merge", `${driver.path}/{ns}.a`, { spec: { volumeLifecycleModes: ["Ephemeral"] } }),
    patch("merge", `${driver.path}/{ns}.a`, { spec: { podInfoOnMount: true } }),
    { method: "DELETE", path: `${driver.path}/{ns}.a`, quiet: true },
  ],
  ...life("CSINode", node),
  ...creates("CSINode", node, {
    "needs no drivers": { "spec/drivers": [] },
    "refuses drivers": {
      "spec/drivers": [
        { name: "A_", nodeID: "" },
        { name: "d", nodeID: "x".repeat(257), allocatable: { count: -1 } },
        { name: "d", nodeID: "n", topologyKeys: ["", "a", "a"] },
      ],
    },
    "refuses a name": { "metadata/name": "A_b" },
  }),
  "CSINode: changes": [
    post(node.path, node.base, { quiet: true }),
    patch("merge", `${node.path}/{ns}-a`, { spec: { drivers: [{ name: "d.example.com", nodeID: "m" }] } }),
    patch("merge", `${node.path}/{ns}-a`, {
      spec: { drivers: [{ name: "d.example.com", nodeID: "n", topologyKeys: ["k"], allocatable: { count: 5 } }] },
    }),
    patch("merge", `${node.path}/{ns}-a`, { spec: { drivers: [] } }),
    { method: "DELETE", path: `${node.path}/{ns}-a`, quiet: true },
  ],
  ...life("CSIStorageCapacity", capacity),
  ...creates("CSIStorageCapacity", capacity, {
    "refuses no class": { storageClassName: undefined },
    "refuses a negative capacity": { capacity: "-1" },
    "refuses a topology": { nodeTopology: { matchExpressions: [{ key: "a", operator: "Foo" }] } },
    "warns of old labels": { nodeTopology: { matchLabels: { "beta.kubernetes.io/os": "x" } } },
    "needs no capacity": { capacity: undefined },
  }),
  "CSIStorageCapacity: changes": [
    post(capacity.path, capacity.base, { quiet: true }),
    patch("merge", `${capacity.path}/a`, { capacity: "2Gi" }),
    patch("merge", `${capacity.path}/a`, { storageClassName: "t", nodeTopology: null }),
  ],
  ...life("VolumeAttachment", attachment),
  ...creates("VolumeAttachment", attachment, {
    "refuses nothing": { spec: undefined },
    "refuses an attacher": { "spec/attacher": "A_" },
    "refuses a node": { "spec/nodeName": "A_" },
    "refuses no source": { "spec/source": {} },
    "refuses an empty source": { "spec/source": { persistentVolumeName: "" } },
    "refuses a volume": { "spec/source": { persistentVolumeName: "A_" } },
    "takes a volume": {
      "spec/source": {
        inlineVolumeSpec: { csi: { driver: "d.example.com", volumeHandle: "h" }, accessModes: ["ReadWriteOnce"] },
      },
    },
    "refuses both": {
      "spec/source": { persistentVolumeName: "v", inlineVolumeSpec: { csi: { driver: "d", volumeHandle: "h" } } },
    },
  }),
  "VolumeAttachment: changes": [
    post(attachment.path, attachment.base, { quiet: true }),
    patch("merge", `${attachment.path}/{ns}-a`, { spec: { nodeName: "m" } }),
    patch("merge", `${attachment.path}/{ns}-a/status`, {
      metadata: { labels: { a: "b" } },
      status: { attached: true, attachError: { message: "x", errorCode: 3 } },
    }),
    patch("merge", `${attachment.path}/{ns}-a/status`, {
      status: { attachError: { message: "x".repeat(1025), errorCode: -3 } },
    }),
    { method: "DELETE", path: `${attachment.path}/{ns}-a`, quiet: true },
  ],
});
