/** Pods: defaults, validation, mutable fields and deletion. */
import { defineTopic, del, get, patch, post, put } from "../../case.ts";
import { creates, life, table, updates, type Changes } from "../kinds/variants.ts";

const path = "/api/v1/namespaces/{ns}/pods";
const base = { metadata: { name: "a" }, spec: { containers: [{ name: "c", image: "nginx:1" }] } };
const pod = { path, base };
const probe = { httpGet: { port: 80 } };
const volume = (source: object): Changes => ({ "spec/volumes": [{ name: "v", ...source }] });
const container = (fields: object): Changes => ({ "spec/containers": [{ name: "c", image: "nginx:1", ...fields }] });
const init = (fields: object): Changes => ({ "spec/initContainers": [{ name: "i", image: "nginx:1", ...fields }] });
const resources = (limits: object, requests: object = {}): Changes => container({ resources: { limits, requests } });

const containers = {
  "refuses no containers": { "spec/containers": [] },
  "refuses a missing list": { "spec/containers": undefined },
  "refuses empty names and images": container({ name: "", image: "" }),
  "refuses bad names": container({ name: "A_b" }),
  "refuses the same name twice": { "spec/containers": [base.spec.containers[0], base.spec.containers[0]] },
  "refuses unknown policies": container({ imagePullPolicy: "X", terminationMessagePolicy: "Y" }),
  "refuses space around an image": container({ image: " nginx " }),
  "pulls what moves": container({ image: "nginx" }),
  "pulls latest": container({ image: "registry.example:5000/a/b:latest" }),
  "keeps digests": container({ image: `nginx@sha256:${"a".repeat(64)}` }),
  "fills in ports": container({ ports: [{ containerPort: 80 }, { containerPort: 81, protocol: "UDP", name: "dns" }] }),
  "refuses bad ports": container({
    ports: [
      { containerPort: 0 },
      { containerPort: 70000, name: "Not a name" },
      { containerPort: 80, protocol: "X", hostPort: 70000 },
      { containerPort: 80, name: "a-name-that-is-too-long" },
    ],
  }),
  "refuses repeated host ports": container({
    ports: [
      { containerPort: 80, hostPort: 80 },
      { containerPort: 81, hostPort: 80 },
    ],
  }),
  "warns about repeated ports": container({ ports: [{ containerPort: 80 }, { containerPort: 80, name: "x" }] }),
  "warns about repeated names": container({
    ports: [
      { containerPort: 80, name: "x" },
      { containerPort: 81, name: "x" },
    ],
  }),
  "warns about addresses without ports": container({ ports: [{ containerPort: 80, hostIP: "1.2.3.4" }] }),
  "takes variables": container({
    env: [
      { name: "A", value: "1" },
      { name: "B", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      { name: "C", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } },
      { name: "D", valueFrom: { configMapKeyRef: { name: "m", key: "k" } } },
      { name: "E", valueFrom: { secretKeyRef: { name: "m", key: "k", optional: true } } },
      { name: "F", valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
    ],
  }),
  "refuses bad variables": container({
    env: [
      { name: "" },
      { name: "A=B" },
      { name: "C", valueFrom: {} },
      { name: "D", value: "x", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      { name: "E", valueFrom: { fieldRef: { fieldPath: "spec.foo" } } },
      { name: "F", valueFrom: { fieldRef: { fieldPath: "metadata.labels" } } },
      { name: "G", valueFrom: { fieldRef: { fieldPath: "" } } },
      { name: "H", valueFrom: { fieldRef: { fieldPath: "metadata.name['x']" } } },
      { name: "I", valueFrom: { fieldRef: { apiVersion: "v2", fieldPath: "metadata.name" } } },
      { name: "J", valueFrom: { resourceFieldRef: { resource: "limits.foo" } } },
      { name: "K", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "3" } } },
      { name: "L", valueFrom: { configMapKeyRef: { name: "", key: "" } } },
      { name: "M", valueFrom: { secretKeyRef: { name: "A B", key: "a/b" } } },
      {
        name: "N",
        valueFrom: { fieldRef: { fieldPath: "metadata.name" }, secretKeyRef: { name: "a", key: "b" } },
      },
    ],
  }),
  "refuses bad sets of variables": container({
    envFrom: [
      {},
      { configMapRef: { name: "" } },
      { secretRef: { name: "A" } },
      { prefix: "A=", configMapRef: { name: "a" }, secretRef: { name: "b" } },
    ],
  }),
  "warns about hidden variables": container({
    env: [
      { name: "A", value: "1" },
      { name: "A", value: "2" },
      { name: "A", value: "$(A)3" },
    ],
  }),
  "fills in probes": container({
    livenessProbe: probe,
    readinessProbe: { tcpSocket: { port: "web" } },
    startupProbe: { grpc: { port: 90 } },
    lifecycle: { preStop: { httpGet: { port: 1 } }, postStart: { exec: { command: ["x"] } } },
  }),
  "refuses bad probes": container({
    livenessProbe: {
      successThreshold: 2,
      httpGet: { port: 0, scheme: "X", httpHeaders: [{ name: "a b", value: "" }] },
    },
    readinessProbe: { exec: { command: [] }, tcpSocket: { port: 1 }, terminationGracePeriodSeconds: 5 },
    startupProbe: { initialDelaySeconds: -1, timeoutSeconds: -1, periodSeconds: -1, failureThreshold: -1 },
    lifecycle: { preStop: {}, postStart: { sleep: { seconds: 100 } } },
  }),
  "refuses restart rules without a policy": container({ restartPolicyRules: [{ action: "X" }] }),
  "takes restart rules": container({
    restartPolicy: "Never",
    restartPolicyRules: [{ action: "Restart", exitCodes: { operator: "In", values: [1] } }],
  }),
  "refuses bad restart rules": container({
    restartPolicy: "X",
    restartPolicyRules: [{ action: "Y", exitCodes: { operator: "Z", values: [1] } }],
  }),
  "refuses bad resize policies": container({
    resizePolicy: [
      { resourceName: "cpu", restartPolicy: "X" },
      { resourceName: "cpu", restartPolicy: "NotRequired" },
      { resourceName: "gpu", restartPolicy: "NotRequired" },
    ],
  }),
  "takes sidecars": init({
    restartPolicy: "Always",
    livenessProbe: probe,
    lifecycle: { preStop: { sleep: { seconds: 1 } } },
  }),
  "refuses probes of init containers": init({
    livenessProbe: probe,
    readinessProbe: probe,
    startupProbe: probe,
    lifecycle: {},
  }),
  "refuses an init container of the same name": init({ name: "c" }),
  "refuses unknown policies of init containers": init({ restartPolicy: "Foo" }),
  "refuses ephemeral containers": { "spec/ephemeralContainers": [{ name: "e", image: "x" }] },
};

const amounts = {
  "asks for its limits": resources({ cpu: "1", memory: "1Gi" }),
  "is guaranteed": resources({ cpu: "1", memory: "1Gi" }, { cpu: "1000m", memory: "1024Mi" }),
  "is burstable": resources({}, { cpu: "100m" }),
  "rounds amounts": resources({ cpu: "0.0001", memory: "1.5" }),
  "refuses requests above limits": resources({ cpu: "1" }, { cpu: "2" }),
  "refuses negative amounts": resources({ cpu: "-1" }),
  "refuses unknown resources": resources({ foo: "1" }),
  "refuses names of requests": resources({ "requests.example.com/x": "1" }),
  "takes extended resources": resources({ "example.com/gpu": "2" }),
  "refuses parts of extended resources": resources({ "example.com/gpu": "1.5" }),
  "refuses other amounts of extended resources": resources({ "example.com/gpu": "2" }, { "example.com/gpu": "1" }),
  "refuses requests of extended resources alone": resources({}, { "example.com/gpu": "1" }),
  "refuses lonely huge pages": resources({ "hugepages-2Mi": "4Mi" }),
  "refuses parts of huge pages": resources({ "hugepages-2Mi": "3Mi", cpu: "1" }),
  "asks as a whole": { "spec/resources": { limits: { cpu: "2", memory: "2Gi" } } },
  "asks as a whole with containers": {
    "spec/resources": { limits: { cpu: "2" } },
    ...resources({}, { cpu: "500m", memory: "1Gi" }),
  },
  "refuses less than its containers": { "spec/resources": { requests: { cpu: "1" } }, ...resources({}, { cpu: "2" }) },
  "refuses other resources as a whole": { "spec/resources": { limits: { "example.com/gpu": "1" } } },
  "refuses unknown claims": container({ resources: { claims: [{ name: "x" }, { name: "" }] } }),
  "takes claims": {
    ...container({ resources: { claims: [{ name: "x" }] } }),
    "spec/resourceClaims": [{ name: "x", resourceClaimName: "y" }],
  },
  "refuses bad claims": {
    "spec/resourceClaims": [
      { name: "x" },
      { name: "x", resourceClaimName: "A", resourceClaimTemplateName: "b" },
      { name: "", resourceClaimName: "y" },
    ],
  },
  "warns about parts of bytes": resources({ memory: "100m" }),
};

const volumes = {
  "is empty by default": volume({}),
  "refuses two sources": volume({ emptyDir: {}, hostPath: { path: "/x" } }),
  "refuses no name": { "spec/volumes": [{ emptyDir: {} }] },
  "refuses the same name twice": { "spec/volumes": [{ name: "v" }, { name: "v" }] },
  "fills in files": {
    "spec/volumes": [
      { name: "a", secret: { secretName: "s" } },
      { name: "b", configMap: { name: "m" } },
      { name: "c", downwardAPI: { items: [{ path: "l", fieldRef: { fieldPath: "metadata.labels" } }] } },
      { name: "d", hostPath: { path: "/x" } },
      { name: "e", projected: { sources: [{ secret: { name: "s" } }] } },
      { name: "f", image: { reference: "nginx" } },
    ],
  },
  "fills in disks": {
    "spec/volumes": [
      { name: "a", iscsi: { targetPortal: "1.2.3.4", iqn: "iqn.2001-04.com.example:x", lun: 1 } },
      { name: "c", azureDisk: { diskName: "a", diskURI: "https://x" } },
    ],
  },
  "warns about old disks": {
    "spec/volumes": [
      { name: "b", rbd: { monitors: ["a"], image: "i" } },
      { name: "d", scaleIO: { gateway: "a", system: "b", volumeName: "c", secretRef: { name: "s" } } },
      { name: "e", gitRepo: { repository: "r" } },
      { name: "f", cephfs: { monitors: ["m"] } },
    ],
  },
  "refuses bad files": {
    "spec/volumes": [
      { name: "a", secret: { items: [{ key: "", path: "../x", mode: 4096 }], defaultMode: -1 } },
      { name: "b", configMap: { items: [{ key: "k", path: "/abs" }] } },
      { name: "c", downwardAPI: { items: [{ path: "" }, { path: "..x", fieldRef: { fieldPath: "spec.nodeName" } }] } },
      { name: "d", hostPath: { path: "/a/../b", type: "X" } },
      { name: "e", hostPath: { path: "" } },
      { name: "f", image: {} },
    ],
  },
  "refuses bad disks": {
    "spec/volumes": [
      { name: "a", iscsi: { targetPortal: "", iqn: "foo", lun: 300, chapAuthSession: true, initiatorName: "bar" } },
      { name: "b", rbd: { monitors: [], image: "" } },
      { name: "c", azureDisk: { diskName: "", diskURI: "x", kind: "Managed", cachingMode: "X" } },
      { name: "d", nfs: { server: "", path: "rel" } },
      { name: "e", fc: {} },
      { name: "f", flexVolume: { driver: "", options: { "kubernetes.io/x": "y" } } },
      { name: "g", csi: { driver: "A_b", nodePublishSecretRef: { name: "" } } },
      { name: "h", gcePersistentDisk: { pdName: "", partition: 300 } },
      { name: "i", persistentVolumeClaim: { claimName: "" } },
      { name: "j", ephemeral: {} },
    ],
  },
  "takes ephemeral claims": volume({
    ephemeral: {
      volumeClaimTemplate: {
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      },
    },
  }),
  "refuses bad ephemeral claims": volume({
    ephemeral: { volumeClaimTemplate: { metadata: { name: "x" }, spec: { accessModes: ["Foo"], resources: {} } } },
  }),
  "refuses conflicting projections": volume({
    projected: {
      sources: [
        { secret: { name: "s", items: [{ key: "a", path: "x" }] } },
        { configMap: { name: "m", items: [{ key: "a", path: "x" }] } },
        { secret: { name: "" }, configMap: { name: "m" } },
        { serviceAccountToken: { path: "", expirationSeconds: 5 } },
      ],
    },
  }),
  "warns about overlapping files": volume({
    configMap: {
      name: "m",
      items: [
        { key: "a", path: "x" },
        { key: "b", path: "x/y" },
      ],
    },
  }),
  mounts: {
    ...volume({ emptyDir: {} }),
    ...container({ volumeMounts: [{ name: "v", mountPath: "/v" }] }),
  },
  "refuses bad mounts": {
    ...volume({ emptyDir: {} }),
    ...container({
      volumeMounts: [
        { name: "w", mountPath: "/w" },
        { name: "", mountPath: "" },
        { name: "v", mountPath: "/v", subPath: "/abs", subPathExpr: "..", mountPropagation: "Bidirectional" },
        { name: "v", mountPath: "/v", recursiveReadOnly: "Enabled" },
        { name: "v", mountPath: "/x", mountPropagation: "X", recursiveReadOnly: "Y" },
      ],
      volumeDevices: [
        { name: "v", devicePath: "/a/../b" },
        { name: "", devicePath: "" },
      ],
    }),
  },
};

const policies = {
  "refuses unknown policies": { "spec/restartPolicy": "X", "spec/dnsPolicy": "Y", "spec/preemptionPolicy": "Z" },
  "refuses bad names": {
    "spec/nodeName": "A",
    "spec/hostname": "a.b",
    "spec/subdomain": "A",
    "spec/priorityClassName": "A b",
    "spec/runtimeClassName": "A",
    "spec/serviceAccountName": "A",
    "spec/schedulerName": "anything",
  },
  "refuses bad deadlines": { "spec/activeDeadlineSeconds": 0 },
  "waits at least a second": { "spec/terminationGracePeriodSeconds": -5 },
  "takes the old name of its account": { "spec/serviceAccount": "old" },
  "refuses bad selectors": { "spec/nodeSelector": { "a b": "c d" } },
  "warns about old labels": { "spec/nodeSelector": { "beta.kubernetes.io/os": "linux" } },
  "refuses bad resolvers": {
    "spec/dnsPolicy": "None",
    "spec/dnsConfig": {
      nameservers: ["x", "1.2.3.4", "010.1.1.1", "::ffff:1.2.3.4"],
      searches: ["A b"],
      options: [{ name: "" }],
    },
  },
  "needs resolvers": { "spec/dnsPolicy": "None" },
  "refuses bad gates": {
    "spec/readinessGates": [{ conditionType: "a b" }],
    "spec/schedulingGates": [{ name: "a b" }, { name: "x" }, { name: "x" }],
  },
  "waits for gates": { "spec/schedulingGates": [{ name: "example.com/x" }] },
  "refuses gates and a node": { "spec/schedulingGates": [{ name: "x" }], "spec/nodeName": "n" },
  "refuses bad aliases": { "spec/hostAliases": [{ ip: "x", hostnames: ["A"] }] },
  "warns about repetitions": {
    "spec/hostAliases": [{ ip: "1.1.1.1" }, { ip: "1.1.1.1" }],
    "spec/imagePullSecrets": [{ name: "a" }, { name: "a" }, { name: "" }],
  },
  "refuses bad tolerations": {
    "spec/tolerations": [
      { operator: "Equal" },
      { key: "a b", operator: "Exists", value: "x" },
      { key: "a", operator: "X" },
      { key: "a", operator: "Gt", value: "1" },
      { key: "a", value: "a b" },
      { key: "a", effect: "NoSchedule", tolerationSeconds: 1 },
      { key: "a", effect: "X" },
    ],
  },
  "refuses bad node affinities": {
    "spec/affinity": {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            {
              matchExpressions: [
                { key: "a", operator: "In" },
                { key: "a", operator: "Exists", values: ["x"] },
                { key: "a", operator: "Gt", values: [] },
                { key: "a b", operator: "X", values: ["a b"] },
              ],
              matchFields: [
                { key: "metadata.name", operator: "In", values: ["A", "b"] },
                { key: "x", operator: "Exists" },
              ],
            },
          ],
        },
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 0, preference: { matchExpressions: [{ key: "a", operator: "In", values: ["a b"] }] } },
        ],
      },
    },
  },
  "refuses empty node affinities": {
    "spec/affinity": {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } },
    },
  },
  "refuses bad pod affinities": {
    "spec/affinity": {
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: "" },
          { topologyKey: "a", namespaces: ["A"], labelSelector: { matchLabels: { a: "b c" } }, matchLabelKeys: ["a"] },
          { topologyKey: "a", matchLabelKeys: ["a"] },
        ],
      },
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 101, podAffinityTerm: { topologyKey: "a" } }],
      },
    },
  },
  "merges label keys": {
    "metadata/labels": { app: "x" },
    "spec/affinity": {
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: "a", labelSelector: {}, matchLabelKeys: ["app"], mismatchLabelKeys: ["other"] },
        ],
      },
    },
    "spec/topologySpreadConstraints": [
      { maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "DoNotSchedule", labelSelector: {}, matchLabelKeys: ["app"] },
    ],
  },
  "refuses bad spreading": {
    "spec/topologySpreadConstraints": [
      { maxSkew: 0, topologyKey: "", whenUnsatisfiable: "X", minDomains: 0, nodeAffinityPolicy: "Y" },
      { maxSkew: 1, topologyKey: "a", whenUnsatisfiable: "DoNotSchedule", labelSelector: {}, matchLabelKeys: ["a b"] },
      { maxSkew: 1, topologyKey: "a", whenUnsatisfiable: "DoNotSchedule", labelSelector: {}, nodeTaintsPolicy: "Z" },
    ],
  },
  "takes the ports of the host": { "spec/hostNetwork": true, ...container({ ports: [{ containerPort: 80 }] }) },
  "refuses other ports of the host": {
    "spec/hostNetwork": true,
    ...container({ ports: [{ containerPort: 80, hostPort: 81 }] }),
  },
  "refuses the host without its users": {
    "spec/hostUsers": false,
    "spec/hostNetwork": true,
    "spec/hostPID": true,
    "spec/hostIPC": true,
  },
  "refuses shared processes of the host": { "spec/hostPID": true, "spec/shareProcessNamespace": true },
  "refuses overrides of hostnames": {
    "spec/hostnameOverride": "A",
    "spec/setHostnameAsFQDN": true,
    "spec/hostNetwork": true,
  },
  "refuses unknown systems": { "spec/os": { name: "x" } },
  "refuses windows options on linux": {
    "spec/os": { name: "linux" },
    "spec/securityContext": { windowsOptions: { runAsUserName: "a" } },
  },
  "refuses linux options on windows": {
    "spec/os": { name: "windows" },
    "spec/hostPID": true,
    "spec/securityContext": { runAsUser: 1, fsGroup: 1, seccompProfile: { type: "Unconfined" } },
    ...container({ securityContext: { privileged: true, capabilities: {} } }),
  },
  "refuses tokens without an account": volume({ projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }),
};

const security = {
  "refuses bad contexts": {
    "spec/securityContext": {
      runAsUser: -1,
      runAsGroup: -1,
      fsGroup: -1,
      supplementalGroups: [-1],
      fsGroupChangePolicy: "X",
      supplementalGroupsPolicy: "Y",
      seLinuxChangePolicy: "Z",
      seccompProfile: { type: "Foo" },
      appArmorProfile: { type: "Bar" },
      sysctls: [
        { name: "", value: "" },
        { name: "A", value: "" },
        { name: "a.b", value: "" },
        { name: "a.b", value: "" },
      ],
    },
  },
  "refuses profiles without a file": {
    "spec/securityContext": { seccompProfile: { type: "Localhost" }, appArmorProfile: { type: "Localhost" } },
  },
  "refuses profiles with a file": {
    "spec/securityContext": {
      seccompProfile: { type: "Unconfined", localhostProfile: "x" },
      appArmorProfile: { type: "Unconfined", localhostProfile: "x" },
    },
  },
  "refuses bad contexts of containers": container({
    securityContext: {
      runAsUser: -1,
      procMount: "X",
      allowPrivilegeEscalation: false,
      privileged: true,
      capabilities: { add: ["CAP_SYS_ADMIN"] },
      seccompProfile: { type: "" },
    },
  }),
  "refuses parameters of the host": {
    "spec/hostNetwork": true,
    "spec/hostIPC": true,
    "spec/securityContext": {
      sysctls: [
        { name: "net.x", value: "1" },
        { name: "kernel.sem", value: "1" },
      ],
    },
  },
  "refuses windows users": {
    "spec/securityContext": {
      windowsOptions: { runAsUserName: "a\\b\\c", gmsaCredentialSpecName: "A", gmsaCredentialSpec: "" },
    },
  },
  "refuses some processes of the host": {
    ...container({ securityContext: { windowsOptions: { hostProcess: true } } }),
    ...init({}),
  },
  "takes old profiles": {
    "metadata/annotations": { "container.apparmor.security.beta.kubernetes.io/c": "runtime/default" },
  },
  "refuses bad annotations": {
    "metadata/annotations": {
      "container.apparmor.security.beta.kubernetes.io/d": "foo",
    },
  },
  "refuses bad costs": { "metadata/annotations": { "controller.kubernetes.io/pod-deletion-cost": "+1" } },
  "refuses mirrors without a node": { "metadata/annotations": { "kubernetes.io/config.mirror": "x" } },
  "refuses unqualified finalizers": { "metadata/finalizers": ["x"] },
};

const changes = {
  "changes an image": container({ image: "nginx:2" }),
  "refuses another name": { "spec/containers": [{ name: "d", image: "nginx:1" }] },
  "refuses another command": container({ command: ["x"] }),
  "refuses more containers": { "spec/containers": [base.spec.containers[0], { name: "d", image: "x" }] },
  "refuses another node": { "spec/nodeName": "n" },
  "refuses another hostname": { "spec/hostname": "h" },
  "refuses an empty image": container({ image: "" }),
  "sets a deadline": { "spec/activeDeadlineSeconds": 10 },
  "adds annotations": { "metadata/annotations": { a: "b" } },
  "refuses new AppArmor annotations": {
    "metadata/annotations": { "container.apparmor.security.beta.kubernetes.io/c": "runtime/default" },
  },
  "refuses other amounts": resources({ cpu: "1" }),
  "refuses volumes": volume({ emptyDir: {} }),
};

const a = `${path}/a`;
const make = post(path, base, { quiet: true });
const budgets = "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets";
const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "a" } };
const ready = { type: "Ready", status: "True" };

export const pods = defineTopic("pods", {
  ...creates("pod", pod, { ...containers, ...amounts, ...volumes, ...policies, ...security }),
  ...updates("pod", pod, changes),
  ...life("pod", pod),
  "selects by fields": [
    make,
    get(`${path}?fieldSelector=spec.nodeName=,status.phase=Pending`),
    get(`${path}?fieldSelector=spec.foo=x`),
  ],
  "reports its status": [
    make,
    patch("merge", `${a}/status`, {
      status: { phase: "Running", podIP: "1.2.3.4", conditions: [{ type: "Ready", status: "True" }] },
    }),
    patch("merge", `${a}/status`, {
      status: { qosClass: "Guaranteed", podIPs: [{ ip: "x" }], conditions: [{ type: "a b", status: "True" }] },
    }),
    patch("merge", `${a}/status`, { spec: { nodeName: "x" } }),
    get(a, { accept: table }),
  ],
  "ends and stays ended": [
    make,
    patch("merge", `${a}/status`, {
      status: {
        containerStatuses: [
          { name: "c", image: "i", imageID: "", ready: false, restartCount: 3, state: { terminated: { exitCode: 1 } } },
        ],
      },
    }),
    get(a, { accept: table }),
  ],
  "does not come back": [
    post(path, { ...base, spec: { ...base.spec, restartPolicy: "Never" } }, { quiet: true }),
    patch(
      "merge",
      `${a}/status`,
      {
        status: {
          containerStatuses: [
            {
              name: "c",
              image: "i",
              imageID: "",
              ready: false,
              restartCount: 0,
              state: { terminated: { exitCode: 0 } },
            },
          ],
        },
      },
      { quiet: true },
    ),
    patch("merge", `${a}/status`, {
      status: {
        containerStatuses: [
          { name: "c", image: "i", imageID: "", ready: true, restartCount: 0, state: { running: {} } },
        ],
      },
    }),
  ],
  "gets ephemeral containers": [
    make,
    patch("strategic", `${a}/ephemeralcontainers`, { spec: { ephemeralContainers: [{ name: "e", image: "x" }] } }),
    patch("strategic", `${a}/ephemeralcontainers`, { spec: { ephemeralContainers: [{ name: "e", image: "y" }] } }),
    patch("strategic", `${a}/ephemeralcontainers`, {
      spec: {
        ephemeralContainers: [{ name: "f", image: "x", ports: [{ containerPort: 1 }], targetContainerName: "z" }],
      },
    }),
  ],
  "is resized": [
    post(
      path,
      { ...base, spec: { containers: [{ name: "c", image: "x", resources: { requests: { cpu: "1" } } }] } },
      { quiet: true },
    ),
    patch("strategic", `${a}/resize`, { spec: { containers: [{ name: "c", resources: { requests: { cpu: "2" } } }] } }),
    patch("strategic", `${a}/resize`, {
      spec: {
        containers: [
          { name: "c", resources: { limits: { cpu: "2", memory: "1Gi" }, requests: { cpu: "2", memory: "1Gi" } } },
        ],
      },
    }),
    patch("strategic", `${a}/resize`, {
      spec: { containers: [{ name: "c", resources: { requests: { "example.com/x": "1" } } }] },
    }),
    patch("strategic", `${a}/resize`, { spec: { containers: [{ name: "d", image: "x" }] } }),
  ],
  "is bound": [
    make,
    post(`${a}/binding`, { metadata: { name: "a" }, target: { kind: "Node", name: "n" } }),
    post(`${a}/binding`, { metadata: { name: "a" }, target: { kind: "Node", name: "m" } }),
    get(a),
  ],
  "refuses bindings without a name": [
    post("/api/v1/namespaces/{ns}/bindings", {}),
    post("/api/v1/namespaces/{ns}/bindings", { target: { name: "n" } }),
    post("/api/v1/namespaces/{ns}/bindings", { target: { kind: "Pod", name: "n" } }),
    post("/api/v1/namespaces/{ns}/bindings", { metadata: { name: "a/b" }, target: { name: "n" } }),
  ],
  "refuses bad bindings": [
    make,
    post(`${a}/binding`, { metadata: { name: "b" }, target: { name: "n" } }),
    post(`${a}/binding`, { metadata: { name: "a" }, target: { kind: "Pod", name: "" } }),
  ],
  "is evicted": [
    make,
    post(`${a}/eviction`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "a" } }),
    get(a),
  ],
  "refuses bad evictions": [
    make,
    post(`${a}/eviction`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "b" } }),
    post(`${a}/eviction`, {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name: "a" },
      deleteOptions: { preconditions: { uid: "x" } },
    }),
  ],
  "is evicted as its budget allows": [
    post(path, { metadata: { name: "a", labels: { app: "a" } }, spec: base.spec }, { quiet: true }),
    patch("merge", `${a}/status`, { status: { phase: "Running", conditions: [ready] } }, { quiet: true }),
    post(
      budgets,
      { metadata: { name: "b" }, spec: { minAvailable: 1, selector: { matchLabels: { app: "a" } } } },
      { quiet: true },
    ),
    post(`${a}/eviction`, eviction),
    patch(
      "merge",
      `${budgets}/b/status`,
      {
        status: { observedGeneration: 1, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1, disruptionsAllowed: 0 },
      },
      { quiet: true },
    ),
    post(`${a}/eviction`, eviction),
    patch("merge", `${budgets}/b/status`, { status: { disruptionsAllowed: 1 } }, { quiet: true }),
    post(`${a}/eviction?dryRun=All`, eviction),
    post(`${a}/eviction`, eviction),
    get(`${budgets}/b`, { only: ["status"] }),
    get(a),
  ],
  "goes at once without a node": [make, del(a), get(a)],
  "goes slowly from a node": [
    make,
    post(`${a}/binding`, { metadata: { name: "a" }, target: { name: "n" } }, { quiet: true }),
    del(a),
    del(`${a}?gracePeriodSeconds=5`),
    del(`${a}?gracePeriodSeconds=0`),
    get(a),
  ],
  "goes at once when over": [
    make,
    post(`${a}/binding`, { metadata: { name: "a" }, target: { name: "n" } }, { quiet: true }),
    patch("merge", `${a}/status`, { status: { phase: "Succeeded" } }, { quiet: true }),
    get(a, { accept: table }),
    del(a),
    get(a),
  ],
  "refuses bad logs": [make, get(`${a}/log?container=x`), get(`${a}/log?tailLines=-1&limitBytes=0`)],
  "keeps its gates until they are removed": [
    post(
      path,
      { ...base, spec: { ...base.spec, schedulingGates: [{ name: "x" }], nodeSelector: { a: "b" } } },
      { quiet: true },
    ),
    patch("merge", a, { spec: { nodeSelector: { c: "d" } } }),
    patch("merge", a, { spec: { nodeSelector: { a: "x" } } }),
    patch("merge", a, { spec: { schedulingGates: [{ name: "y" }] } }),
    patch("merge", a, { spec: { schedulingGates: [{ name: "y" }, { name: "y" }] } }),
    patch("merge", a, { spec: { schedulingGates: null } }),
  ],
  "adds tolerations": [
    post(path, { ...base, spec: { ...base.spec, tolerations: [{ key: "a", operator: "Exists" }] } }, { quiet: true }),
    patch("merge", a, { spec: { tolerations: [{ key: "b", operator: "Exists" }] } }),
    patch("merge", a, {
      spec: {
        tolerations: [
          { key: "a", operator: "Exists" },
          { key: "b", operator: "Exists" },
        ],
      },
    }),
  ],
  "brings deadlines nearer": [
    post(path, { ...base, spec: { ...base.spec, activeDeadlineSeconds: 10 } }, { quiet: true }),
    patch("merge", a, { spec: { activeDeadlineSeconds: 5 } }),
    patch("merge", a, { spec: { activeDeadlineSeconds: 50 } }),
    patch("merge", a, { spec: { activeDeadlineSeconds: null } }),
  ],
  "is named badly": [
    post(path, { ...base, metadata: { name: "a.b" } }),
    post(path, { ...base, metadata: { name: "A" } }),
  ],
  "is replaced": [make, put(a, base), put(a, { ...base, metadata: { name: "a", labels: { x: "y" } } })],
});
