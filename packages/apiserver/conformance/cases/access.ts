/** Authentication, authorization and impersonation. */
import { defineTopic, get, patch, post } from "../case.ts";

const maps = "/api/v1/namespaces/{ns}/configmaps";
const rbac = "/apis/rbac.authorization.k8s.io/v1";
const nobody = { as: "nobody" } as const;
const alice = { as: "alice" } as const;
const as = (name: string, more: { readonly [header: string]: string } = {}) => ({
  headers: { "impersonate-user": name, ...more },
});
const role = (rules: readonly object[]): object => ({ metadata: { name: "r" }, rules });
const bindTo = (subject: object): object => ({
  metadata: { name: "b" },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" },
  subjects: [subject],
});
const aliceSubject = { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "alice" };
const canRead = { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list"] };
const roles = `${rbac}/namespaces/{ns}/roles`;
const bindings = `${rbac}/namespaces/{ns}/rolebindings`;

export const access = defineTopic("access", {
  "nobody may not list": [get(maps, nobody)],
  "nobody may not read at the cluster scope": [get("/api/v1/nodes/x", nobody)],
  "nobody may see the version": [get("/version", { ...nobody, only: ["major"] })],
  "nobody may not see other paths": [get("/metrics", nobody), get("/nope", nobody), get("/api", nobody)],
  "a bad token is nobody's": [
    get(maps, { ...nobody, headers: { authorization: "Bearer nope" } }),
    get("/version", { ...nobody, headers: { authorization: "Bearer a.b.c" } }),
  ],
  "somebody may not do what nobody allowed": [
    get(maps, alice),
    get(`${maps}/a`, alice),
    post(maps, { metadata: { name: "a" } }, alice),
    patch("merge", "/apis/apps/v1/namespaces/{ns}/deployments/d/status", {}, alice),
    get("/api/v1/namespaces/{ns}/pods/p/log", alice),
    get("/api/v1/configmaps", alice),
    get("/apis/nope.dev/v1/things", alice),
  ],
  "somebody may see discovery": [get("/api", { ...alice, only: ["kind"] }), get("/metrics", alice)],
  "a role allows": [
    post(roles, role([canRead]), { quiet: true }),
    post(bindings, bindTo(aliceSubject), { quiet: true, settle: 500 }),
    get(`${maps}/a`, alice),
    post(maps, { metadata: { name: "a" } }, alice),
  ],
  "a role may name objects": [
    post(roles, role([{ ...canRead, resourceNames: ["a"] }]), { quiet: true }),
    post(bindings, bindTo(aliceSubject), { quiet: true, settle: 500 }),
    get(`${maps}/a`, alice),
    get(`${maps}/b`, alice),
    get(`${maps}?fieldSelector=metadata.name%3Da`, { ...alice, only: ["kind", "items"] }),
  ],
  "a binding to a role that is not there is told": [
    post(bindings, bindTo(aliceSubject), { quiet: true, settle: 500 }),
    get(maps, alice),
  ],
  "the administrator acts as others": [
    get(maps, as("bob")),
    get(maps, as("bob", { "impersonate-group": "system:masters" })),
    get(maps, as("system:serviceaccount:{ns}:default")),
    get("/version", { ...as("system:anonymous"), only: ["major"] }),
  ],
  "others may not act as others": [
    get(maps, { ...alice, ...as("bob") }),
    get(maps, { ...alice, ...as("system:serviceaccount:kube-system:default") }),
    get(maps, { ...alice, ...as("alice", { "impersonate-group": "system:masters" }) }),
  ],
  "groups need a user": [get(maps, { headers: { "impersonate-group": "system:masters" } })],
  "who am I": [
    post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, alice),
    post(
      "/apis/authentication.k8s.io/v1/selfsubjectreviews",
      {},
      {
        headers: { "impersonate-user": "bob", "impersonate-uid": "u", "impersonate-extra-Scopes": "a" },
      },
    ),
  ],
  "may I": [
    post(
      "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
      { spec: { resourceAttributes: { namespace: "{ns}", verb: "get", resource: "configmaps" } } },
      alice,
    ),
    post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
      spec: { nonResourceAttributes: { path: "/metrics", verb: "get" } },
    }),
  ],
  "may they": [
    post("/apis/authorization.k8s.io/v1/subjectaccessreviews", {
      spec: {
        user: "system:kube-scheduler",
        resourceAttributes: { namespace: "{ns}", verb: "create", resource: "pods", subresource: "binding" },
      },
    }),
  ],
  "nobody gives away what they do not hold": [
    post(roles, role([{ apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles"], verbs: ["create"] }]), {
      quiet: true,
    }),
    post(bindings, bindTo(aliceSubject), { quiet: true, settle: 500 }),
    post(roles, { metadata: { name: "mine" }, rules: [canRead] }, alice),
  ],
});
