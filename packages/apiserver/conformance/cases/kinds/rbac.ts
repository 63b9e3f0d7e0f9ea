/** Roles, bindings and access reviews, with escalation checks. */
import { defineTopic, del, get, post, put, type Step } from "../../case.ts";
import { creates, life, table, updates } from "./variants.ts";

const group = "/apis/rbac.authorization.k8s.io/v1";
const space = `${group}/namespaces/{ns}`;
const rule = { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] };
const user = { kind: "User", name: "{ns}-jane" };
const as = { headers: { "impersonate-user": "{ns}-jane" } };
const role = { path: `${space}/roles`, base: { metadata: { name: "a" }, rules: [rule] } };
const clusterRole = { path: `${group}/clusterroles`, base: { metadata: { name: "{ns}:a" }, rules: [rule] } };
const binding = {
  path: `${space}/rolebindings`,
  base: { metadata: { name: "a" }, roleRef: { kind: "Role", name: "a" }, subjects: [user] },
};
const clusterBinding = {
  path: `${group}/clusterrolebindings`,
  base: { metadata: { name: "{ns}:a" }, roleRef: { kind: "ClusterRole", name: "{ns}:a" }, subjects: [user] },
};

const ofRules = {
  "refuses a rule without anything": { rules: [{}] },
  "refuses a rule without verbs": { rules: [{ apiGroups: [""], resources: ["pods"] }] },
  "refuses paths beside resources": { rules: [{ ...rule, nonResourceURLs: ["/x"] }] },
  "takes paths": { rules: [{ verbs: ["get"], nonResourceURLs: ["/x"] }] },
  "needs no rules": { rules: undefined },
  "takes an empty list of rules": { rules: [] },
  "refuses a name": { "metadata/name": "a/b" },
  "takes names with colons": { "metadata/name": "{ns}:A:b" },
  "generates a name": { "metadata/name": undefined, "metadata/generateName": "generated-" },
};
const ofBinding = {
  "refuses another group": { "roleRef/apiGroup": "x" },
  "refuses another kind": { "roleRef/kind": "Foo" },
  "refuses a role": { "roleRef/kind": "Role" },
  "refuses no name": { "roleRef/name": undefined },
  "refuses names": { "roleRef/name": "a/b" },
  "refuses no reference": { roleRef: undefined },
  "needs no subjects": { subjects: undefined },
  "refuses subjects": {
    subjects: [
      {},
      { kind: "Foo", name: "x" },
      { kind: "ServiceAccount", name: "A_b", apiGroup: "x" },
      { kind: "User", name: "x", apiGroup: "x" },
      { kind: "Group" },
    ],
  },
  "takes subjects": {
    subjects: [
      { kind: "ServiceAccount", name: "a", namespace: "n" },
      { kind: "Group", name: "g" },
    ],
  },
};

/** The user jane may write roles and bindings, and has the permissions of `rule`. */
const jane = (more: readonly object[] = []): Step[] => [
  post(
    role.path,
    {
      metadata: { name: "jane" },
      rules: [
        rule,
        { apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles", "rolebindings"], verbs: ["*"] },
        ...more,
      ],
    },
    { quiet: true },
  ),
  post(
    binding.path,
    { ...binding.base, metadata: { name: "jane" }, roleRef: { kind: "Role", name: "jane" } },
    { quiet: true },
  ),
];
const noEscalation = [
  {
    apiGroups: ["rbac.authorization.k8s.io"],
    resources: ["roles", "rolebindings"],
    verbs: ["create", "update", "get"],
  },
];
const janeWithout = (more: readonly object[] = []): Step[] => [
  post(role.path, { metadata: { name: "jane" }, rules: [rule, ...noEscalation, ...more] }, { quiet: true }),
  post(
    binding.path,
    { ...binding.base, metadata: { name: "jane" }, roleRef: { kind: "Role", name: "jane" } },
    { quiet: true },
  ),
];
const secrets = {
  apiGroups: ["", "apps"],
  resources: ["secrets", "pods"],
  verbs: ["get", "watch"],
  resourceNames: ["a"],
};

const access = "/apis/authorization.k8s.io/v1";
const sar = `${access}/subjectaccessreviews`;
const ask = (attributes: object): object => ({ spec: { user: "{ns}-jane", resourceAttributes: attributes } });

export const rbac = defineTopic("kinds-rbac", {
  ...life("Role", role),
  ...creates("Role", role, ofRules),
  ...updates("Role", role, {
    changes: { rules: [{ ...rule, verbs: ["*"] }] },
    "refuses bad rules": { rules: [{}] },
    "refuses bad labels": { "metadata/labels": { "a b": "" } },
    "refuses paths": { rules: [{ verbs: ["get"], nonResourceURLs: ["/x"] }] },
  }),
  "Role: is made by a replacement": [put(`${role.path}/a`, role.base)],
  ...life("ClusterRole", clusterRole),
  ...creates("ClusterRole", clusterRole, {
    ...ofRules,
    gathers: { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] } },
    "refuses to gather nothing": { aggregationRule: {} },
    "refuses a selector": {
      aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: "a b", operator: "Foo" }] }] },
    },
  }),
  ...life("RoleBinding", binding),
  ...creates("RoleBinding", binding, ofBinding),
  ...updates("RoleBinding", binding, {
    "refuses another role": { "roleRef/name": "b" },
    "changes subjects": { subjects: [] },
    "refuses bad labels": { "metadata/labels": { "a b": "" } },
  }),
  ...life("ClusterRoleBinding", clusterBinding),
  ...creates("ClusterRoleBinding", clusterBinding, {
    ...ofBinding,
    "refuses an account without a namespace": { subjects: [{ kind: "ServiceAccount", name: "a" }] },
  }),
  ...updates("ClusterRoleBinding", clusterBinding, { "refuses another role": { "roleRef/name": "b" } }),
  "bindings: are shown with their subjects": [
    post(binding.path, {
      ...binding.base,
      subjects: [user, { kind: "Group", name: "g" }, { kind: "ServiceAccount", name: "s", namespace: "n" }],
    }),
    get(binding.path, { accept: table }),
  ],
  "grants what one has": [...janeWithout(), post(role.path, role.base, as), put(`${role.path}/a`, role.base, as)],
  "refuses to grant what one has not": [
    ...janeWithout(),
    post(role.path, { metadata: { name: "b" }, rules: [rule, secrets] }, as),
    post(role.path, role.base, { quiet: true }),
    put(`${role.path}/a`, { metadata: { name: "a" }, rules: [{ ...rule, verbs: ["*"] }] }, as),
  ],
  "grants what one may escalate to": [...jane(), post(role.path, { metadata: { name: "b" }, rules: [secrets] }, as)],
  "binds what one has": [
    ...janeWithout(),
    post(role.path, role.base, { quiet: true }),
    post(binding.path, binding.base, as),
  ],
  "refuses to bind what one has not": [
    ...janeWithout(),
    post(role.path, { metadata: { name: "a" }, rules: [secrets] }, { quiet: true }),
    post(binding.path, binding.base, as),
    post(
      binding.path,
      { ...binding.base, roleRef: { kind: "ClusterRole", name: "view" } },
      { ...as, only: ["code", "reason", "details"] },
    ),
  ],
  "refuses to bind what is not there": [...janeWithout(), post(binding.path, binding.base, as)],
  "binds what one may bind": [
    ...janeWithout([
      {
        apiGroups: ["rbac.authorization.k8s.io"],
        resources: ["clusterroles"],
        verbs: ["bind"],
        resourceNames: ["admin"],
      },
    ]),
    post(binding.path, { ...binding.base, roleRef: { kind: "ClusterRole", name: "admin" } }, as),
    post(binding.path, { ...binding.base, roleRef: { kind: "Foo", name: "admin" } }, as),
  ],
  "refuses to gather without all rights": [
    post(
      clusterRole.path,
      {
        metadata: { name: "{ns}-j" },
        rules: [{ apiGroups: ["rbac.authorization.k8s.io"], resources: ["clusterroles"], verbs: ["create"] }],
      },
      { quiet: true },
    ),
    post(
      clusterBinding.path,
      { metadata: { name: "{ns}-j" }, roleRef: { kind: "ClusterRole", name: "{ns}-j" }, subjects: [user] },
      { quiet: true, settle: 200 },
    ),
    post(
      clusterRole.path,
      { metadata: { name: "{ns}-k" }, aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] } },
      as,
    ),
    del(`${clusterRole.path}/{ns}-j`, undefined, { quiet: true }),
    del(`${clusterBinding.path}/{ns}-j`, undefined, { quiet: true }),
  ],
  "reviews: allows": [
    ...janeWithout(),
    post(sar, ask({ verb: "get", resource: "pods", namespace: "{ns}" })),
    post(sar, ask({ verb: "get", resource: "secrets", namespace: "{ns}", name: "x", version: "v1" })),
    post(sar, {
      spec: { user: "x", groups: ["system:masters"], resourceAttributes: { verb: "get", resource: "pods" } },
    }),
    post(sar, {
      spec: { user: "x", groups: ["system:authenticated"], nonResourceAttributes: { verb: "get", path: "/api" } },
    }),
    post(sar, {
      spec: { user: "x", uid: "u", extra: { a: ["b"] }, nonResourceAttributes: { verb: "get", path: "/x" } },
    }),
    post(`${access}/namespaces/{ns}/localsubjectaccessreviews`, {
      metadata: { namespace: "{ns}" },
      ...ask({ verb: "get", resource: "pods", namespace: "{ns}" }),
    }),
    post(
      `${access}/selfsubjectaccessreviews`,
      { spec: { resourceAttributes: { verb: "get", resource: "pods", namespace: "{ns}" } } },
      as,
    ),
    post(
      `${access}/selfsubjectaccessreviews`,
      { spec: { resourceAttributes: { verb: "delete", resource: "pods", namespace: "{ns}" } } },
      as,
    ),
  ],
  "reviews: refuses questions": [
    post(sar, {}),
    post(sar, {
      spec: { user: "x", nonResourceAttributes: { path: "/x", verb: "get" }, resourceAttributes: { verb: "get" } },
    }),
    post(sar, { metadata: { name: "x", labels: { a: "b" } }, ...ask({ verb: "get" }) }),
    post(`${access}/selfsubjectaccessreviews`, { spec: {} }),
    post(`${access}/namespaces/{ns}/localsubjectaccessreviews`, {
      metadata: { namespace: "{ns}" },
      ...ask({ verb: "get", namespace: "other" }),
    }),
    post(`${access}/namespaces/{ns}/localsubjectaccessreviews`, {
      spec: { user: "x", nonResourceAttributes: { path: "/x" } },
    }),
    post(`${access}/namespaces/{ns}/localsubjectaccessreviews`, {
      metadata: { namespace: "other" },
      ...ask({ verb: "get", namespace: "{ns}" }),
    }),
  ],
  "reviews: selectors": [
    post(
      sar,
      ask({
        verb: "list",
        resource: "pods",
        labelSelector: { rawSelector: "a=b" },
        fieldSelector: { rawSelector: "x=y" },
      }),
    ),
    post(
      sar,
      ask({
        verb: "list",
        resource: "pods",
        labelSelector: { rawSelector: "a=(" },
        fieldSelector: { rawSelector: "x" },
      }),
    ),
    post(sar, ask({ verb: "list", resource: "pods", labelSelector: {}, fieldSelector: {} })),
    post(
      sar,
      ask({
        verb: "list",
        resource: "pods",
        labelSelector: { rawSelector: "a", requirements: [{ key: "a", operator: "In" }] },
      }),
    ),
    post(
      sar,
      ask({
        verb: "list",
        resource: "pods",
        labelSelector: {
          requirements: [
            { key: "a", operator: "Foo" },
            { key: "a", operator: "Exists" },
          ],
        },
      }),
    ),
    post(
      sar,
      ask({
        verb: "list",
        resource: "pods",
        fieldSelector: {
          requirements: [
            { key: "", operator: "In" },
            { key: "a", operator: "Exists", values: ["x"] },
          ],
        },
      }),
    ),
    post(
      sar,
      ask({ verb: "list", resource: "pods", fieldSelector: { requirements: [{ key: "a", operator: "Exists" }] } }),
    ),
  ],
  "reviews: who am I": [
    post(
      "/apis/authentication.k8s.io/v1/selfsubjectreviews",
      {},
      {
        headers: {
          "impersonate-user": "u",
          "impersonate-group": "g",
          "impersonate-uid": "i",
          "impersonate-extra-a": "b",
        },
      },
    ),
    post("/apis/authentication.k8s.io/v1/selfsubjectreviews", { metadata: { name: "x" } }, as),
  ],
  "reviews: tokens": [
    post("/apis/authentication.k8s.io/v1/tokenreviews", {}),
    post("/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token: "no-such-token" } }),
    post("/apis/authentication.k8s.io/v1/tokenreviews", {
      metadata: { name: "x" },
      spec: { token: "no-such-token", audiences: ["a"] },
    }),
  ],
  "reviews: what may I do": [
    post(`${access}/selfsubjectrulesreviews`, {}, as),
    ...janeWithout(),
    // kube-apiserver lists the rules in random order.
    post(
      `${access}/selfsubjectrulesreviews`,
      { spec: { namespace: "{ns}" } },
      { ...as, only: ["kind", "metadata", "spec"] },
    ),
  ],
});
