/** Scenarios of plans: objects of bundles, CRD checks, scoped service accounts, failures and fail-forward. */
import {
  account,
  apply,
  blobs,
  catalog,
  crd,
  csv,
  deployment,
  group,
  namespace,
  of,
  ownNamespace,
  patch,
  rule,
  settle,
  subscribe,
  target,
} from "../content.ts";
import { type AnyObject, type Names, type Scenario, scenario, type Step } from "../scenario.ts";
import { entry } from "./subscriptions.ts";

const RBAC = "rbac.authorization.k8s.io/v1";

function extra(names: Names): readonly AnyObject[] {
  return [
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data: { a: "b" } },
    { apiVersion: "v1", kind: "Secret", metadata: { name: "key" }, stringData: { a: "b" } },
    { apiVersion: "v1", kind: "Service", metadata: { name: "metrics" }, spec: { ports: [{ port: 80 }] } },
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "extra", annotations: { a: "b" } } },
    {
      apiVersion: RBAC,
      kind: "ClusterRole",
      metadata: { name: `${names.id}-reader` },
      rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
    },
    {
      apiVersion: RBAC,
      kind: "Role",
      metadata: { name: "reader" },
      rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
    },
    {
      apiVersion: RBAC,
      kind: "RoleBinding",
      metadata: { name: "reader" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" },
      subjects: [{ kind: "ServiceAccount", name: "extra" }],
    },
  ];
}

function withObjects(names: Names, objects: readonly AnyObject[]): readonly Step[] {
  const found = entry(names);
  const content = blobs({ channels: { stable: [{ ...found, objects: [...(found.objects ?? []), ...objects] }] } });
  return [...catalog(names, content), subscribe(names.ns), settle()];
}

const strict = (field: string): { readonly [name: string]: never } | object => ({
  type: "object",
  properties: { spec: { type: "object", required: [field], properties: { [field]: { type: "string" } } } },
});

/** A CRD at one version, an object of it, and then an upgrade with another CRD. */
function crdUpgrade(names: Names, before: AnyObject, after: AnyObject): readonly Step[] {
  const first = { csv: csv(names), objects: [before] };
  const second = { csv: csv(names, { version: "2.0.0", replaces: "foo.v1.0.0" }), objects: [after] };
  return [
    ...ownNamespace(names.ns),
    ...catalog(names, blobs({ channels: { stable: [first] } })),
    subscribe(names.ns),
    settle(),
    apply({
      apiVersion: `${names.group}/v1`,
      kind: "Foo",
      metadata: { name: "one", namespace: names.ns },
      spec: { size: 1 },
    }),
    { do: "serve", catalog: `${names.id}-cat`, blobs: blobs({ channels: { stable: [first, second] } }) },
    settle(),
  ];
}

/** A group with a service account that may do what the rules say. */
function scoped(names: Names, rules: readonly object[]): readonly Step[] {
  return [
    namespace(names.ns),
    account(names.ns, "scoped"),
    apply({ apiVersion: RBAC, kind: "Role", metadata: { name: "scoped", namespace: names.ns }, rules }),
    apply({
      apiVersion: RBAC,
      kind: "RoleBinding",
      metadata: { name: "scoped", namespace: names.ns },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "scoped" },
      subjects: [{ kind: "ServiceAccount", name: "scoped", namespace: names.ns }],
    }),
    group(names.ns, { targetNamespaces: [names.ns], serviceAccountName: "scoped" }),
  ];
}

const EVERYTHING = [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }];

/** The scenarios. */
export const planScenarios: readonly Scenario[] = [
  scenario("plan-objects", "objects of every usual kind in a bundle", (names) => [
    ...ownNamespace(names.ns),
    ...withObjects(names, extra(names)),
  ]),
  scenario("plan-unsupported", "an object of a kind that is not supported", (names) => [
    ...ownNamespace(names.ns),
    ...withObjects(names, [
      {
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: { name: "job" },
        spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "a" }] } } },
      },
    ]),
  ]),
  scenario("plan-unknown", "an object of a kind that the server does not know", (names) => [
    ...ownNamespace(names.ns),
    ...withObjects(names, [
      { apiVersion: "monitoring.coreos.com/v1", kind: "ServiceMonitor", metadata: { name: "monitor" }, spec: {} },
    ]),
  ]),
  scenario("plan-policies", "a PodDisruptionBudget, a PriorityClass and a NetworkPolicy", (names) => [
    ...ownNamespace(names.ns),
    ...withObjects(names, [
      {
        apiVersion: "policy/v1",
        kind: "PodDisruptionBudget",
        metadata: { name: "budget" },
        spec: { minAvailable: 1, selector: { matchLabels: { app: "foo" } } },
      },
      {
        apiVersion: "scheduling.k8s.io/v1",
        kind: "PriorityClass",
        metadata: { name: `${names.id}-high` },
        value: 1000,
      },
      {
        apiVersion: "networking.k8s.io/v1",
        kind: "NetworkPolicy",
        metadata: { name: "deny" },
        spec: { podSelector: {} },
      },
    ]),
  ]),
  scenario("plan-existing-objects", "objects of a bundle that exist already", (names) => [
    ...ownNamespace(names.ns),
    apply({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "settings", namespace: names.ns },
      data: { own: "1" },
    }),
    apply({
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "extra", namespace: names.ns, annotations: { own: "1" } },
    }),
    ...withObjects(names, extra(names)),
  ]),
  scenario("plan-existing-crd", "a CRD that exists already", (names) => [
    ...ownNamespace(names.ns),
    apply(crd(names)),
    ...withObjects(names, []),
  ]),
  scenario("crd-required-added", "an upgrade whose CRD makes a field required that stored objects lack", (names) =>
    crdUpgrade(names, crd(names), crd(names, "foo", { schema: strict("color") as never })),
  ),
  scenario("crd-version-dropped", "an upgrade whose CRD drops a stored version", (names) =>
    crdUpgrade(names, crd(names), crd(names, "foo", { versions: ["v2"] })),
  ),
  scenario("crd-version-added", "an upgrade whose CRD adds a version", (names) =>
    crdUpgrade(names, crd(names), crd(names, "foo", { versions: ["v1", "v2"] })),
  ),
  scenario(
    "scoped-enough",
    "an account with enough permissions in its namespace, without cluster permissions",
    (names) => [
      ...scoped(names, EVERYTHING),
      ...catalog(
        names,
        blobs({ channels: { stable: [{ csv: csv(names, { clusterPermissions: [] }), objects: [crd(names)] }] } }),
      ),
      subscribe(names.ns),
      settle(),
    ],
  ),
  scenario("scoped-cluster", "an account without cluster permissions, and an operator that needs them", (names) => [
    ...scoped(names, EVERYTHING),
    ...catalog(names, blobs({ channels: { stable: [entry(names)] } })),
    subscribe(names.ns),
    settle(),
  ]),
  scenario("scoped-nothing", "an account without permissions", (names) => [
    ...scoped(names, [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get"] }]),
    ...catalog(names, blobs({ channels: { stable: [entry(names)] } })),
    subscribe(names.ns),
    settle(),
  ]),
  scenario("scoped-missing", "an account that does not exist", (names) => [
    namespace(names.ns),
    group(names.ns, { targetNamespaces: [names.ns], serviceAccountName: "scoped" }),
    ...catalog(names, blobs({ channels: { stable: [entry(names)] } })),
    subscribe(names.ns),
    settle(),
  ]),
  scenario("scoped-escalation", "an operator with permissions that its account does not have", (names) => [
    ...scoped(names, [{ apiGroups: ["*"], resources: ["*"], verbs: ["get", "create", "update", "patch", "list"] }]),
    ...catalog(
      names,
      blobs({
        channels: {
          stable: [
            {
              csv: csv(names, {
                clusterPermissions: [],
                permissions: [{ serviceAccountName: "foo", rules: [rule("secrets", ["*"])] }],
              }),
              objects: [crd(names)],
            },
          ],
        },
      }),
    ),
    subscribe(names.ns),
    settle(),
  ]),
  scenario("up-deployment-renamed", "an upgrade with another Deployment", (names) => {
    const first = entry(names);
    const second = entry(names, {
      version: "2.0.0",
      replaces: "foo.v1.0.0",
      deployments: [deployment("foo", { args: ["new"] }), deployment("foo", {})].slice(0, 1),
    });
    return [
      ...ownNamespace(names.ns),
      ...catalog(names, blobs({ channels: { stable: [first] } })),
      subscribe(names.ns),
      settle(),
      { do: "serve", catalog: `${names.id}-cat`, blobs: blobs({ channels: { stable: [first, second] } }) },
      settle(),
    ];
  }),
  scenario("up-needs-more", "an upgrade that needs a newer Kubernetes", (names) => {
    const first = entry(names);
    const second = entry(names, { version: "2.0.0", replaces: "foo.v1.0.0", spec: { minKubeVersion: "1.99.0" } });
    return [
      ...ownNamespace(names.ns),
      ...catalog(names, blobs({ channels: { stable: [first] } })),
      subscribe(names.ns),
      settle(),
      { do: "serve", catalog: `${names.id}-cat`, blobs: blobs({ channels: { stable: [first, second] } }) },
      settle(),
    ];
  }),
  scenario("up-mode-lost", "an upgrade that no longer supports the namespaces", (names) => {
    const first = entry(names);
    const second = entry(names, { version: "2.0.0", replaces: "foo.v1.0.0", modes: ["AllNamespaces"] });
    return [
      ...ownNamespace(names.ns),
      ...catalog(names, blobs({ channels: { stable: [first] } })),
      subscribe(names.ns),
      settle(),
      { do: "serve", catalog: `${names.id}-cat`, blobs: blobs({ channels: { stable: [first, second] } }) },
      settle(),
    ];
  }),
  scenario("up-fail-forward", "fail-forward over a version that failed", (names) => {
    const first = entry(names);
    const second = entry(names, { version: "2.0.0", replaces: "foo.v1.0.0", modes: ["AllNamespaces"] });
    const third = entry(names, { version: "3.0.0", replaces: "foo.v2.0.0" });
    return [
      namespace(names.ns),
      group(names.ns, { targetNamespaces: [names.ns], upgradeStrategy: "TechPreviewUnsafeFailForward" }),
      ...catalog(names, blobs({ channels: { stable: [first] } })),
      subscribe(names.ns),
      settle(),
      { do: "serve", catalog: `${names.id}-cat`, blobs: blobs({ channels: { stable: [first, second] } }) },
      settle(),
      { do: "serve", catalog: `${names.id}-cat`, blobs: blobs({ channels: { stable: [first, second, third] } }) },
      settle(),
    ];
  }),
  scenario("up-all-namespaces", "an upgrade of an operator for all namespaces", (names) => {
    const first = entry(names);
    const second = entry(names, { version: "2.0.0", replaces: "foo.v1.0.0" });
    return [
      namespace(names.ns),
      namespace(`${names.id}-other`),
      group(names.ns),
      ...catalog(names, blobs({ channels: { stable: [first] } })),
      subscribe(names.ns),
      settle(),
      { do: "serve", catalog: `${names.id}-cat`, blobs: blobs({ channels: { stable: [first, second] } }) },
      settle(),
    ];
  }),
  scenario("plan-approval-edited", "the approval of a Subscription changes while its plan waits", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(names, blobs({ channels: { stable: [entry(names)] } })),
    subscribe(names.ns, { installPlanApproval: "Manual" }),
    settle(),
    patch(of("Subscription", names.ns, "sub"), { spec: { installPlanApproval: "Automatic" } }),
    settle(),
  ]),
  scenario("operator-component", "an object gets the label of an Operator", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(names, blobs({ channels: { stable: [entry(names)] } })),
    subscribe(names.ns),
    settle(),
    apply({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "mine", namespace: names.ns, labels: { [`operators.coreos.com/foo.${names.ns}`]: "" } },
    }),
    settle(),
    patch(target("v1", "Secret", "mine", names.ns), {
      metadata: { labels: { [`operators.coreos.com/foo.${names.ns}`]: null } },
    }),
    settle(),
  ]),
];
