/** Denials: escalation by roles and bindings, impersonation of each kind of name, and their texts. */
import { defineTopic, del, get, patch, post, put, type Step } from "../../case.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const roles = `${rbac}/namespaces/{ns}/roles`;
const bindings = `${rbac}/namespaces/{ns}/rolebindings`;
const clusterRoles = `${rbac}/clusterroles`;
const clusterBindings = `${rbac}/clusterrolebindings`;
const maps = "/api/v1/namespaces/{ns}/configmaps";
const quiet = { quiet: true };
const alice = { as: "alice" } as const;
const apiGroup = "rbac.authorization.k8s.io";
const user = { kind: "User", apiGroup, name: "alice" };
const rule = (verbs: readonly string[], resources: readonly string[], more: object = {}): object => ({
  apiGroups: [""],
  resources,
  verbs,
  ...more,
});
const onRbac = (verbs: readonly string[], resourceNames?: readonly string[]): object => ({
  apiGroups: [apiGroup],
  resources: ["roles", "rolebindings", "clusterroles", "clusterrolebindings"],
  verbs,
  ...(resourceNames && { resourceNames }),
});

/** Gives alice rules in the namespace, and the same in the cluster. */
function grant(rules: readonly object[], isClusterWide = false): Step[] {
  const [where, kind, to] = isClusterWide ? [clusterRoles, "ClusterRole", clusterBindings] : [roles, "Role", bindings];
  return [
    post(where, { metadata: { name: "{ns}-own" }, rules }, quiet),
    post(
      to,
      { metadata: { name: "{ns}-own" }, roleRef: { apiGroup, kind, name: "{ns}-own" }, subjects: [user] },
      { quiet: true, settle: 700 },
    ),
  ];
}

/** Takes the rights in the cluster away from alice. */
const revoke = del(`${clusterBindings}/{ns}-own`, undefined, { quiet: true, settle: 300 });
const writes = ["create", "update", "patch", "get"];
const asked: readonly (readonly object[])[] = [
  [],
  [rule(["get"], ["configmaps"])],
  [rule(["list"], ["configmaps"])],
  [rule(["get", "list"], ["configmaps", "secrets"])],
  [rule(["*"], ["configmaps"])],
  [rule(["get"], ["*"])],
  [rule(["get"], ["configmaps/status"])],
  [rule(["get"], ["*/status"])],
  [rule(["get"], ["configmaps"], { resourceNames: ["a", "b"] })],
  [rule(["get"], ["configmaps"], { apiGroups: ["", "apps", "*"] })],
  [rule(["get", "get"], ["configmaps", "configmaps"])],
  [rule(["list"], ["secrets"]), rule(["list"], ["secrets"]), rule(["create"], ["pods"])],
  [rule(["list", "create"], ["secrets", "pods"], { apiGroups: ["", "b"], resourceNames: ["x", "y"] })],
  [onRbac(["escalate"]), onRbac(["bind"], ["x"])],
];
const outside: readonly (readonly object[])[] = [
  [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }],
  [{ nonResourceURLs: ["/a/*", "*"], verbs: ["get", "post"] }],
  [{ nonResourceURLs: ["/healthz"], verbs: ["get"] }, rule(["list"], ["nodes"])],
];
const held = rule(["get"], ["configmaps"]);
const role = (rules: readonly object[], name = "{ns}-new"): object => ({ metadata: { name }, rules });
const binding = (kind: string, name: string, as = "{ns}-bound"): object => ({
  metadata: { name: as },
  roleRef: { apiGroup, kind, name },
  subjects: [user],
});
const tries = (path: string, rules: readonly object[]): Step[] => [
  post(path, role(rules), alice),
  post(`${path}?dryRun=All`, role(rules), alice),
  patch("apply", `${path}/{ns}-new?fieldManager=m`, role(rules), alice),
  put(`${path}/{ns}-new`, role(rules), alice),
  post(path, role([held]), quiet),
  put(`${path}/{ns}-new`, role(rules), alice),
  patch("merge", `${path}/{ns}-new`, { rules }, alice),
  put(`${path}/{ns}-new`, { ...role([held]), metadata: { name: "{ns}-new", labels: { a: "b" } } }, alice),
];
const impersonations: readonly { readonly [header: string]: string }[] = [
  { "impersonate-user": "bob" },
  { "impersonate-user": "" },
  { "impersonate-user": " " },
  { "impersonate-user": "a b/c" },
  { "impersonate-user": "system:anonymous" },
  { "impersonate-user": "system:masters" },
  { "impersonate-user": "system:node:n" },
  { "impersonate-user": "system:node:" },
  { "impersonate-user": "system:serviceaccount:{ns}:default" },
  { "impersonate-user": "system:serviceaccount:{ns}" },
  { "impersonate-user": "system:serviceaccount::a" },
  { "impersonate-user": "system:serviceaccount:A:b" },
  { "impersonate-user": "system:serviceaccount:a:b:c" },
  { "impersonate-user": "bob", "impersonate-group": "dev" },
  { "impersonate-user": "bob", "impersonate-group": "" },
  { "impersonate-user": "bob", "impersonate-group": "system:authenticated" },
  { "impersonate-user": "bob", "impersonate-group": "system:unauthenticated" },
  { "impersonate-user": "bob", "impersonate-uid": "u" },
  { "impersonate-user": "bob", "impersonate-uid": "" },
  { "impersonate-user": "bob", "impersonate-extra-scopes": "a" },
  { "impersonate-user": "bob", "impersonate-extra-Acme.com%2Fproject": "a b" },
  { "impersonate-user": "bob", "impersonate-extra-a%zz": "a" },
  { "impersonate-user": "bob", "impersonate-extra-": "a" },
  { "impersonate-group": "dev" },
  { "impersonate-uid": "u" },
  { "impersonate-extra-scopes": "a" },
  { "impersonate-group": "dev", "impersonate-uid": "u", "impersonate-extra-scopes": "a" },
  { "impersonate-nope": "a" },
];
const who = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const act = (headers: { readonly [header: string]: string }): Step[] => [
  get(maps, { ...alice, headers }),
  get(`${maps}/a`, { headers }),
  post(who, {}, { headers: { "impersonate-user": "bob", ...headers }, only: ["message", "code"] }),
  get("/metrics", { ...alice, headers }),
];
const holder = (rules: readonly object[]): Step[] => [
  ...grant(rules, true),
  // The message depends on the last right by which the user acted as another.
  ...impersonations.map((headers) => post(who, {}, { ...alice, headers, only: ["status", "code"] })),
  revoke,
];
const impersonate = (resources: readonly string[], more: object = {}): object => ({
  apiGroups: [""],
  resources,
  verbs: ["impersonate"],
  ...more,
});

export const rights = defineTopic("variants-rights", {
  ...Object.fromEntries(
    asked.map((rules, index) => [`role ${index}`, [...grant([onRbac(writes), held]), ...tries(roles, rules)]]),
  ),
  ...Object.fromEntries(
    [...asked, ...outside].map((rules, index) => [
      `cluster role ${index}`,
      [...grant([onRbac(writes), held], true), ...tries(clusterRoles, rules), revoke],
    ]),
  ),
  "roles by escalate": [...grant([onRbac([...writes, "escalate"])]), ...tries(roles, [rule(["*"], ["*"])])],
  "roles by escalate for a name": [
    ...grant([onRbac(writes), onRbac(["escalate"], ["{ns}-new"])]),
    ...tries(roles, [rule(["*"], ["*"])]),
  ],
  "aggregated roles": [
    ...grant([onRbac(writes), held], true),
    post(
      clusterRoles,
      { metadata: { name: "{ns}-new" }, aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] } },
      alice,
    ),
    post(
      clusterRoles,
      { metadata: { name: "{ns}-new" }, rules: [], aggregationRule: { clusterRoleSelectors: [] } },
      alice,
    ),
    revoke,
  ],
  "bindings of roles": [
    post(roles, role([held, rule(["list"], ["secrets"])], "wide"), quiet),
    post(roles, role([held], "narrow"), quiet),
    ...grant([onRbac(writes), held]),
    ...["wide", "narrow", "none"].flatMap((name) => [
      post(bindings, binding("Role", name, `{ns}-${name}`), alice),
      put(`${bindings}/{ns}-${name}`, binding("Role", name, `{ns}-${name}`), alice),
      patch("apply", `${bindings}/{ns}-${name}?fieldManager=m`, binding("Role", name, `{ns}-${name}`), alice),
    ]),
    ...["cluster-admin", "view", "none", "system:discovery"].map((name) =>
      post(bindings, binding("ClusterRole", name, `{ns}-${name.replace(":", "-")}`), alice),
    ),
    ...["cluster-admin", "none"].map((name) => post(clusterBindings, binding("ClusterRole", name), alice)),
  ],
  "bindings by bind": [
    post(roles, role([rule(["list"], ["secrets"])], "wide"), quiet),
    ...grant([onRbac(writes), onRbac(["bind"], ["wide", "view"])]),
    post(bindings, binding("Role", "wide", "a"), alice),
    post(bindings, binding("ClusterRole", "view", "b"), alice),
    post(bindings, binding("ClusterRole", "edit", "c"), alice),
    post(bindings, binding("Role", "none", "d"), alice),
  ],
  "bindings of the cluster": [
    ...grant([onRbac(writes), held], true),
    ...["cluster-admin", "view", "none", "system:discovery", "system:basic-user"].map((name) =>
      post(clusterBindings, binding("ClusterRole", name, `{ns}-${name.replace(":", "-")}`), alice),
    ),
    post(bindings, binding("ClusterRole", "view", "b"), alice),
    revoke,
  ],
  ...Object.fromEntries(impersonations.map((headers) => [`as ${JSON.stringify(headers)}`, act(headers)])),
  "a right to act as users": holder([impersonate(["users"])]),
  "a right to act as groups": holder([impersonate(["groups"])]),
  "a right to act as one user": holder([impersonate(["users"], { resourceNames: ["bob"] })]),
  "a right to act as service accounts": holder([impersonate(["serviceaccounts"])]),
  "a right to act as users of groups": holder([impersonate(["users", "groups"])]),
  "a right to give extras": holder([
    impersonate(["users"]),
    impersonate(["userextras/scopes", "uids"], { apiGroups: ["authentication.k8s.io"] }),
  ]),
});
