/** Service account tokens and access reviews, with all of their fields. */
import { defineTopic, del, get, post, type Step } from "../../case.ts";
import type { Part } from "../explored/widget.ts";

const quiet = { quiet: true };
const accounts = "/api/v1/namespaces/{ns}/serviceaccounts";
const token = `${accounts}/s/token`;
const make = [post(accounts, { metadata: { name: "s" } }, quiet)];
const pods = "/api/v1/namespaces/{ns}/pods";
const pod = (name: string, spec: Part = {}): Step =>
  post(
    pods,
    { metadata: { name }, spec: { serviceAccountName: "s", containers: [{ name: "c", image: "i" }], ...spec } },
    quiet,
  );
const issued = { only: ["kind", "apiVersion", "metadata", "spec", "message", "reason", "details", "code"] };
const asking = (spec: Part, more: Part = {}): Step => post(token, { spec, ...more }, issued);
const bound = (ref: Part): Step => asking({ expirationSeconds: 600, boundObjectRef: ref });
const reviews = "/apis/authentication.k8s.io/v1/tokenreviews";
const review = (spec: Part): Step => post(reviews, { spec }, { only: ["kind", "status", "message"] });

const access = "/apis/authorization.k8s.io/v1";
const may = (resourceAttributes: Part, more: Part = {}): Step =>
  post(`${access}/subjectaccessreviews`, { spec: { user: "alice", resourceAttributes, ...more } });
const list = { verb: "list", resource: "pods" };
const fieldRequirements = (...requirements: Part[]): Part => ({ ...list, fieldSelector: { requirements } });
const labelRequirements = (...requirements: Part[]): Part => ({ ...list, labelSelector: { requirements } });

export const accountTours = defineTopic("tour-accounts", {
  "how long": [
    ...make,
    ...[0, 1, 599, 600, 601, 3600, 86400, 4294967295, 4294967296, 4294967297, -1].map((expirationSeconds) =>
      asking({ expirationSeconds }),
    ),
    asking({ expirationSeconds: "600" }),
    asking({ expirationSeconds: null }),
    asking({ expirationSeconds: 600.5 }),
  ],
  "for whom": [
    ...make,
    asking({ audiences: [] }),
    asking({ audiences: [""] }),
    asking({ audiences: ["a", "a"] }),
    asking({ audiences: ["https://kubernetes.default.svc.cluster.local"] }),
    asking({ audiences: "a" }),
  ],
  "bound to pods": [
    ...make,
    pod("p"),
    get(`${pods}/p`, { ...quiet, keep: { uid: "metadata.uid" } }),
    bound({ kind: "Pod", apiVersion: "v1", name: "p" }),
    bound({ kind: "Pod", apiVersion: "v1", name: "p", uid: "{uid}" }),
    bound({ kind: "Pod", apiVersion: "v1", name: "p", uid: "other" }),
    bound({ kind: "Pod", apiVersion: "v2", name: "p" }),
    bound({ kind: "Pod", name: "p" }),
    bound({ apiVersion: "v1", name: "p" }),
    bound({ kind: "Pod", apiVersion: "v1", name: "" }),
    bound({ kind: "pod", apiVersion: "v1", name: "p" }),
    bound({}),
    post(pods, { metadata: { name: "o" }, spec: { containers: [{ name: "c", image: "i" }] } }, quiet),
    bound({ kind: "Pod", apiVersion: "v1", name: "o" }),
    bound({ kind: "Pod", apiVersion: "v1", name: "nope" }),
  ],
  "bound to others": [
    ...make,
    post("/api/v1/namespaces/{ns}/secrets", { metadata: { name: "x" } }, quiet),
    bound({ kind: "Secret", apiVersion: "v1", name: "x" }),
    bound({ kind: "Secret", apiVersion: "v1", name: "nope" }),
    post("/api/v1/nodes", { metadata: { name: "n-{ns}" } }, quiet),
    bound({ kind: "Node", apiVersion: "v1", name: "n-{ns}" }),
    bound({ kind: "Node", apiVersion: "v1", name: "n-{ns}", uid: "u" }),
    bound({ kind: "Node", apiVersion: "v1", name: "nope" }),
    bound({ kind: "ServiceAccount", apiVersion: "v1", name: "s" }),
    bound({ kind: "Deployment", apiVersion: "apps/v1", name: "d" }),
    del("/api/v1/nodes/n-{ns}", undefined, quiet),
  ],
  "who else is named": [
    ...make,
    asking({}, { metadata: { name: "s" } }),
    asking({}, { metadata: { name: "t" } }),
    asking({}, { metadata: { namespace: "{ns}" } }),
    asking({}, { metadata: { namespace: "other" } }),
    asking({}, { metadata: { generateName: "g" } }),
    asking({}, { metadata: { labels: { "a b": "c" } } }),
    asking({}, { apiVersion: "v1", kind: "Pod" }),
    asking({}, { apiVersion: "authentication.k8s.io/v1beta1", kind: "TokenRequest" }),
    asking({ nope: 1 }),
    post(`${token}?fieldValidation=Strict`, { spec: { nope: 1 } }, issued),
    post(`${accounts}/nope/token`, { spec: {} }),
    post(token, "{", issued),
    post(token, undefined, issued),
    del(`${accounts}/s`, undefined, quiet),
    asking({}),
  ],
  "tokens that are used": [
    ...make,
    post(token, { spec: { audiences: ["a", "b"] } }, { ...quiet, keep: { other: "status.token" } }),
    post(token, { spec: { expirationSeconds: 600 } }, { ...quiet, keep: { good: "status.token" } }),
    post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, { headers: { authorization: "Bearer nope" } }),
    review({ token: "{other}" }),
    review({ token: "{other}", audiences: ["b", "c"] }),
    review({ token: "{other}", audiences: ["c"] }),
    review({ token: "{other}x", audiences: ["b"] }),
    review({ token: "" }),
    review({ token: "{good}", audiences: [] }),
    review({ token: "{good}", audiences: [""] }),
  ],
  "reviews with fields": [
    may(fieldRequirements({ key: "spec.nodeName", operator: "In", values: ["n"] })),
    may(fieldRequirements({ key: "spec.nodeName", operator: "NotIn", values: ["n"] })),
    may(fieldRequirements({ key: "spec.nodeName", operator: "In", values: ["n", "m"] })),
    may(fieldRequirements({ key: "spec.nodeName", operator: "In", values: [] })),
    may(fieldRequirements({ key: "spec.nodeName", operator: "Exists" })),
    may(fieldRequirements({ key: "spec.nodeName", operator: "DoesNotExist", values: ["x"] })),
    may(fieldRequirements({ key: "spec.nodeName", operator: "Gt", values: ["x"] })),
    may(fieldRequirements({ key: "", operator: "In", values: ["x"] })),
    may(fieldRequirements({ key: "a b", operator: "In", values: ["c d"] }, { key: "x", operator: "", values: [] })),
    may({ ...list, fieldSelector: {} }),
    may({ ...list, fieldSelector: { rawSelector: "spec.nodeName=n" } }),
    may({ ...list, fieldSelector: { rawSelector: "spec.nodeName" } }),
    may({ ...list, fieldSelector: { rawSelector: "a=b", requirements: [] } }),
    may({ ...list, verb: "get", fieldSelector: { rawSelector: "a=b" } }),
  ],
  "reviews with labels": [
    may(labelRequirements({ key: "a", operator: "In", values: ["b"] })),
    may(labelRequirements({ key: "a b", operator: "In", values: ["c d"] })),
    may(labelRequirements({ key: "a", operator: "Nope", values: ["b"] })),
    may(labelRequirements({ key: "a", operator: "In" })),
    may(labelRequirements({ key: "a", operator: "Exists", values: ["b"] })),
    may({ ...list, labelSelector: {} }),
    may({ ...list, labelSelector: { rawSelector: "a in (b)" } }),
    may({
      ...list,
      labelSelector: { rawSelector: "a in (b)", requirements: [{ key: "a", operator: "In", values: ["b"] }] },
    }),
    may({ ...list, labelSelector: { rawSelector: "", requirements: [] } }),
    may({ ...list, labelSelector: { rawSelector: "a=b" }, fieldSelector: { rawSelector: "c" } }),
  ],
  "reviews of everything": [
    may({}),
    may({ verb: "get" }),
    may({ verb: "*", group: "*", resource: "*", namespace: "*" }),
    may({ verb: "get", resource: "pods/log" }),
    may({ verb: "get", resource: "pods", subresource: "log", name: "p", version: "v9" }),
    may({ verb: "get", resource: "pods" }, { groups: ["system:masters"] }),
    may({ verb: "get", resource: "pods" }, { user: "", groups: ["g"] }),
    may({ verb: "get", resource: "pods" }, { user: "", groups: [] }),
    may({ verb: "get", resource: "pods" }, { extra: { a: ["b"] }, uid: "u" }),
    may({ verb: "list", resource: "pods" }, { user: "system:kube-scheduler" }),
    may(
      { verb: "create", resource: "tokenreviews", group: "authentication.k8s.io" },
      { user: "system:kube-controller-manager" },
    ),
    may({ verb: "get", resource: "pods" }, { nonResourceAttributes: { path: "/", verb: "get" } }),
    post(`${access}/subjectaccessreviews`, { spec: { user: "alice", nonResourceAttributes: {} } }),
    post(`${access}/subjectaccessreviews`, {
      spec: {
        user: "system:anonymous",
        groups: ["system:unauthenticated"],
        nonResourceAttributes: { path: "/healthz", verb: "get" },
      },
    }),
    post(`${access}/subjectaccessreviews`, {
      spec: {
        user: "alice",
        groups: ["system:authenticated"],
        nonResourceAttributes: { path: "/api/v1", verb: "get" },
      },
    }),
    post(`${access}/subjectaccessreviews`, { spec: { nope: 1 } }),
    post(`${access}/subjectaccessreviews?fieldValidation=Strict`, {
      spec: { user: "a", resourceAttributes: {}, nope: 1 },
    }),
    post(`${access}/subjectaccessreviews`, {
      status: { allowed: true },
      spec: { user: "alice", resourceAttributes: {} },
    }),
    post(`${access}/subjectaccessreviews`, { apiVersion: "v1", kind: "Pod" }),
    post(`${access}/subjectaccessreviews`, "[]"),
    post(
      `${access}/selfsubjectaccessreviews`,
      { spec: { resourceAttributes: { ...list, namespace: "{ns}" } } },
      { as: "nobody" },
    ),
    post(`${access}/selfsubjectaccessreviews`, { spec: { resourceAttributes: {}, nonResourceAttributes: {} } }),
    post(`${access}/selfsubjectaccessreviews`, { metadata: { name: "x" }, spec: { resourceAttributes: list } }),
    post(`${access}/namespaces/{ns}/localsubjectaccessreviews`, { spec: { user: "alice" } }),
    post(`${access}/namespaces/{ns}/localsubjectaccessreviews`, {
      metadata: { namespace: "other" },
      spec: { user: "alice", resourceAttributes: { namespace: "{ns}" } },
    }),
    post(`${access}/namespaces/{ns}/localsubjectaccessreviews`, { spec: { user: "alice", resourceAttributes: {} } }),
    post(`${access}/selfsubjectrulesreviews`, { spec: { namespace: "" } }),
    get(`${access}/selfsubjectaccessreviews`),
    post(`${access}/subjectaccessreviews`, { spec: { user: "alice", resourceAttributes: list } }, { as: "alice" }),
  ],
});
