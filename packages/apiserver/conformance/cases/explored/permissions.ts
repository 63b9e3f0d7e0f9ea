/** Authorization: denials, escalation, impersonation, reviews and tokens. */
import { defineTopic, del, get, patch, post, put, type Step } from "../../case.ts";
import type { Part } from "./widget.ts";

const rb = "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}";
const cr = "/apis/rbac.authorization.k8s.io/v1";
const A = { as: "alice" } as const;
const N = { as: "nobody" } as const;
const q = { quiet: true };
const role = (rules: readonly Part[], name = "r") => ({ metadata: { name }, rules });
const bind = (
  name = "r",
  kind = "Role",
  subjects: readonly Part[] = [{ kind: "User", name: "alice", apiGroup: "rbac.authorization.k8s.io" }],
  bname = "b",
) => ({ metadata: { name: bname }, roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name }, subjects });
const grant = (...rules: Part[]) => [
  post(`${rb}/roles`, role(rules, "grant"), q),
  post(`${rb}/rolebindings`, { ...bind("grant"), metadata: { name: "grant" } }, { ...q, settle: 400 }),
];
const pods = { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] };
const cases: { [name: string]: Step[] } = {};
cases["anonymous"] = [
  get("/api/v1/namespaces/{ns}/pods", N),
  post("/api/v1/namespaces/{ns}/pods", {}, N),
  get("/nope", N),
];
cases["alice"] = [
  get("/api/v1/namespaces/{ns}/pods", A),
  get("/api/v1/pods", A),
  get("/api/v1/nodes/x", A),
  get("/api/v1/namespaces/{ns}/pods/x/log", A),
  get("/apis/apps/v1/namespaces/{ns}/deployments/x/scale", A),
  del("/api/v1/namespaces/{ns}/pods", undefined, A),
  get("/api/v1/namespaces/{ns}/pods?watch=1", A),
  get("/logs", A),
  post("/api/v1/namespaces/{ns}/configmaps", { metadata: { name: "a" } }, A),
  patch(
    "apply",
    "/api/v1/namespaces/{ns}/configmaps/a?fieldManager=x",
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } },
    A,
  ),
  put("/api/v1/namespaces/{ns}/status", {}, A),
  get("/apis/apps/v1", A),
];
cases["bad token"] = [
  get("/api", { headers: { authorization: "Bearer nope" } }),
  get("/api", { headers: { authorization: "Basic abc" } }),
  get("/api", { headers: { authorization: "Bearer " } }),
  get("/api", { headers: { authorization: "nope" } }),
];
cases["role escalation"] = [
  ...grant({ apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles", "rolebindings"], verbs: ["*"] }, pods),
  post(`${rb}/roles`, role([pods], "ok"), A),
  post(`${rb}/roles`, role([{ apiGroups: [""], resources: ["pods", "secrets"], verbs: ["get", "delete"] }], "no"), A),
  post(`${rb}/roles`, role([{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }], "no2"), A),
  post(
    `${rb}/roles`,
    role([{ apiGroups: [""], resources: ["pods"], resourceNames: ["x"], verbs: ["get"] }], "named"),
    A,
  ),
  put(
    `${rb}/roles/ok`,
    role([{ apiGroups: ["apps"], resources: ["deployments/scale"], resourceNames: ["a"], verbs: ["get"] }], "ok"),
    A,
  ),
  patch("merge", `${rb}/roles/ok`, { rules: [] }, A),
  patch("merge", `${rb}/roles/ok`, { metadata: { labels: { a: "b" } } }, A),
  post(`${rb}/rolebindings`, bind("ok"), A),
  post(`${rb}/rolebindings`, { ...bind("cluster-admin", "ClusterRole"), metadata: { name: "ca" } }, A),
  post(`${rb}/rolebindings`, { ...bind("nope"), metadata: { name: "nope" } }, A),
  post(`${rb}/rolebindings`, { ...bind("view", "ClusterRole"), metadata: { name: "view" } }, A),
];
cases["bind verb"] = [
  ...grant(
    { apiGroups: ["rbac.authorization.k8s.io"], resources: ["rolebindings"], verbs: ["*"] },
    {
      apiGroups: ["rbac.authorization.k8s.io"],
      resources: ["clusterroles"],
      resourceNames: ["admin"],
      verbs: ["bind"],
    },
  ),
  post(`${rb}/rolebindings`, { ...bind("admin", "ClusterRole"), metadata: { name: "a1" } }, A),
  post(`${rb}/rolebindings`, { ...bind("edit", "ClusterRole"), metadata: { name: "a2" } }, A),
  put(`${rb}/rolebindings/a1`, { ...bind("edit", "ClusterRole"), metadata: { name: "a1" } }, A),
];
cases["escalate verb"] = [
  ...grant({ apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles"], verbs: ["create", "escalate"] }),
  post(`${rb}/roles`, role([{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }], "e"), A),
];
cases["impersonation"] = [
  get("/api/v1/namespaces/{ns}/pods", { headers: { "impersonate-user": "bob" } }),
  get("/api/v1/namespaces/{ns}/pods", {
    headers: { "impersonate-user": "bob", "impersonate-group": "system:masters" },
  }),
  get("/api/v1/namespaces/{ns}/pods", { headers: { "impersonate-group": "x" } }),
  get("/api/v1/namespaces/{ns}/pods", { headers: { "impersonate-user": "system:serviceaccount:{ns}:x" } }),
  get("/api/v1/namespaces/{ns}/pods", { headers: { "impersonate-uid": "1" } }),
  get("/api/v1/namespaces/{ns}/pods", { headers: { "impersonate-extra-foo": "x" } }),
  get("/api/v1/namespaces/{ns}/pods", { ...A, headers: { "impersonate-user": "bob" } }),
  get("/api/v1/namespaces/{ns}/pods", { ...A, headers: { "impersonate-user": "system:serviceaccount:a:b" } }),
  get("/api/v1/namespaces/{ns}/pods", { ...A, headers: { "impersonate-user": "alice", "impersonate-group": "g" } }),
  get("/api/v1/namespaces/{ns}/pods", { ...N, headers: { "impersonate-user": "bob" } }),
  post(
    "/apis/authentication.k8s.io/v1/selfsubjectreviews",
    {},
    {
      headers: {
        "impersonate-user": "bob",
        "impersonate-uid": "u1",
        "impersonate-extra-a-b": "1",
        "impersonate-extra-sco%70es": "2",
      },
    },
  ),
  post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, A),
  post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, N),
];
const sar = "/apis/authorization.k8s.io/v1";
cases["reviews"] = [
  ...grant(pods),
  post(`${sar}/subjectaccessreviews`, {
    spec: { user: "alice", resourceAttributes: { namespace: "{ns}", verb: "get", resource: "pods" } },
  }),
  post(`${sar}/subjectaccessreviews`, {
    spec: { user: "alice", resourceAttributes: { namespace: "{ns}", verb: "delete", resource: "pods" } },
  }),
  post(`${sar}/subjectaccessreviews`, {
    spec: { user: "alice", groups: ["system:masters"], resourceAttributes: { verb: "*", resource: "*" } },
  }),
  post(`${sar}/subjectaccessreviews`, { spec: { user: "alice", nonResourceAttributes: { path: "/x", verb: "get" } } }),
  post(`${sar}/subjectaccessreviews`, { spec: {} }),
  post(`${sar}/subjectaccessreviews`, {
    spec: { user: "a", nonResourceAttributes: { path: "/" }, resourceAttributes: { verb: "get" } },
  }),
  post(`${sar}/subjectaccessreviews`, {
    metadata: { name: "x", labels: { a: "b" } },
    spec: { user: "a", resourceAttributes: { verb: "get" } },
  }),
  post(`${sar}/subjectaccessreviews`, {
    spec: {
      user: "a",
      resourceAttributes: {
        verb: "list",
        resource: "pods",
        fieldSelector: { rawSelector: "a=b", requirements: [{ key: "a", operator: "In", values: ["b"] }] },
      },
    },
  }),
  post(`${sar}/subjectaccessreviews`, {
    spec: {
      user: "a",
      resourceAttributes: { verb: "list", resource: "pods", labelSelector: { rawSelector: "a in (" } },
    },
  }),
  post(
    `${sar}/selfsubjectaccessreviews`,
    { spec: { resourceAttributes: { namespace: "{ns}", verb: "get", resource: "pods" } } },
    A,
  ),
  post(
    `${sar}/selfsubjectaccessreviews`,
    { spec: { resourceAttributes: { namespace: "{ns}", verb: "get", resource: "secrets" } } },
    A,
  ),
  post(`${sar}/selfsubjectaccessreviews`, { spec: {} }, A),
  post(`${sar}/namespaces/{ns}/localsubjectaccessreviews`, {
    spec: { user: "alice", resourceAttributes: { namespace: "{ns}", verb: "get", resource: "pods" } },
  }),
  post(`${sar}/namespaces/{ns}/localsubjectaccessreviews`, {
    spec: { user: "alice", resourceAttributes: { namespace: "other", verb: "get", resource: "pods" } },
  }),
  post(`${sar}/namespaces/{ns}/localsubjectaccessreviews`, {
    spec: { user: "alice", nonResourceAttributes: { path: "/", verb: "get" } },
  }),
  post(`${sar}/selfsubjectrulesreviews`, { spec: {} }, A),
  post(`${sar}/subjectaccessreviews`, { spec: { user: "alice", resourceAttributes: {} } }, A),
];
const tr = "/apis/authentication.k8s.io/v1/tokenreviews";
cases["token review"] = [
  post(tr, { spec: { token: "usertoken" } }, { only: ["kind"] }),
  post(tr, { spec: { token: "nope" } }),
  post(tr, { spec: {} }),
  post(tr, { spec: { token: "nope", audiences: ["x"] } }),
  post(tr, { metadata: { name: "a" }, spec: { token: "nope" } }),
];
const sa = "/api/v1/namespaces/{ns}/serviceaccounts";
cases["token request"] = [
  post(sa, { metadata: { name: "s" } }, q),
  post(`${sa}/s/token`, {}, { only: ["kind", "spec"] }),
  post(`${sa}/s/token`, { spec: { expirationSeconds: 5 } }),
  post(`${sa}/s/token`, { spec: { expirationSeconds: 600, audiences: ["a", "b"] } }, { only: ["kind", "spec"] }),
  post(`${sa}/s/token`, { spec: { expirationSeconds: 4294967297 } }),
  post(`${sa}/s/token`, { spec: { boundObjectRef: { kind: "Pod", name: "p", apiVersion: "v1" } } }),
  post(`${sa}/s/token`, { spec: { boundObjectRef: { kind: "ConfigMap", name: "p", apiVersion: "v1" } } }),
  post(`${sa}/s/token`, { spec: { boundObjectRef: { kind: "Secret", name: "p", apiVersion: "v1" } } }),
  post(`${sa}/s/token`, { spec: { boundObjectRef: { kind: "Node", name: "p", apiVersion: "v1" } } }),
  post(`${sa}/nope/token`, {}),
  post(`${sa}/s/token`, { metadata: { name: "x" } }),
  get(`${sa}/s/token`),
  post(`${sa}/s/token`, {}, A),
  post(`${sa}/s/token?dryRun=All`, {}, { only: ["kind", "spec"] }),
];
cases["aggregation"] = [
  post(`${cr}/clusterroles`, {
    metadata: { name: "agg-{ns}" },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { "x-{ns}": "y" } }] },
    rules: [],
  }),
  post(`${cr}/clusterroles`, { metadata: { name: "part-{ns}", labels: { "x-{ns}": "y" } }, rules: [pods] }),
  post(`${cr}/clusterroles`, { metadata: { name: "bad-{ns}" }, aggregationRule: { clusterRoleSelectors: [] } }),
  post(`${cr}/clusterroles`, {
    metadata: { name: "bad2-{ns}" },
    aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: "a", operator: "X" }] }] },
  }),
  post(`${cr}/clusterroles`, {
    metadata: { name: "non-{ns}" },
    rules: [{ nonResourceURLs: ["/x", "/y*"], verbs: ["get"] }],
  }),
  post(`${rb}/roles`, { metadata: { name: "non" }, rules: [{ nonResourceURLs: ["/x"], verbs: ["get"] }] }),
  post(`${rb}/roles`, { metadata: { name: "empty" }, rules: [{}] }),
  post(`${rb}/roles`, { metadata: { name: "e2" }, rules: [{ verbs: ["get"] }] }),
  post(`${rb}/roles`, { metadata: { name: "e3" }, rules: [{ verbs: ["get"], apiGroups: [""] }] }),
  post(`${rb}/rolebindings`, {
    metadata: { name: "z" },
    roleRef: { kind: "X", name: "", apiGroup: "z" },
    subjects: [
      { kind: "Nope", name: "" },
      { kind: "User", name: "u", apiGroup: "x", namespace: "n" },
      { kind: "ServiceAccount", name: "Bad_", apiGroup: "q" },
    ],
  }),
];
cases["csr"] = [
  post("/apis/certificates.k8s.io/v1/certificatesigningrequests", {
    metadata: { name: "x-{ns}" },
    spec: { request: "", signerName: "bad", usages: ["nope"] },
  }),
  post("/apis/certificates.k8s.io/v1/certificatesigningrequests", {
    metadata: { name: "x-{ns}" },
    spec: { request: "YWJj", signerName: "a.b/c", usages: [], expirationSeconds: 5 },
  }),
];
cases["headers"] = [
  get("/api/v1/namespaces/{ns}", { headers: { "x-remote-user": "bob" } }),
  {
    method: "POST",
    path: "/api/v1/namespaces/{ns}/configmaps",
    body: { metadata: { name: "a" } },
    headers: { "x-http-method-override": "GET" },
  },
];

const rows = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
const rowsOrObject = { accept: `${rows.accept},application/json` };
const part = { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" };
const attributes = { resourceAttributes: { verb: "get", resource: "pods" } };
cases["reviews have no rows"] = [
  post(`${sar}/selfsubjectaccessreviews`, { spec: attributes }, rows),
  post(`${sar}/selfsubjectaccessreviews`, { spec: attributes }, part),
  post(`${sar}/selfsubjectaccessreviews`, { spec: attributes }, rowsOrObject),
  post(`${sar}/subjectaccessreviews`, { spec: { ...attributes, user: "alice" } }, rows),
  post(`${sar}/namespaces/{ns}/localsubjectaccessreviews`, { spec: { ...attributes, user: "alice" } }, rows),
  post(`${sar}/selfsubjectrulesreviews`, { spec: { namespace: "{ns}" } }, rows),
  post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, rows),
  post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, part),
  post(tr, { spec: { token: "none" } }, rows),
];
cases["other views have no rows either"] = [
  post("/api/v1/namespaces/{ns}/serviceaccounts", { metadata: { name: "one" } }, q),
  post("/api/v1/namespaces/{ns}/serviceaccounts/one/token", { spec: { expirationSeconds: 600 } }, rows),
  post("/api/v1/namespaces/{ns}/bindings", { metadata: { name: "none" }, target: { name: "here" } }, rows),
  post("/api/v1/namespaces/{ns}/pods/none/binding", { target: { name: "here" } }, rows),
  post("/api/v1/namespaces/{ns}/pods/none/eviction", { metadata: { name: "none" } }, rows),
  post(
    "/api/v1/namespaces/{ns}/pods",
    { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } },
    q,
  ),
  get("/api/v1/namespaces/{ns}/pods/p/resize", rows),
  get("/api/v1/namespaces/{ns}/pods/p/resize", part),
  get("/api/v1/namespaces/{ns}/pods/p/ephemeralcontainers", rows),
  get("/api/v1/namespaces/{ns}/pods/p/status", rows),
  put("/api/v1/namespaces/{ns}/finalize", { metadata: { name: "{ns}" }, spec: {} }, rows),
  get("/api/v1/namespaces/{ns}/status", part),
  get("/apis/certificates.k8s.io/v1/certificatesigningrequests/none/approval", rows),
  get("/apis/resource.k8s.io/v1/namespaces/{ns}/resourceclaims/none/status", rows),
  get("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/none/status", rows),
  get("/apis/apiregistration.k8s.io/v1/apiservices/none/status", rows),
  get("/apis/apps/v1/namespaces/{ns}/deployments/none/status", rows),
];

export const permissions = defineTopic("permissions", cases);
