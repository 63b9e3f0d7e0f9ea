/** Workloads: defaults, validation, immutable fields. */
import { defineTopic, get, patch, post, put } from "../../case.ts";
import { creates, life, table, updates, type Changes } from "./variants.ts";

const template = {
  metadata: { labels: { app: "a" } },
  spec: { containers: [{ name: "c", image: "nginx:1" }] },
};
const selector = { matchLabels: { app: "a" } };
const space = "/apis/apps/v1/namespaces/{ns}";

const deployment = { path: `${space}/deployments`, base: { metadata: { name: "a" }, spec: { selector, template } } };
const replicaSet = { path: `${space}/replicasets`, base: { metadata: { name: "a" }, spec: { selector, template } } };
const daemonSet = { path: `${space}/daemonsets`, base: { metadata: { name: "a" }, spec: { selector, template } } };
const claim = {
  metadata: { name: "data" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
};
const statefulSet = {
  path: `${space}/statefulsets`,
  base: {
    metadata: { name: "a" },
    spec: { selector, serviceName: "svc", template, volumeClaimTemplates: [claim] },
  },
};
const revision = {
  path: `${space}/controllerrevisions`,
  base: { metadata: { name: "a" }, revision: 3, data: { a: { b: 1 } } },
};

const ofSelector = {
  "refuses no selector": { "spec/selector": undefined },
  "refuses an empty selector": { "spec/selector": {} },
  "refuses a selector of other labels": { "spec/selector": { matchLabels: { app: "b" } } },
  "refuses an unknown operator": { "spec/selector": { matchExpressions: [{ key: "a", operator: "Foo" }] } },
  "refuses values that are none": {
    "spec/selector": { matchExpressions: [{ key: "app", operator: "In", values: ["a b", "a"] }] },
  },
  "refuses an expression without values": { "spec/selector": { matchExpressions: [{ key: "app", operator: "In" }] } },
  "accepts expressions": { "spec/selector": { matchExpressions: [{ key: "app", operator: "Exists" }] } },
  "refuses a template without labels": { "spec/template/metadata": undefined },
  "refuses a restart policy": { "spec/template/spec/restartPolicy": "Never" },
  "refuses a deadline of its pods": { "spec/template/spec/activeDeadlineSeconds": 5 },
  "refuses no containers": { "spec/template/spec/containers": [] },
  "refuses negative numbers": { "spec/replicas": -1, "spec/minReadySeconds": -1, "spec/revisionHistoryLimit": -1 },
  "refuses a name": { "metadata/name": "A_b" },
  "warns of a name with dots": { "metadata/name": "a.b" },
  "drops a status": { status: { observedGeneration: 7 } },
  "refuses nothing at all": { spec: undefined },
};

const counts = (fields: { readonly [field: string]: number }): Changes =>
  Object.fromEntries(Object.entries(fields).map(([field, value]) => [`status/${field}`, value]));

export const apps = defineTopic("kinds-apps", {
  ...life("Deployment", deployment),
  ...creates("Deployment", deployment, {
    ...ofSelector,
    "fills in nothing where all is said": {
      "spec/replicas": 0,
      "spec/strategy": { type: "RollingUpdate", rollingUpdate: { maxSurge: 2, maxUnavailable: "10%" } },
      "spec/revisionHistoryLimit": 0,
      "spec/progressDeadlineSeconds": 5,
      "spec/paused": true,
    },
    recreates: { "spec/strategy": { type: "Recreate" } },
    "refuses to recreate step by step": { "spec/strategy": { type: "Recreate", rollingUpdate: { maxSurge: 1 } } },
    "refuses an unknown strategy": { "spec/strategy": { type: "Foo", rollingUpdate: { maxSurge: 1 } } },
    "refuses an unknown strategy without steps": { "spec/strategy": { type: "Foo" } },
    "refuses to stand still": { "spec/strategy": { rollingUpdate: { maxSurge: 0, maxUnavailable: "0%" } } },
    "refuses more than the whole": { "spec/strategy": { rollingUpdate: { maxUnavailable: "101%" } } },
    "refuses what is no percentage": { "spec/strategy": { rollingUpdate: { maxUnavailable: "5", maxSurge: "x" } } },
    "refuses negative steps": { "spec/strategy": { rollingUpdate: { maxUnavailable: -1, maxSurge: -2 } } },
    "refuses a deadline before it is ready": { "spec/progressDeadlineSeconds": 5, "spec/minReadySeconds": 5 },
    "refuses a negative deadline": { "spec/progressDeadlineSeconds": -5 },
  }),
  ...updates("Deployment", deployment, {
    "counts a generation for a change": { "spec/replicas": 3 },
    "counts a generation for an annotation": { "metadata/annotations": { a: "b" } },
    "counts no generation for a label": { "metadata/labels": { a: "b" } },
    "refuses another selector": { "spec/selector": { matchExpressions: [{ key: "app", operator: "Exists" }] } },
    "refuses no selector later": { "spec/selector": undefined },
    "refuses bad labels": { "metadata/labels": { "a b": "c d" } },
    "keeps its status": { status: { replicas: 7 } },
    "refuses a template that fits no more": { "spec/template/metadata/labels": { app: "b" } },
  }),
  ...updates(
    "Deployment status",
    { ...deployment, door: "status" },
    {
      "is written": {
        ...counts({ replicas: 3, readyReplicas: 2, availableReplicas: 2, updatedReplicas: 3 }),
        "spec/replicas": 9,
      },
      "keeps labels and takes annotations": { "metadata/labels": { a: "b" }, "metadata/annotations": { a: "b" } },
      "refuses counts that do not add up": counts({
        replicas: 1,
        readyReplicas: 2,
        availableReplicas: 3,
        updatedReplicas: 4,
      }),
      "refuses negative counts": counts({
        replicas: -1,
        observedGeneration: -1,
        collisionCount: -1,
        unavailableReplicas: -1,
      }),
    },
  ),
  ...Object.fromEntries(
    [deployment, replicaSet, statefulSet].map(({ path, base }) => [
      `scale of ${path.split("/").at(-1)}`,
      [
        post(path, base, { quiet: true }),
        get(`${path}/a/scale`),
        put(`${path}/a/scale`, { metadata: { name: "a", namespace: "{ns}" }, spec: { replicas: 3 } }),
        get(`${path}/a`),
        patch("merge", `${path}/a/scale`, { spec: { replicas: 0 } }),
        patch("merge", `${path}/a/scale`, { spec: { replicas: -1 } }),
        put(`${path}/a/scale`, { metadata: { name: "b", namespace: "{ns}" }, spec: { replicas: 3 } }),
        put(`${path}/a/scale`, { spec: { replicas: 3 } }),
        put(`${path}/a/scale`, {
          metadata: { name: "a", namespace: "{ns}", resourceVersion: "1" },
          spec: { replicas: 3 },
        }),
        get(`${path}/b/scale`),
      ],
    ]),
  ),
  ...life("ReplicaSet", replicaSet),
  ...creates("ReplicaSet", replicaSet, ofSelector),
  ...updates("ReplicaSet", replicaSet, {
    "counts a generation for a change": { "spec/replicas": 3 },
    "counts none for an annotation": { "metadata/annotations": { a: "b" } },
    "refuses another selector": { "spec/selector": { matchExpressions: [{ key: "app", operator: "Exists" }] } },
  }),
  ...updates(
    "ReplicaSet status",
    { ...replicaSet, door: "status" },
    {
      "is written": counts({ replicas: 3, readyReplicas: 2, availableReplicas: 2, fullyLabeledReplicas: 3 }),
      "refuses counts that do not add up": counts({
        replicas: 1,
        readyReplicas: 2,
        availableReplicas: 3,
        fullyLabeledReplicas: 4,
      }),
      "refuses negative counts": counts({ replicas: -1, observedGeneration: -1 }),
    },
  ),
  "ReplicaSet: knows no fields to select by": [get(`${replicaSet.path}?fieldSelector=status.replicas%3D1`)],
  ...life("StatefulSet", statefulSet),
  ...creates("StatefulSet", statefulSet, {
    ...ofSelector,
    "deletes by hand": { "spec/updateStrategy": { type: "OnDelete" } },
    "refuses steps by hand": { "spec/updateStrategy": { type: "OnDelete", rollingUpdate: { partition: 2 } } },
    "updates from a partition on": { "spec/updateStrategy": { rollingUpdate: { partition: 2, maxUnavailable: 2 } } },
    "refuses a negative partition": { "spec/updateStrategy": { rollingUpdate: { partition: -2 } } },
    "refuses an unknown strategy": { "spec/updateStrategy": { type: "Foo" } },
    "takes a strategy without steps": { "spec/updateStrategy": { type: "RollingUpdate" } },
    "refuses an unknown management": { "spec/podManagementPolicy": "Foo" },
    "starts all at once": { "spec/podManagementPolicy": "Parallel" },
    "refuses an unknown retention": { "spec/persistentVolumeClaimRetentionPolicy": { whenDeleted: "Foo" } },
    "refuses an ordinal below zero": { "spec/ordinals": { start: -1 } },
    "refuses the name of a service": { "spec/serviceName": "A_b" },
    "needs no service": { "spec/serviceName": undefined },
    "refuses a claim without a size": { "spec/volumeClaimTemplates": [{ metadata: { name: "x" }, spec: {} }] },
    "mounts its claims": { "spec/template/spec/containers/0/volumeMounts": [{ name: "data", mountPath: "/d" }] },
    "refuses a mount of nothing": { "spec/template/spec/containers/0/volumeMounts": [{ name: "x", mountPath: "/d" }] },
    "names hosts itself": { "spec/template/spec/hostname": "A_", "spec/template/spec/subdomain": "A_" },
    "refuses labels of the template": { "spec/template/metadata/labels": { app: "a", "a b": "" } },
    "warns of a negative history": { "spec/revisionHistoryLimit": -1 },
    "warns of a fraction of a byte": { "spec/volumeClaimTemplates/0/spec/resources/requests/storage": "500m" },
  }),
  ...updates("StatefulSet", statefulSet, {
    "changes what may change": {
      "spec/replicas": 3,
      "spec/minReadySeconds": 3,
      "spec/ordinals": { start: 1 },
      "spec/updateStrategy": { type: "OnDelete" },
      "spec/revisionHistoryLimit": 3,
      "spec/persistentVolumeClaimRetentionPolicy": { whenDeleted: "Delete" },
    },
    "refuses another service": { "spec/serviceName": "other" },
    "refuses other claims": { "spec/volumeClaimTemplates": [] },
    "refuses another management": { "spec/podManagementPolicy": "Parallel" },
    "refuses another selector": { "spec/selector": { matchExpressions: [{ key: "app", operator: "Exists" }] } },
  }),
  ...updates(
    "StatefulSet status",
    { ...statefulSet, door: "status" },
    {
      "is written": counts({ replicas: 3, readyReplicas: 2, availableReplicas: 2, currentReplicas: 3 }),
      "refuses counts that do not add up": counts({
        replicas: 1,
        readyReplicas: 2,
        availableReplicas: 3,
        updatedReplicas: 4,
        currentReplicas: 5,
      }),
      "refuses negative counts": counts({ replicas: -1, observedGeneration: -1, collisionCount: -2 }),
    },
  ),
  ...life("DaemonSet", { ...daemonSet, bareRows: true }),
  ...creates("DaemonSet", daemonSet, {
    ...ofSelector,
    "deletes by hand": { "spec/updateStrategy": { type: "OnDelete" } },
    surges: { "spec/updateStrategy": { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
    "refuses both ways": { "spec/updateStrategy": { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } },
    "refuses neither way": { "spec/updateStrategy": { rollingUpdate: { maxSurge: 0, maxUnavailable: "0%" } } },
    "refuses more than all": { "spec/updateStrategy": { rollingUpdate: { maxSurge: "101%", maxUnavailable: "102%" } } },
    "refuses an unknown strategy": { "spec/updateStrategy": { type: "Foo" } },
  }),
  ...updates("DaemonSet", daemonSet, {
    "counts a generation of its template": { "spec/template/spec/containers/0/image": "nginx:2" },
    "counts none for a label": { "metadata/labels": { a: "b" } },
    "counts a generation for a change elsewhere": { "spec/minReadySeconds": 3 },
    "refuses another selector": { "spec/selector": { matchExpressions: [{ key: "app", operator: "Exists" }] } },
  }),
  ...updates(
    "DaemonSet status",
    { ...daemonSet, door: "status" },
    {
      "is written": counts({
        currentNumberScheduled: 1,
        numberMisscheduled: 1,
        desiredNumberScheduled: 3,
        numberReady: 2,
      }),
      "refuses negative counts": counts({ currentNumberScheduled: -1, numberAvailable: -1, collisionCount: -2 }),
    },
  ),
  ...life("ControllerRevision", revision),
  ...creates("ControllerRevision", revision, {
    "refuses no data": { data: undefined },
    "refuses data that is no object": { data: "x" },
    "refuses a negative revision": { revision: -1 },
    "needs no revision": { revision: undefined },
  }),
  ...updates("ControllerRevision", revision, {
    "refuses other data": { data: { c: 1 } },
    "changes its revision": { revision: 9 },
    "refuses a bad label": { "metadata/labels": { "a b": "" } },
  }),
  "ControllerRevision: shows its owner": [
    post(revision.path, {
      ...revision.base,
      metadata: {
        name: "a",
        ownerReferences: [{ apiVersion: "apps/v1", kind: "StatefulSet", name: "s", uid: "u", controller: true }],
      },
    }),
    get(revision.path, { accept: table }),
  ],
});
