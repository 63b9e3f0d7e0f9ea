/** Scenarios of single operators: requirements, owners, strategies, drift, copies and deletion. */
import {
  account,
  apply,
  crd,
  csv,
  deployment,
  group,
  namespace,
  of,
  ownedCrd,
  ownNamespace,
  patch,
  ready,
  remove,
  rule,
  settle,
  target,
  within,
} from "../content.ts";
import { type Scenario, scenario } from "../scenario.ts";

const RBAC = "rbac.authorization.k8s.io/v1";

/** The scenarios. */
export const csvScenarios: readonly Scenario[] = [
  scenario("csv-nothing-met", "no CRD and no service account", (names) => [
    ...ownNamespace(names.ns),
    apply(within(names.ns, csv(names))),
    settle(),
    ...ready(names),
    settle(),
  ]),
  scenario("csv-crd-version", "a CRD that does not serve the version", (names) => [
    ...ownNamespace(names.ns),
    ...ready(names),
    apply(within(names.ns, csv(names, { owned: [ownedCrd(names, "foo", "v2")] }))),
    settle(),
  ]),
  scenario("csv-required-crd", "a required CRD that is missing, and comes", (names) => [
    ...ownNamespace(names.ns),
    ...ready(names),
    apply(within(names.ns, csv(names, { required: [ownedCrd(names, "bar")] }))),
    settle(),
    apply(crd(names, "bar")),
    settle(),
  ]),
  scenario("csv-permission-missing", "a service account without the permissions", (names) => [
    ...ownNamespace(names.ns),
    account(names.ns),
    apply(crd(names)),
    apply(within(names.ns, csv(names))),
    settle(),
  ]),
  scenario("csv-min-kube", "a newer Kubernetes is needed", (names) => [
    ...ownNamespace(names.ns),
    ...ready(names),
    apply(within(names.ns, csv(names, { spec: { minKubeVersion: "1.99.0" } }))),
    settle(),
  ]),
  scenario("csv-min-kube-met", "the Kubernetes version suffices", (names) => [
    ...ownNamespace(names.ns),
    ...ready(names),
    apply(within(names.ns, csv(names, { spec: { minKubeVersion: "1.20.0" } }))),
    settle(),
  ]),
  scenario("csv-min-kube-invalid", "a Kubernetes version that is not one", (names) => [
    ...ownNamespace(names.ns),
    ...ready(names),
    apply(within(names.ns, csv(names, { spec: { minKubeVersion: "new" } }))),
    settle(),
  ]),
  scenario("csv-native-api", "a native API that is served, and one that is not", (names) => [
    ...ownNamespace(names.ns),
    ...ready(names),
    apply(
      within(
        names.ns,
        csv(names, {
          spec: {
            nativeAPIs: [
              { group: "apps", version: "v1", kind: "Deployment" },
              { group: "example.org", version: "v1", kind: "Absent" },
            ],
          },
        }),
      ),
    ),
    settle(),
  ]),
  scenario("csv-required-api-service", "a required APIService that is missing", (names) => [
    ...ownNamespace(names.ns),
    ...ready(names),
    apply(
      within(
        names.ns,
        csv(names, {
          spec: {
            apiservicedefinitions: {
              required: [{ name: "a", group: `api.${names.group}`, version: "v1", kind: "Served" }],
            },
          },
        }),
      ),
    ),
    settle(),
  ]),
  scenario("csv-owned-api-service", "an owned APIService", (names) => [
    ...ownNamespace(names.ns),
    ...ready(names),
    apply(
      within(
        names.ns,
        csv(names, {
          spec: {
            apiservicedefinitions: {
              owned: [
                {
                  name: "serveds",
                  group: `api.${names.group}`,
                  version: "v1",
                  kind: "Served",
                  deploymentName: "foo",
                  containerPort: 5443,
                },
              ],
            },
          },
        }),
      ),
    ),
    settle(),
  ]),
  scenario("csv-api-service-deployment", "an owned APIService of a Deployment that is not there", (names) => [
    ...ownNamespace(names.ns),
    ...ready(names),
    apply(
      within(
        names.ns,
        csv(names, {
          spec: {
            apiservicedefinitions: {
              owned: [
                { name: "s", group: `api.${names.group}`, version: "v1", kind: "Served", deploymentName: "absent" },
              ],
            },
          },
        }),
      ),
    ),
    settle(),
  ]),
  scenario("csv-owner-conflict", "two operators that own one CRD in a namespace", (names) => [
    ...ownNamespace(names.ns),
    ...ready(names),
    apply(within(names.ns, csv(names))),
    settle(),
    account(names.ns, "bar"),
    apply(
      within(
        names.ns,
        csv(names, {
          name: "bar",
          owned: [ownedCrd(names, "foo")],
          permissions: [],
          clusterPermissions: [],
        }),
      ),
    ),
    settle(),
  ]),
  scenario("csv-strategy-unknown", "an install strategy that does not exist", (names) => [
    ...ownNamespace(names.ns),
    ...ready(names),
    apply(within(names.ns, csv(names, { spec: { install: { strategy: "magic", spec: { deployments: [] } } } }))),
    settle(),
  ]),
  scenario("csv-no-permissions", "an operator that needs no permissions", (names) => [
    ...ownNamespace(names.ns),
    ...ready(names),
    apply(within(names.ns, csv(names, { permissions: [], clusterPermissions: [] }))),
    settle(),
  ]),
  scenario("csv-two-deployments", "two Deployments with labels", (names) => [
    ...ownNamespace(names.ns),
    ...ready(names),
    account(names.ns, "second"),
    apply(within(names.ns, csv(names, { deployments: [deployment("foo"), deployment("second")] }))),
    settle(),
  ]),
  scenario("csv-labels", "labels and annotations of an operator", (names) => [
    ...ownNamespace(names.ns),
    ...ready(names),
    apply(within(names.ns, csv(names, { annotations: { tier: "gold" }, labels: { team: "a" } }))),
    settle(),
    patch(of("ClusterServiceVersion", names.ns, "foo.v1.0.0"), { metadata: { annotations: { tier: "silver" } } }),
    settle(),
  ]),
  scenario("csv-duplicate-modes", "an install mode that is listed twice", (names) => [
    ...ownNamespace(names.ns),
    ...ready(names),
    apply(
      within(
        names.ns,
        csv(names, {
          spec: {
            installModes: [
              { type: "OwnNamespace", supported: true },
              { type: "OwnNamespace", supported: false },
            ],
          },
        }),
      ),
    ),
    settle(),
  ]),
  scenario("drift-deployment", "a Deployment is edited", (names) => [
    ...ownNamespace(names.ns),
    ...ready(names),
    apply(within(names.ns, csv(names))),
    settle(),
    patch(target("apps/v1", "Deployment", "foo", names.ns), { spec: { replicas: 3 } }),
    settle(),
  ]),
  scenario("drift-deployment-deleted", "a Deployment is deleted", (names) => [
    ...ownNamespace(names.ns),
    ...ready(names),
    apply(within(names.ns, csv(names))),
    settle(),
    remove(target("apps/v1", "Deployment", "foo", names.ns)),
    settle(),
  ]),
  scenario("drift-deployment-hash", "the hash on a Deployment is removed", (names) => [
    ...ownNamespace(names.ns),
    ...ready(names),
    apply(within(names.ns, csv(names))),
    settle(),
    patch(target("apps/v1", "Deployment", "foo", names.ns), {
      metadata: { labels: { "olm.deployment-spec-hash": "x" } },
    }),
    settle(),
  ]),
  scenario("drift-crd-deleted", "the CRD of a running operator is deleted", (names) => [
    ...ownNamespace(names.ns),
    ...ready(names),
    apply(within(names.ns, csv(names))),
    settle(),
    remove(target("apiextensions.k8s.io/v1", "CustomResourceDefinition", `foos.${names.group}`)),
    settle(),
    apply(crd(names)),
    settle(),
  ]),
  scenario("drift-account-deleted", "the service account of a running operator is deleted", (names) => [
    ...ownNamespace(names.ns),
    ...ready(names),
    apply(within(names.ns, csv(names))),
    settle(),
    remove(target("v1", "ServiceAccount", "foo", names.ns)),
    settle(),
  ]),
  scenario("drift-role-deleted", "a Role of a running operator is deleted", (names) => [
    ...ownNamespace(names.ns),
    ...ready(names),
    apply(within(names.ns, csv(names))),
    settle(),
    remove(target(RBAC, "Role", `${names.id}-foo`, names.ns)),
    settle(),
  ]),
  scenario("drift-user-roles", "a role for users is deleted", (names) => [
    ...ownNamespace(names.ns),
    ...ready(names),
    apply(within(names.ns, csv(names))),
    settle(),
    remove(target(RBAC, "ClusterRole", `foos.${names.group}-v1-admin`)),
    patch(of("ClusterServiceVersion", names.ns, "foo.v1.0.0"), { metadata: { labels: { poke: "a" } } }),
    settle(),
  ]),
  scenario("delete-csv", "an operator is deleted", (names) => [
    ...ownNamespace(names.ns),
    ...ready(names),
    apply(within(names.ns, csv(names))),
    settle(),
    remove(of("ClusterServiceVersion", names.ns, "foo.v1.0.0")),
    settle(),
  ]),
  scenario("delete-csv-all", "an operator for all namespaces is deleted", (names) => [
    namespace(names.ns),
    namespace(`${names.id}-other`),
    group(names.ns),
    ...ready(names),
    apply(within(names.ns, csv(names))),
    settle(),
    remove(of("ClusterServiceVersion", names.ns, "foo.v1.0.0")),
    settle(),
  ]),
  scenario("copies-edited", "a copy is edited, and deleted", (names) => [
    namespace(names.ns),
    namespace(`${names.id}-other`),
    group(names.ns, { targetNamespaces: [`${names.id}-other`] }),
    ...ready(names),
    apply(within(names.ns, csv(names))),
    settle(),
    patch(of("ClusterServiceVersion", `${names.id}-other`, "foo.v1.0.0"), { spec: { displayName: "edited" } }),
    settle(),
    remove(of("ClusterServiceVersion", `${names.id}-other`, "foo.v1.0.0")),
    settle(),
  ]),
  scenario("copies-new-namespace", "a namespace is created beside an operator for all", (names) => [
    namespace(names.ns),
    group(names.ns),
    ...ready(names),
    apply(within(names.ns, csv(names))),
    settle(),
    namespace(`${names.id}-late`),
    settle(),
  ]),
  scenario("rbac-multi", "permissions in several namespaces", (names) => [
    namespace(names.ns),
    namespace(`${names.id}-a`),
    namespace(`${names.id}-b`),
    group(names.ns, { targetNamespaces: [`${names.id}-a`, `${names.id}-b`] }),
    ...ready(names),
    apply(within(names.ns, csv(names, { permissions: [{ serviceAccountName: "foo", rules: [rule("pods")] }] }))),
    settle(),
  ]),
  scenario("condition-created", "the OperatorCondition of an operator and its permissions", (names) => [
    ...ownNamespace(names.ns),
    ...ready(names),
    apply(within(names.ns, csv(names))),
    settle(),
    patch(of("OperatorCondition", names.ns, "foo.v1.0.0"), {
      spec: {
        conditions: [
          {
            type: "Upgradeable",
            status: "False",
            reason: "Busy",
            message: "not now",
            lastTransitionTime: "2026-01-01T00:00:00Z",
          },
        ],
      },
    }),
    settle(),
  ]),
];
