/** Adversarial requests about rules: authorization, admission, quotas, addresses, certificates, field managers. */
import { defineTopic, del, get, patch, post, put, type Step } from "../../case.ts";

const quiet = { quiet: true };
const maps = "/api/v1/namespaces/{ns}/configmaps";
const pods = "/api/v1/namespaces/{ns}/pods";
const services = "/api/v1/namespaces/{ns}/services";
const rbac = "/apis/rbac.authorization.k8s.io/v1";
const deployments = "/apis/apps/v1/namespaces/{ns}/deployments";
const reviews = "/apis/authorization.k8s.io/v1";
const container = { name: "c", image: "i" };
const pod = (name: string, spec: object = {}, metadata: object = {}): object => ({
  metadata: { name, ...metadata },
  spec: { containers: [container], ...spec },
});
const template = { metadata: { labels: { a: "b" } }, spec: { containers: [container] } };
const apply = (path: string, manager: string, body: object, more = ""): Step =>
  patch("apply", `${path}?fieldManager=${manager}${more}`, { apiVersion: "v1", kind: "ConfigMap", ...body });
const asAlice = { as: "alice" } as const;

export const hostileRules = defineTopic("hostile-rules", {
  "owners of fields at the edges": [
    apply(`${maps}/a`, "one", { metadata: { name: "a", labels: { x: "1" } }, data: { k: "v" } }),
    apply(`${maps}/a`, "two", { metadata: { name: "a" }, data: { k: "v" } }),
    apply(`${maps}/a`, "two", { metadata: { name: "a" }, data: { k: "w" } }),
    apply(`${maps}/a`, "two", { metadata: { name: "a" }, data: { k: "w" } }, "&force=true"),
    apply(`${maps}/a`, "one", { metadata: { name: "a" } }),
    apply(`${maps}/a`, "two", { metadata: { name: "a" } }),
    apply(`${maps}/a`, "three", { metadata: { name: "a", managedFields: [] } }),
    apply(`${maps}/a`, "three", { metadata: { name: "a", resourceVersion: "1" } }),
    apply(`${maps}/a`, "three", { metadata: { name: "a", uid: "nope" } }),
    apply(`${maps}/b`, "three", { metadata: { name: "b", uid: "nope" } }),
    apply(`${maps}/b`, "three", { metadata: { name: "b", resourceVersion: "1" } }),
    apply(`${maps}/b`, "", { metadata: { name: "b" } }),
    apply(`${maps}/b`, "x".repeat(129), { metadata: { name: "b" } }),
    apply(`${maps}/b`, "a%0Ab", { metadata: { name: "b" } }),
    apply(`${maps}/b`, "m", { metadata: { name: "b" }, data: { a: 1 } }),
    apply(`${maps}/b`, "m", { metadata: { name: "b" }, nope: {} }),
    apply(`${maps}/b`, "m", { metadata: { generateName: "b" } }),
    patch("merge", `${maps}/a`, { metadata: { managedFields: [] } }),
    patch("merge", `${maps}/a`, {
      metadata: {
        managedFields: [
          { manager: "x", operation: "Apply", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: { "f:data": {} } },
        ],
      },
    }),
    patch("merge", `${maps}/a`, {
      metadata: {
        managedFields: [
          { manager: "x", operation: "Nope", apiVersion: "v1", fieldsType: "FieldsV2", fieldsV1: { "q:data": {} } },
        ],
      },
    }),
    put(`${maps}/a?fieldManager=putter`, { metadata: { name: "a", managedFields: [{}] }, data: { z: "1" } }),
  ],
  "owners of lists": [
    patch("apply", `${deployments}/d?fieldManager=one`, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "d" },
      spec: {
        selector: { matchLabels: { a: "b" } },
        template: {
          metadata: { labels: { a: "b" } },
          spec: { containers: [{ name: "c", image: "i", env: [{ name: "A", value: "1" }] }] },
        },
      },
    }),
    patch("apply", `${deployments}/d?fieldManager=two`, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "d" },
      spec: { template: { spec: { containers: [{ name: "c", env: [{ name: "B", value: "2" }] }] } } },
    }),
    patch("apply", `${deployments}/d?fieldManager=two`, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "d" },
      spec: { template: { spec: { containers: [{ name: "c", env: [{ name: "A", value: "9" }] }] } } },
    }),
    patch("apply", `${deployments}/d?fieldManager=two`, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "d" },
      spec: { template: { spec: { containers: [{ env: [] }] } } },
    }),
    patch("apply", `${deployments}/d?fieldManager=two`, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "d" },
      spec: { template: { spec: { containers: [{ name: "c", env: [{ name: "A" }, { name: "A" }] }] } } },
    }),
    patch("apply", `${deployments}/d?fieldManager=two`, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "d" },
      spec: { replicas: null },
    }),
    patch("apply", `${deployments}/d?fieldManager=two`, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "d" },
      spec: { replicas: "3" },
    }),
    patch("apply", `${deployments}/d/status?fieldManager=two`, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "d" },
      status: { replicas: 3 },
      spec: { replicas: 9 },
    }),
    patch("strategic", `${deployments}/d`, {
      spec: {
        template: {
          spec: {
            containers: [
              { name: "c", $patch: "delete" },
              { name: "e", image: "j" },
            ],
          },
        },
      },
    }),
    patch("strategic", `${deployments}/d`, {
      spec: {
        template: {
          spec: {
            $setElementOrder: 1,
            "$setElementOrder/containers": [{ name: "e" }, { name: "c" }],
            containers: [{ name: "c", image: "x" }],
          },
        },
      },
    }),
    patch("strategic", `${deployments}/d`, { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } }),
    patch("strategic", `${deployments}/d`, { spec: { template: { spec: { containers: [{ image: "nameless" }] } } } }),
    patch("strategic", `${deployments}/d`, { metadata: { "$deleteFromPrimitiveList/finalizers": ["a"] } }),
    get(`${deployments}/d`),
  ],
  "who may do what": [
    get(maps, asAlice),
    post(maps, { metadata: { name: "x" } }, asAlice),
    post(
      `${rbac}/namespaces/{ns}/roles`,
      {
        metadata: { name: "r" },
        rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "create", "list"], resourceNames: ["a"] }],
      },
      quiet,
    ),
    post(
      `${rbac}/namespaces/{ns}/rolebindings`,
      {
        metadata: { name: "r" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" },
        subjects: [{ kind: "User", name: "alice" }],
      },
      { quiet: true, settle: 300 },
    ),
    get(`${maps}/a`, asAlice),
    get(`${maps}/b`, asAlice),
    get(maps, asAlice),
    get(`${maps}?fieldSelector=metadata.name%3Da`, asAlice),
    post(maps, { metadata: { name: "a" } }, asAlice),
    del(`${maps}/a`, undefined, asAlice),
    put(`${maps}/a`, { metadata: { name: "a" } }, asAlice),
    patch("merge", `${maps}/a`, {}, asAlice),
    patch(
      "apply",
      `${maps}/a?fieldManager=m`,
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } },
      asAlice,
    ),
    get(`${pods}/p/log`, asAlice),
    post(`${pods}/p/eviction`, { metadata: { name: "p" } }, asAlice),
    get("/metrics", asAlice),
    get("/healthz", asAlice),
    post(
      `${rbac}/namespaces/{ns}/roles`,
      { metadata: { name: "mine" }, rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }] },
      asAlice,
    ),
    post(
      `${rbac}/clusterrolebindings`,
      {
        metadata: { name: "root-{ns}" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
        subjects: [{ kind: "User", name: "alice" }],
      },
      asAlice,
    ),
  ],
  "giving away what one does not hold": [
    post(
      `${rbac}/namespaces/{ns}/roles`,
      {
        metadata: { name: "maker" },
        rules: [
          {
            apiGroups: ["rbac.authorization.k8s.io"],
            resources: ["roles", "rolebindings"],
            verbs: ["create", "update", "get", "patch"],
          },
          { apiGroups: [""], resources: ["pods"], verbs: ["get"] },
        ],
      },
      quiet,
    ),
    post(
      `${rbac}/namespaces/{ns}/rolebindings`,
      {
        metadata: { name: "maker" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "maker" },
        subjects: [{ kind: "User", name: "alice", apiGroup: "rbac.authorization.k8s.io" }],
      },
      { quiet: true, settle: 300 },
    ),
    post(
      `${rbac}/namespaces/{ns}/roles`,
      { metadata: { name: "ok" }, rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] },
      asAlice,
    ),
    post(
      `${rbac}/namespaces/{ns}/roles`,
      {
        metadata: { name: "more" },
        rules: [
          { apiGroups: ["", "apps"], resources: ["pods", "secrets"], verbs: ["get", "list"], resourceNames: ["a"] },
        ],
      },
      asAlice,
    ),
    patch(
      "merge",
      `${rbac}/namespaces/{ns}/roles/ok`,
      { rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }] },
      asAlice,
    ),
    patch("merge", `${rbac}/namespaces/{ns}/roles/ok`, { metadata: { labels: { a: "b" } } }, asAlice),
    post(
      `${rbac}/namespaces/{ns}/rolebindings`,
      {
        metadata: { name: "more" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "admin" },
        subjects: [],
      },
      asAlice,
    ),
    post(
      `${rbac}/namespaces/{ns}/rolebindings`,
      {
        metadata: { name: "own" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "ok" },
        subjects: [{ kind: "Group", name: "g" }],
      },
      asAlice,
    ),
    patch(
      "merge",
      `${rbac}/namespaces/{ns}/rolebindings/own`,
      { roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "maker" } },
      asAlice,
    ),
    post(
      `${rbac}/namespaces/{ns}/rolebindings`,
      {
        metadata: { name: "nowhere" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "missing" },
      },
      asAlice,
    ),
  ],
  "acting as others": [
    get(maps, { headers: { "impersonate-user": "bob" } }),
    get(maps, { headers: { "impersonate-user": "bob", "impersonate-group": "system:masters" }, only: ["kind"] }),
    get(maps, { headers: { "impersonate-group": "g" } }),
    get(maps, { headers: { "impersonate-uid": "u" } }),
    get(maps, { headers: { "impersonate-extra-scopes": "u" } }),
    get(maps, { headers: { "impersonate-user": "bob" }, as: "alice" }),
    get(maps, { headers: { "impersonate-user": "system:serviceaccount:{ns}:default" } }),
    post(
      "/apis/authentication.k8s.io/v1/selfsubjectreviews",
      {},
      { headers: { "impersonate-user": "system:serviceaccount:{ns}:x" } },
    ),
    post(
      "/apis/authentication.k8s.io/v1/selfsubjectreviews",
      {},
      { headers: { "impersonate-user": "bob", "impersonate-uid": "1", "impersonate-extra-a%2fb": "c" } },
    ),
    post(
      "/apis/authentication.k8s.io/v1/selfsubjectreviews",
      {},
      { headers: { "impersonate-user": "system:anonymous" } },
    ),
    post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, { as: "nobody" }),
    post("/apis/authentication.k8s.io/v1/selfsubjectreviews", { status: { userInfo: { username: "x" } } }, asAlice),
  ],
  reviews: [
    post(`${reviews}/selfsubjectaccessreviews`, { spec: {} }),
    post(`${reviews}/selfsubjectaccessreviews`, {
      spec: { resourceAttributes: { verb: "get", resource: "pods" }, nonResourceAttributes: { path: "/" } },
    }),
    post(`${reviews}/selfsubjectaccessreviews`, {
      spec: { resourceAttributes: { namespace: "{ns}", verb: "*", resource: "*", group: "*" } },
    }),
    post(
      `${reviews}/selfsubjectaccessreviews`,
      {
        spec: {
          resourceAttributes: { namespace: "{ns}", verb: "get", resource: "pods", subresource: "log", name: "x" },
        },
      },
      asAlice,
    ),
    post(`${reviews}/selfsubjectaccessreviews`, {
      metadata: { name: "x" },
      spec: { resourceAttributes: { verb: "get", resource: "pods" } },
    }),
    post(`${reviews}/subjectaccessreviews`, { spec: { resourceAttributes: { verb: "get", resource: "pods" } } }),
    post(`${reviews}/subjectaccessreviews`, {
      spec: { user: "x", groups: ["system:masters"], resourceAttributes: { verb: "get", resource: "pods" } },
    }),
    post(`${reviews}/subjectaccessreviews`, {
      spec: { user: "x", resourceAttributes: { verb: "get", resource: "pods", fieldSelector: { rawSelector: "a=b" } } },
    }),
    post(`${reviews}/subjectaccessreviews`, {
      spec: {
        user: "x",
        resourceAttributes: { verb: "list", resource: "pods", labelSelector: { rawSelector: "a in (" } },
      },
    }),
    post(`${reviews}/subjectaccessreviews`, {
      spec: { user: "x", nonResourceAttributes: { path: "/healthz", verb: "get" } },
    }),
    post(`${reviews}/subjectaccessreviews`, { spec: { user: "x" } }, asAlice),
    post(`${reviews}/namespaces/{ns}/localsubjectaccessreviews`, {
      spec: { user: "x", resourceAttributes: { verb: "get", resource: "pods" } },
    }),
    post(`${reviews}/namespaces/{ns}/localsubjectaccessreviews`, {
      spec: { user: "x", resourceAttributes: { namespace: "other", verb: "get", resource: "pods" } },
    }),
    post(`${reviews}/namespaces/{ns}/localsubjectaccessreviews`, {
      metadata: { namespace: "{ns}" },
      spec: { user: "x", nonResourceAttributes: { path: "/" } },
    }),
    post(`${reviews}/selfsubjectrulesreviews`, { spec: {} }),
    post("/apis/authentication.k8s.io/v1/tokenreviews", { spec: {} }),
    post("/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token: "nope" } }),
    post("/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token: "a.b.c", audiences: ["x"] } }),
    post("/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token: "x" } }, asAlice),
    get("/apis/authentication.k8s.io/v1/tokenreviews"),
  ],
  "tokens of accounts": [
    post("/api/v1/namespaces/{ns}/serviceaccounts", { metadata: { name: "sa" } }, quiet),
    post("/api/v1/namespaces/{ns}/serviceaccounts/sa/token", { spec: { expirationSeconds: 10 } }),
    post("/api/v1/namespaces/{ns}/serviceaccounts/sa/token", { spec: { expirationSeconds: 4294967297 } }),
    post("/api/v1/namespaces/{ns}/serviceaccounts/sa/token", {
      spec: { boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "nope" } },
    }),
    post("/api/v1/namespaces/{ns}/serviceaccounts/sa/token", {
      spec: { boundObjectRef: { kind: "ConfigMap", apiVersion: "v1", name: "x" } },
    }),
    post("/api/v1/namespaces/{ns}/serviceaccounts/nope/token", { spec: {} }),
    post("/api/v1/namespaces/{ns}/serviceaccounts/sa/token", { metadata: { name: "other" }, spec: {} }),
    post(
      "/api/v1/namespaces/{ns}/serviceaccounts/sa/token",
      { spec: { audiences: ["a", "b"], expirationSeconds: 600 } },
      { only: ["kind", "metadata", "spec"] },
    ),
  ],
  "quotas and limits": [
    post(
      "/api/v1/namespaces/{ns}/resourcequotas",
      {
        metadata: { name: "q" },
        spec: { hard: { pods: "1", "requests.cpu": "1", "count/configmaps": "0", services: "0" } },
      },
      quiet,
    ),
    put(
      "/api/v1/namespaces/{ns}/resourcequotas/q/status",
      {
        metadata: { name: "q" },
        spec: { hard: { pods: "1" } },
        status: {
          hard: { pods: "1", "requests.cpu": "1", "count/configmaps": "0", services: "0" },
          used: { pods: "0", "requests.cpu": "0", "count/configmaps": "0", services: "0" },
        },
      },
      { quiet: true, settle: 500 },
    ),
    post(pods, pod("a")),
    post(pods, pod("a", { containers: [{ ...container, resources: { requests: { cpu: "2" } } }] })),
    post(maps, { metadata: { name: "x" } }),
    post(services, { metadata: { name: "s" }, spec: { ports: [{ port: 80 }] } }),
    post(
      "/api/v1/namespaces/{ns}/limitranges",
      {
        metadata: { name: "l" },
        spec: {
          limits: [
            {
              type: "Container",
              max: { cpu: "500m" },
              min: { cpu: "100m" },
              default: { cpu: "400m" },
              defaultRequest: { cpu: "200m" },
              maxLimitRequestRatio: { cpu: "2" },
            },
            { type: "Pod", max: { cpu: "600m" } },
          ],
        },
      },
      { quiet: true, settle: 500 },
    ),
    post(`${pods}?dryRun=All`, pod("b")),
    post(
      `${pods}?dryRun=All`,
      pod("b", { containers: [{ ...container, resources: { requests: { cpu: "50m" }, limits: { cpu: "1" } } }] }),
    ),
    post(`${pods}?dryRun=All`, pod("b", { containers: [container, { name: "d", image: "i" }] })),
    post("/api/v1/namespaces/{ns}/limitranges?dryRun=All", {
      metadata: { name: "bad" },
      spec: {
        limits: [
          { type: "Pod", default: { cpu: "1" } },
          { type: "Container", min: { cpu: "2" }, max: { cpu: "1" } },
          { type: "Nope" },
        ],
      },
    }),
    post("/api/v1/namespaces/{ns}/resourcequotas?dryRun=All", {
      metadata: { name: "bad" },
      spec: { hard: { "nope/": "1", pods: "-1", cpu: "x1" } },
    }),
    post("/api/v1/namespaces/{ns}/resourcequotas?dryRun=All", {
      metadata: { name: "bad" },
      spec: { scopes: ["BestEffort", "NotBestEffort"], hard: { cpu: "1" } },
    }),
  ],
  "levels of security": [
    patch(
      "merge",
      "/api/v1/namespaces/{ns}",
      {
        metadata: {
          labels: { "pod-security.kubernetes.io/enforce": "restricted", "pod-security.kubernetes.io/warn": "baseline" },
        },
      },
      { quiet: true, settle: 500 },
    ),
    post(`${pods}?dryRun=All`, pod("a")),
    post(`${pods}?dryRun=All`, pod("a", { hostNetwork: true, volumes: [{ name: "v", hostPath: { path: "/" } }] })),
    post(
      `${pods}?dryRun=All`,
      pod("a", {
        securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
        containers: [
          { ...container, securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } } },
        ],
      }),
    ),
    post(
      `${pods}?dryRun=All`,
      pod("a", {
        securityContext: { runAsNonRoot: true, runAsUser: 0, seccompProfile: { type: "Unconfined" } },
        containers: [
          {
            ...container,
            securityContext: { privileged: true, allowPrivilegeEscalation: true, capabilities: { add: ["NET_ADMIN"] } },
          },
        ],
      }),
    ),
    post(
      `${deployments}?dryRun=All`,
      { metadata: { name: "d" }, spec: { selector: { matchLabels: { a: "b" } }, template } },
      { only: ["kind", "metadata"] },
    ),
    patch("merge", "/api/v1/namespaces/{ns}?dryRun=All", {
      metadata: { labels: { "pod-security.kubernetes.io/enforce": "nope" } },
    }),
    patch("merge", "/api/v1/namespaces/{ns}?dryRun=All", {
      metadata: {
        labels: {
          "pod-security.kubernetes.io/enforce-version": "v1.9999",
          "pod-security.kubernetes.io/audit-version": "x",
        },
      },
    }),
  ],
  "addresses and ports": [
    post(`${services}?dryRun=All`, {
      metadata: { name: "s" },
      spec: { clusterIP: "10.0.0.300", ports: [{ port: 80 }] },
    }),
    post(`${services}?dryRun=All`, {
      metadata: { name: "s" },
      spec: { clusterIP: "192.168.1.1", ports: [{ port: 80 }] },
    }),
    post(`${services}?dryRun=All`, {
      metadata: { name: "s" },
      spec: { clusterIP: "None", type: "NodePort", ports: [{ port: 80 }] },
    }),
    post(`${services}?dryRun=All`, {
      metadata: { name: "s" },
      spec: { type: "NodePort", ports: [{ port: 80, nodePort: 80 }] },
    }),
    post(`${services}?dryRun=All`, {
      metadata: { name: "s" },
      spec: {
        type: "NodePort",
        ports: [
          { port: 80, nodePort: 30999 },
          { port: 81, nodePort: 30999 },
        ],
      },
    }),
    post(`${services}?dryRun=All`, {
      metadata: { name: "s" },
      spec: { type: "ExternalName", externalName: "Not Valid" },
    }),
    post(`${services}?dryRun=All`, {
      metadata: { name: "s" },
      spec: { type: "ExternalName", externalName: "a.b", clusterIP: "10.0.0.9" },
    }),
    post(`${services}?dryRun=All`, { metadata: { name: "s" }, spec: { ports: [{ port: 80 }, { port: 80 }] } }),
    post(`${services}?dryRun=All`, {
      metadata: { name: "s" },
      spec: {
        ports: [
          { name: "a", port: 80 },
          { name: "a", port: 81, protocol: "SCTP" },
        ],
      },
    }),
    post(`${services}?dryRun=All`, { metadata: { name: "s" }, spec: { ipFamilies: ["IPv6"], ports: [{ port: 80 }] } }),
    post(`${services}?dryRun=All`, {
      metadata: { name: "s" },
      spec: { ipFamilyPolicy: "RequireDualStack", ports: [{ port: 80 }] },
    }),
    post(`${services}?dryRun=All`, {
      metadata: { name: "s" },
      spec: {
        sessionAffinity: "ClientIP",
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 0 } },
        ports: [{ port: 80 }],
      },
    }),
    post(`${services}?dryRun=All`, {
      metadata: { name: "s" },
      spec: {
        type: "LoadBalancer",
        loadBalancerSourceRanges: ["1.2.3.4/33"],
        allocateLoadBalancerNodePorts: false,
        ports: [{ port: 80 }],
      },
    }),
    post(`${services}?dryRun=All`, {
      metadata: { name: "s" },
      spec: { externalIPs: ["127.0.0.1", "x"], ports: [{ port: 80 }] },
    }),
    post(`${services}?dryRun=All`, {
      metadata: { name: "s" },
      spec: { externalTrafficPolicy: "Local", internalTrafficPolicy: "x", ports: [{ port: 80 }] },
    }),
    post(`${services}?dryRun=All`, {
      metadata: { name: "s" },
      spec: { type: "LoadBalancer", healthCheckNodePort: 32000, ports: [{ port: 80 }] },
    }),
  ],
  "evictions and budgets": [
    post(pods, pod("a", {}, { labels: { x: "y" } }), quiet),
    post(
      "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets",
      { metadata: { name: "b" }, spec: { minAvailable: 1, selector: { matchLabels: { x: "y" } } } },
      quiet,
    ),
    post(`${pods}/a/eviction?dryRun=All`, { metadata: { name: "a" } }),
    put(
      `${pods}/a/status`,
      {
        metadata: { name: "a" },
        spec: { containers: [container] },
        status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
      },
      quiet,
    ),
    post(`${pods}/a/eviction`, { metadata: { name: "a" } }),
    post(`${pods}/a/eviction`, { metadata: { name: "a" }, deleteOptions: { preconditions: { uid: "nope" } } }),
    put(
      "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets/b/status",
      {
        metadata: { name: "b" },
        spec: {},
        status: { disruptionsAllowed: 0, observedGeneration: 1, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
      },
      quiet,
    ),
    post(`${pods}/a/eviction`, { metadata: { name: "a" } }),
    put(
      "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets/b/status",
      {
        metadata: { name: "b" },
        spec: {},
        status: { disruptionsAllowed: 1, observedGeneration: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 },
      },
      quiet,
    ),
    post(`${pods}/a/eviction?dryRun=All`, { metadata: { name: "a" } }),
    post(
      "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets",
      { metadata: { name: "c" }, spec: { maxUnavailable: "0%", selector: {} } },
      quiet,
    ),
    post(`${pods}/a/eviction`, { metadata: { name: "a" } }),
    post(`${pods}/nope/eviction`, { metadata: { name: "nope" } }),
  ],
  "requests for certificates": [
    post("/apis/certificates.k8s.io/v1/certificatesigningrequests?dryRun=All", {
      metadata: { name: "c" },
      spec: { request: "bm9wZQ==", signerName: "x", usages: [] },
    }),
    post("/apis/certificates.k8s.io/v1/certificatesigningrequests?dryRun=All", {
      metadata: { name: "c" },
      spec: {
        request: "",
        signerName: "kubernetes.io/kube-apiserver-client",
        usages: ["nope", "client auth", "client auth"],
        expirationSeconds: 1,
      },
    }),
    put("/apis/certificates.k8s.io/v1/certificatesigningrequests/nope/approval", {
      metadata: { name: "nope" },
      spec: {},
    }),
    get("/apis/certificates.k8s.io/v1/certificatesigningrequests/nope/status"),
  ],
});
