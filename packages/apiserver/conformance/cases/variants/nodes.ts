/** Kubelets: the Node authorizer and NodeRestriction, for each resource, verb and relation to the node. */
import { defineTopic, del, get, patch, post, put, type Step } from "../../case.ts";

const quiet = { quiet: true };
const brief = { only: ["kind", "message", "reason", "details", "code"] };
const space = "/api/v1/namespaces/{ns}";
const asNode = (name: string): Partial<Step> => ({
  headers: { "impersonate-user": `system:node:${name}`, "impersonate-group": "system:nodes" },
});
const [mine, other] = [asNode("n1"), asNode("n2")];
const settled = { ...quiet, settle: 700 };

const pod = (name: string, node: string, spec: object = {}): object => ({
  metadata: { name },
  spec: { nodeName: node, containers: [{ name: "c", image: "i" }], ...spec },
});

/** A pod that refers to an object of each kind, in each way. */
const using = pod("user", "n1", {
  serviceAccountName: "account",
  imagePullSecrets: [{ name: "pull" }],
  resourceClaims: [{ name: "device", resourceClaimName: "device" }],
  containers: [
    {
      name: "c",
      image: "i",
      env: [
        { name: "A", valueFrom: { secretKeyRef: { name: "env-secret", key: "k" } } },
        { name: "B", valueFrom: { configMapKeyRef: { name: "env-map", key: "k" } } },
      ],
      envFrom: [{ secretRef: { name: "from-secret" } }, { configMapRef: { name: "from-map" } }],
    },
  ],
  initContainers: [{ name: "i", image: "i", envFrom: [{ secretRef: { name: "init-secret" } }] }],
  volumes: [
    { name: "a", secret: { secretName: "volume-secret" } },
    { name: "b", configMap: { name: "volume-map" } },
    { name: "c", persistentVolumeClaim: { claimName: "claim" } },
    {
      name: "d",
      projected: { sources: [{ secret: { name: "projected-secret" } }, { configMap: { name: "projected-map" } }] },
    },
    { name: "e", csi: { driver: "d", nodePublishSecretRef: { name: "csi-secret" } } },
    { name: "f", azureFile: { secretName: "azure-secret", shareName: "s" } },
    {
      name: "g",
      ephemeral: {
        volumeClaimTemplate: {
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
        },
      },
    },
    { name: "h", cephfs: { monitors: ["m"], secretRef: { name: "ceph-secret" } } },
    { name: "i", rbd: { monitors: ["m"], image: "i", secretRef: { name: "rbd-secret" } } },
    {
      name: "j",
      iscsi: { targetPortal: "1.2.3.4", iqn: "iqn.2001-04.com.example:x", lun: 1, secretRef: { name: "iscsi-secret" } },
    },
    { name: "k", flexVolume: { driver: "a/b", secretRef: { name: "flex-secret" } } },
  ],
});
const volume = (name: string, more: object = {}): object => ({
  metadata: { name },
  spec: {
    capacity: { storage: "1Gi" },
    accessModes: ["ReadWriteOnce"],
    claimRef: { namespace: "{ns}", name: "claim" },
    csi: {
      driver: "d",
      volumeHandle: "h",
      controllerPublishSecretRef: { namespace: "{ns}", name: "controller-secret" },
      nodePublishSecretRef: { namespace: "{ns}", name: "publish-secret" },
      nodeStageSecretRef: { namespace: "{ns}-b", name: "stage-secret" },
    },
    ...more,
  },
});
const scene: readonly Step[] = [
  post(`${space}/pods`, using, quiet),
  post(
    `${space}/pods`,
    pod("elsewhere", "n2", { volumes: [{ name: "a", secret: { secretName: "other-secret" } }] }),
    quiet,
  ),
  post("/api/v1/persistentvolumes", volume("{ns}-bound"), quiet),
  post("/api/v1/persistentvolumes", volume("{ns}-loose", { claimRef: { namespace: "{ns}", name: "unused" } }), settled),
];
const clean: readonly Step[] = ["bound", "loose"].flatMap((name) => [
  patch("merge", `/api/v1/persistentvolumes/{ns}-${name}`, { metadata: { finalizers: null } }, quiet),
  del(`/api/v1/persistentvolumes/{ns}-${name}`, undefined, quiet),
]);

const secrets = ["pull", "env-secret", "from-secret", "init-secret", "volume-secret", "projected-secret", "csi-secret"];
const moreSecrets = ["azure-secret", "ceph-secret", "rbd-secret", "iscsi-secret", "flex-secret", "other-secret"];
const volumeSecrets = ["controller-secret", "publish-secret", "stage-secret", "nothing"];
const maps = ["env-map", "from-map", "volume-map", "projected-map", "nothing"];
const reads = (resource: string, names: readonly string[]): readonly Step[] =>
  names.map((name) => get(`${space}/${resource}/${name}`, { ...mine, ...brief }));

const leases = "/apis/coordination.k8s.io/v1/namespaces";
const slices = "/apis/resource.k8s.io/v1/resourceslices";
const storage = "/apis/storage.k8s.io/v1";
const each = (path: string, more: Partial<Step> = mine): readonly Step[] => [
  get(path, { ...more, ...brief }),
  post(path.slice(0, path.lastIndexOf("/")), {}, { ...more, ...brief }),
  put(path, {}, { ...more, ...brief }),
  patch("merge", path, {}, { ...more, ...brief }),
  del(path, undefined, { ...more, ...brief }),
  get(path.slice(0, path.lastIndexOf("/")), { ...more, ...brief }),
  get(`${path.slice(0, path.lastIndexOf("/"))}?watch=1&timeoutSeconds=1`, { ...more, ...brief }),
  del(path.slice(0, path.lastIndexOf("/")), undefined, { ...more, ...brief }),
  get(`${path}/status`, { ...more, ...brief }),
  put(`${path}/status`, {}, { ...more, ...brief }),
];
/** What the user `system:node:nx`, which owns nothing, is told: no write gets through the authorizer. */
const stranger = asNode("nx");
const paths: readonly string[] = [
  `${space}/secrets/x`,
  `${space}/configmaps/x`,
  `${space}/persistentvolumeclaims/x`,
  "/api/v1/persistentvolumes/x",
  `${space}/serviceaccounts/x`,
  `${leases}/{ns}/leases/nx`,
  `${leases}/kube-node-lease/leases/x`,
  `${storage}/csinodes/x`,
  `${storage}/volumeattachments/x`,
  `${storage}/csidrivers/x`,
  `${storage}/storageclasses/x`,
  "/apis/resource.k8s.io/v1/namespaces/{ns}/resourceclaims/x",
  `${slices}/x`,
  "/api/v1/nodes/x",
  `${space}/services/x`,
  `${space}/endpoints/x`,
  `${space}/pods/x`,
  "/apis/node.k8s.io/v1/runtimeclasses/x",
  "/apis/certificates.k8s.io/v1/certificatesigningrequests/x",
  "/apis/apps/v1/namespaces/{ns}/deployments/x",
];
const review = (user: string, resourceAttributes: object, groups = ["system:nodes"]): Step =>
  post(
    "/apis/authorization.k8s.io/v1/subjectaccessreviews",
    { spec: { user, groups, resourceAttributes } },
    { only: ["status"] },
  );
const node = (metadata: object = {}, spec: object = {}): object => ({ metadata: { name: "n1", ...metadata }, spec });
const nodeScene = [del("/api/v1/nodes/n1", undefined, quiet), del("/api/v1/nodes/n2", undefined, quiet)];
const mirror = (metadata: object, spec: object = {}): object => ({
  metadata: { name: "m", annotations: { "kubernetes.io/config.mirror": "x" }, ...metadata },
  spec: { nodeName: "n1", containers: [{ name: "c", image: "i" }], ...spec },
});
const owner = { apiVersion: "v1", kind: "Node", name: "n1", uid: "{uid}", controller: true };
const owned = (spec: object, more: object = {}): object => mirror({ ownerReferences: [{ ...owner, ...more }] }, spec);
const tokens = `${space}/serviceaccounts/account/token`;
const token = (spec: object, more: Partial<Step> = mine): Step =>
  post(tokens, { spec }, { ...more, only: ["message", "code", "details", "reason"] });
const bound = { apiVersion: "v1", kind: "Pod", name: "user", uid: "{pod}" };

export const nodes = defineTopic("variants-nodes", {
  "Secrets of pods": [...scene, ...reads("secrets", [...secrets, ...moreSecrets, ...volumeSecrets]), ...clean],
  "ConfigMaps of pods": [...scene, ...reads("configmaps", maps), ...clean],
  "Secrets, with selectors": [
    ...scene,
    ...["list", "watch=1&timeoutSeconds=1"].flatMap((query) => [
      get(`${space}/secrets?${query}`, { ...mine, ...brief }),
      get(`${space}/secrets?${query}&fieldSelector=metadata.name%3Dpull`, { ...mine, only: ["kind", "message"] }),
      get(`${space}/secrets?${query}&fieldSelector=metadata.name%3Dnothing`, { ...mine, ...brief }),
      get(`/api/v1/secrets?${query}&fieldSelector=metadata.name%3Dpull`, { ...mine, ...brief }),
    ]),
    ...clean,
  ],
  "volumes and claims": [
    ...scene,
    ...reads("persistentvolumeclaims", ["claim", "user-g", "unused", "nothing"]),
    get("/api/v1/persistentvolumes/{ns}-bound", { ...mine, only: ["kind"] }),
    get("/api/v1/persistentvolumes/{ns}-loose", { ...mine, ...brief }),
    get("/api/v1/persistentvolumes/{ns}-bound", { ...other, ...brief }),
    get("/api/v1/namespaces/{ns}-b/secrets/stage-secret", { ...mine, ...brief }),
    get("/apis/resource.k8s.io/v1/namespaces/{ns}/resourceclaims/device", { ...mine, ...brief }),
    get("/apis/resource.k8s.io/v1/namespaces/{ns}/resourceclaims/nothing", { ...mine, ...brief }),
    put(`${space}/persistentvolumeclaims/claim/status`, {}, { ...mine, ...brief }),
    put(`${space}/persistentvolumeclaims/nothing/status`, {}, { ...mine, ...brief }),
    ...clean,
  ],
  "rights end with the pod": [
    ...scene,
    del(`${space}/pods/user?gracePeriodSeconds=0`, undefined, settled),
    ...reads("secrets", ["pull", "publish-secret"]),
    ...reads("configmaps", ["env-map"]),
    get("/api/v1/persistentvolumes/{ns}-bound", { ...mine, ...brief }),
    ...clean,
  ],
  pods: [
    ...scene,
    get(`${space}/pods/user`, { ...mine, only: ["kind"] }),
    get(`${space}/pods/elsewhere`, { ...mine, ...brief }),
    get(`${space}/pods`, { ...mine, ...brief }),
    get(`${space}/pods?fieldSelector=spec.nodeName%3Dn1`, { ...mine, only: ["kind", "message"] }),
    get("/api/v1/pods?fieldSelector=spec.nodeName%3D%3Dn1&limit=1", { ...mine, only: ["kind", "message"] }),
    get("/api/v1/pods?fieldSelector=spec.nodeName%3Dn2", { ...mine, ...brief }),
    get("/api/v1/pods?fieldSelector=spec.nodeName!%3Dn1", { ...mine, ...brief }),
    get("/api/v1/pods?fieldSelector=spec.nodeName", { ...mine, ...brief }),
    get(`${space}/pods?fieldSelector=metadata.name%3Duser`, { ...mine, only: ["kind", "message"] }),
    get(`${space}/pods?fieldSelector=metadata.name%3Delsewhere`, { ...mine, ...brief }),
    patch("merge", `${space}/pods/user`, { metadata: { labels: { a: "b" } } }, { ...mine, ...brief }),
    patch("merge", `${space}/pods/user/status`, { status: { message: "m" } }, { ...mine, only: ["kind", "message"] }),
    patch("merge", `${space}/pods/user/status`, { metadata: { labels: { a: "b" } } }, { ...mine, ...brief }),
    patch(
      "merge",
      `${space}/pods/user/status`,
      { status: { resourceClaimStatuses: [{ name: "x" }] } },
      { ...mine, ...brief },
    ),
    patch("merge", `${space}/pods/elsewhere/status`, { status: { message: "m" } }, { ...mine, ...brief }),
    post(`${space}/pods/elsewhere/eviction`, { metadata: { name: "elsewhere" } }, { ...mine, ...brief }),
    post(`${space}/pods/nothing/eviction`, { metadata: { name: "nothing" } }, { ...mine, ...brief }),
    post(`${space}/pods/user/eviction`, { metadata: { name: "user" } }, { ...mine, ...brief }),
    post(`${space}/pods/user/binding`, { metadata: { name: "user" }, target: { name: "n1" } }, { ...mine, ...brief }),
    get(`${space}/pods/user/log`, { ...mine, ...brief }),
    del(`${space}/pods/elsewhere`, undefined, { ...mine, ...brief }),
    del(`${space}/pods/nothing`, undefined, { ...mine, ...brief }),
    del(`${space}/pods`, undefined, { ...mine, ...brief }),
    ...clean,
  ],
  "mirror pods": [
    ...nodeScene,
    post(`${space}/pods`, pod("m", "n1"), { ...mine, ...brief }),
    post(`${space}/pods`, mirror({}), { ...mine, ...brief }),
    post(`${space}/pods`, mirror({ ownerReferences: [{ ...owner, uid: "u" }] }), { ...mine, ...brief }),
    post("/api/v1/nodes", node(), { ...quiet, keep: { uid: "metadata.uid" }, settle: 700 }),
    post(`${space}/pods`, mirror({}, { nodeName: "n2" }), { ...mine, ...brief }),
    post(`${space}/pods`, mirror({ ownerReferences: [owner, owner] }), { ...mine, ...brief }),
    ...[{ kind: "Pod" }, { name: "n2" }, { controller: false }, { blockOwnerDeletion: true }, { uid: "u" }].map(
      (more) => post(`${space}/pods`, owned({}, more), { ...mine, ...brief }),
    ),
    ...[
      { serviceAccountName: "a" },
      { imagePullSecrets: [{ name: "a" }] },
      { resourceClaims: [{ name: "a", resourceClaimName: "b" }] },
      { containers: [{ name: "c", image: "i", envFrom: [{ configMapRef: { name: "a" } }] }] },
      ...[
        { configMap: { name: "a" } },
        { secret: { secretName: "a" } },
        { secret: { optional: true } },
        { csi: { driver: "d" } },
        { glusterfs: { endpoints: "e", path: "p" } },
        { persistentVolumeClaim: { claimName: "a" } },
        { ephemeral: { volumeClaimTemplate: { spec: {} } } },
        { azureFile: { shareName: "s" } },
        { projected: { sources: [{ downwardAPI: {} }, { serviceAccountToken: { path: "p" } }] } },
        { projected: { sources: [{ configMap: {} }] } },
        { projected: { sources: [{ clusterTrustBundle: { path: "p" } }] } },
        { projected: { sources: [{}] } },
      ].map((source) => ({ volumes: [{ name: "v", ...source }] })),
    ].map((spec) => post(`${space}/pods`, owned(spec), { ...mine, ...brief })),
    post(`${space}/pods`, owned({ volumes: [{ name: "v", hostPath: { path: "/" } }] }), {
      ...mine,
      only: ["kind", "message"],
    }),
    get(`${space}/pods/m`, { ...mine, only: ["kind"] }),
    get(`${space}/serviceaccounts/default`, { ...mine, ...brief }),
    del(`${space}/pods/m?gracePeriodSeconds=0`, undefined, { ...mine, only: ["kind", "message"] }),
    ...nodeScene,
  ],
  "own Node": [
    ...nodeScene,
    get("/api/v1/nodes/n1", { ...mine, ...brief }),
    post("/api/v1/nodes", { metadata: { name: "n2" } }, { ...mine, ...brief }),
    ...[
      { "node-restriction.kubernetes.io/a": "b" },
      { "x.node-restriction.kubernetes.io/a": "b", "a.k8s.io/b": "c" },
      { "kubernetes.io/hostname": "n1", "kubernetes.io/other": "x" },
      { "node.kubernetes.io/a": "b", "a.node.kubernetes.io/b": "c", "x/y": "z", "kubelet.kubernetes.io/a": "b" },
    ].flatMap((labels) => [post("/api/v1/nodes?dryRun=All", node({ labels }), { ...mine, only: ["kind", "message"] })]),
    post("/api/v1/nodes", node({ labels: { a: "b" } }), { ...mine, only: ["kind", "message"] }),
    patch(
      "merge",
      "/api/v1/nodes/n1",
      { metadata: { labels: { c: "d", "kubernetes.io/x": "y" } } },
      { ...mine, ...brief },
    ),
    patch("merge", "/api/v1/nodes/n1", { metadata: { labels: { c: "d" } } }, { ...mine, only: ["kind", "message"] }),
    patch(
      "merge",
      "/api/v1/nodes/n1",
      { spec: { taints: [{ key: "a", effect: "NoSchedule" }] } },
      { ...mine, ...brief },
    ),
    patch(
      "merge",
      "/api/v1/nodes/n1",
      { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "x", uid: "y" }] } },
      { ...mine, ...brief },
    ),
    patch("merge", "/api/v1/nodes/n1", { spec: { unschedulable: true } }, { ...mine, only: ["kind", "message"] }),
    patch("merge", "/api/v1/nodes/n1/status", { status: { phase: "Running" } }, { ...mine, only: ["kind", "message"] }),
    patch("merge", "/api/v1/nodes/n1", { metadata: { labels: { e: "f" } } }, { ...other, ...brief }),
    get("/api/v1/nodes/n1", { ...other, ...brief }),
    get("/api/v1/nodes?fieldSelector=metadata.name%3Dn1", { ...mine, only: ["kind", "message"] }),
    get("/api/v1/nodes?fieldSelector=metadata.name%3Dn2", { ...mine, ...brief }),
    del("/api/v1/nodes/n1", undefined, { ...mine, ...brief }),
    get("/api/v1/nodes/n1/proxy/x", { ...mine, ...brief }),
    ...nodeScene,
  ],
  tokens: [
    post(`${space}/serviceaccounts`, { metadata: { name: "account" } }, quiet),
    post(`${space}/serviceaccounts`, { metadata: { name: "spare" } }, quiet),
    ...scene,
    get(`${space}/pods/user`, { ...quiet, keep: { pod: "metadata.uid" } }),
    get(`${space}/pods/elsewhere`, { ...quiet, keep: { elsewhere: "metadata.uid" } }),
    get(`${space}/serviceaccounts/account`, { ...mine, only: ["kind", "message"] }),
    get(`${space}/serviceaccounts/spare`, { ...mine, ...brief }),
    get(`${space}/serviceaccounts`, { ...mine, ...brief }),
    token({}),
    token({ boundObjectRef: { ...bound, kind: "Secret" } }),
    token({ boundObjectRef: { ...bound, apiVersion: "v2" } }),
    token({ boundObjectRef: { ...bound, uid: "" } }),
    token({ boundObjectRef: { ...bound, uid: "u" } }),
    token({ boundObjectRef: { ...bound, name: "nothing" } }),
    token({ boundObjectRef: { ...bound, name: "elsewhere", uid: "{elsewhere}" } }),
    token({ boundObjectRef: bound, audiences: ["a", "b"] }),
    token({ boundObjectRef: bound, audiences: ["a"] }),
    token({ boundObjectRef: bound }),
    token({ boundObjectRef: bound }, other),
    post(`${space}/serviceaccounts/spare/token`, { spec: {} }, { ...mine, ...brief }),
    ...clean,
  ],
  "audiences of tokens": [
    post(`${space}/serviceaccounts`, { metadata: { name: "account" } }, quiet),
    post(
      `${space}/pods`,
      pod("user", "n1", {
        serviceAccountName: "account",
        volumes: [
          { name: "a", projected: { sources: [{ serviceAccountToken: { path: "p", audience: "vault" } }] } },
          { name: "b", projected: { sources: [{ serviceAccountToken: { path: "p" } }] } },
        ],
      }),
      { ...settled, keep: { pod: "metadata.uid" } },
    ),
    ...[["vault"], [], ["other"], [""]].map((audiences) =>
      post(tokens, { spec: { boundObjectRef: bound, audiences } }, { ...mine, only: ["kind", "message"] }),
    ),
  ],
  leases: [
    del(`${leases}/kube-node-lease/leases/n1`, undefined, quiet),
    post(`${leases}/kube-node-lease/leases`, { metadata: { name: "n2" } }, { ...mine, ...brief }),
    post(`${leases}/kube-node-lease/leases`, { metadata: { generateName: "n1" } }, { ...mine, ...brief }),
    post(`${leases}/kube-node-lease/leases`, { metadata: { name: "n1" } }, { ...mine, only: ["kind", "message"] }),
    get(`${leases}/kube-node-lease/leases/n1`, { ...mine, only: ["kind", "message"] }),
    get(`${leases}/kube-node-lease/leases/n1`, { ...other, ...brief }),
    del(`${leases}/kube-node-lease/leases/n1`, undefined, { ...mine, only: ["kind", "message"] }),
    post(`${storage}/csinodes`, { metadata: { name: "n2" }, spec: { drivers: [] } }, { ...mine, ...brief }),
    post(
      `${storage}/csinodes`,
      { metadata: { name: "n1" }, spec: { drivers: [] } },
      { ...mine, only: ["kind", "message"] },
    ),
    del(`${storage}/csinodes/n1`, undefined, { ...mine, only: ["kind", "message"] }),
    get(`${slices}?fieldSelector=spec.nodeName%3Dn1`, { ...mine, only: ["kind", "message"] }),
    del(`${slices}?fieldSelector=spec.nodeName%3Dn2`, undefined, { ...mine, ...brief }),
    post(
      slices,
      {
        metadata: { name: "s" },
        spec: { nodeName: "n2", driver: "d", pool: { name: "p", generation: 1, resourceSliceCount: 1 } },
      },
      { ...mine, ...brief },
    ),
  ],
  "certificate requests": [
    "kubernetes.io/kubelet-serving",
    "kubernetes.io/kube-apiserver-client-kubelet",
    "example.com/x",
  ].map((signerName) =>
    post(
      "/apis/certificates.k8s.io/v1/certificatesigningrequests",
      { metadata: { name: "c" }, spec: { signerName, request: "bm9wZQ==", usages: ["client auth"] } },
      { ...mine, ...brief },
    ),
  ),
  "status of a claim": [
    ...scene,
    post(
      `${space}/persistentvolumeclaims`,
      {
        metadata: { name: "claim" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      },
      quiet,
    ),
    patch(
      "merge",
      `${space}/persistentvolumeclaims/claim/status`,
      { status: { capacity: { storage: "2Gi" } } },
      { ...mine, only: ["kind", "message"] },
    ),
    patch(
      "merge",
      `${space}/persistentvolumeclaims/claim/status`,
      { status: { phase: "Lost" } },
      { ...mine, ...brief },
    ),
    patch(
      "merge",
      `${space}/persistentvolumeclaims/claim/status`,
      { metadata: { labels: { a: "b" } } },
      { ...mine, ...brief },
    ),
    ...clean,
  ],
  "reviews of nodes": [
    review("system:node:", { verb: "get", resource: "secrets" }),
    review("system:node:n1", { verb: "get", resource: "secrets" }, []),
    review("node", { verb: "get", resource: "secrets" }),
    review("system:node:n1", { verb: "list", resource: "pods" }),
    review("system:node:n1", { verb: "list", resource: "pods", fieldSelector: { rawSelector: "spec.nodeName=n1" } }),
    review("system:node:n1", {
      verb: "list",
      resource: "pods",
      fieldSelector: { requirements: [{ key: "spec.nodeName", operator: "In", values: ["n1"] }] },
    }),
    review("system:node:n1", { verb: "*", resource: "*" }),
    review("system:node:n1", { verb: "create", resource: "events", group: "events.k8s.io" }),
    review("system:node:n1", { verb: "create", resource: "podcertificaterequests", group: "certificates.k8s.io" }),
    review("system:node:n1", { verb: "get", resource: "persistentvolumes", name: "x", namespace: "y" }),
    review("system:node:n1", { verb: "escalate", resource: "resourceslices", group: "resource.k8s.io" }),
    review("system:node:n1", {
      verb: "update",
      resource: "csinodes",
      subresource: "status",
      group: "storage.k8s.io",
      name: "n1",
    }),
  ],
  ...Object.fromEntries(paths.map((path) => [`a stranger at ${path}`, each(path, stranger)])),
});
