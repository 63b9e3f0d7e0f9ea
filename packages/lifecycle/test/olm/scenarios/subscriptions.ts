/** Scenarios of Subscriptions: channels, plans, approval, configuration, dependencies, catalogs, deprecations. */
import type { Json } from "@capstan/model";
import {
  apply,
  blobs,
  catalog,
  crd,
  csv,
  type Entry,
  of,
  type OperatorFacts,
  ownedCrd,
  ownNamespace,
  patch,
  remove,
  settle,
  subscribe,
  within,
} from "../content.ts";
import { type Names, type Scenario, scenario } from "../scenario.ts";

/** An entry of a channel with its CRD. */
export function entry(names: Names, facts: OperatorFacts & { readonly properties?: readonly Json[] } = {}): Entry {
  const { properties, ...rest } = facts;
  return {
    csv: csv(names, rest),
    objects: [crd(names, facts.name ?? "foo")],
    ...(properties === undefined ? {} : { properties }),
  };
}

const v1 = (names: Names): Entry => entry(names);
const v2 = (names: Names): Entry => entry(names, { version: "2.0.0", replaces: "foo.v1.0.0" });
const v3 = (names: Names): Entry => entry(names, { version: "3.0.0", replaces: "foo.v2.0.0" });

const needsPackage = (packageName: string, versionRange: string): Json => ({
  type: "olm.package.required",
  value: { packageName, versionRange },
});

function bar(names: Names, version = "1.0.0", more: OperatorFacts = {}): Entry {
  return entry(names, { name: "bar", version, ...more });
}

/** The scenarios. */
export const subscriptionScenarios: readonly Scenario[] = [
  scenario("sub-install", "a package is installed", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(names, blobs({ channels: { stable: [v1(names)] } })),
    subscribe(names.ns),
    settle(),
  ]),
  scenario("sub-default-channel", "a Subscription without a channel", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(
      names,
      blobs({ channels: { alpha: [v1(names)], beta: [v1(names), v2(names)] }, defaultChannel: "beta" }),
    ),
    subscribe(names.ns, { channel: undefined }),
    settle(),
  ]),
  scenario("sub-manual", "a plan waits for approval", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(names, blobs({ channels: { stable: [v1(names)] } })),
    subscribe(names.ns, { installPlanApproval: "Manual" }),
    settle(),
    { do: "approve", namespace: names.ns },
    settle(),
  ]),
  scenario("sub-starting", "startingCSV, then upgrades along the channel", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(names, blobs({ channels: { stable: [v1(names), v2(names)] } })),
    subscribe(names.ns, { startingCSV: "foo.v1.0.0" }),
    settle(),
  ]),
  scenario("sub-starting-manual", "startingCSV with manual approval", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(names, blobs({ channels: { stable: [v1(names), v2(names), v3(names)] } })),
    subscribe(names.ns, { startingCSV: "foo.v1.0.0", installPlanApproval: "Manual" }),
    settle(),
    { do: "approve", namespace: names.ns },
    settle(),
    { do: "approve", namespace: names.ns },
    settle(),
  ]),
  scenario("sub-starting-absent", "startingCSV that the channel does not have", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(names, blobs({ channels: { stable: [v1(names)] } })),
    subscribe(names.ns, { startingCSV: "foo.v9.0.0" }),
    settle(),
  ]),
  scenario("sub-no-package", "a package that does not exist", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(names, blobs({ channels: { stable: [v1(names)] } })),
    subscribe(names.ns, { name: "absent" }),
    settle(),
  ]),
  scenario("sub-no-channel", "a channel that does not exist", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(names, blobs({ channels: { stable: [v1(names)] } })),
    subscribe(names.ns, { channel: "absent" }),
    settle(),
    patch(of("Subscription", names.ns, "sub"), { spec: { channel: "stable" } }),
    settle(),
  ]),
  scenario("sub-no-catalog", "a catalog that does not exist, and comes", (names) => [
    ...ownNamespace(names.ns),
    subscribe(names.ns),
    settle(),
    ...catalog(names, blobs({ channels: { stable: [v1(names)] } })),
    settle(),
  ]),
  scenario("sub-no-group", "a Subscription in a namespace without a group", (names) => [
    ...ownNamespace(names.ns).slice(0, 1),
    ...catalog(names, blobs({ channels: { stable: [v1(names)] } })),
    subscribe(names.ns),
    settle(),
    ...ownNamespace(names.ns).slice(1),
    settle(),
  ]),
  scenario("sub-two-same", "two Subscriptions for one package", (names) => [
    ...ownNamespace(names.ns),
    // Both exist before anything can be resolved.
    subscribe(names.ns),
    subscribe(names.ns, {}, "again"),
    ...catalog(names, blobs({ channels: { stable: [v1(names)] } })),
    settle(),
  ]),
  scenario("sub-two-channels", "two Subscriptions for two channels of one package", (names) => [
    ...ownNamespace(names.ns),
    // Both exist before anything can be resolved.
    subscribe(names.ns),
    subscribe(names.ns, { channel: "beta" }, "again"),
    ...catalog(names, blobs({ channels: { stable: [v1(names)], beta: [v1(names), v2(names)] } })),
    settle(),
  ]),
  scenario("sub-two-packages", "two packages of one catalog", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(names, [
      ...blobs({ channels: { stable: [v1(names)] } }),
      ...blobs({ name: "bar", channels: { stable: [bar(names)] } }),
    ]),
    subscribe(names.ns),
    subscribe(names.ns, { name: "bar" }, "other"),
    settle(),
  ]),
  scenario("sub-config", "everything that the configuration of a Subscription may set", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(names, blobs({ channels: { stable: [v1(names)] } })),
    subscribe(names.ns, {
      config: {
        nodeSelector: { disk: "ssd" },
        tolerations: [{ key: "a", operator: "Exists" }],
        resources: { limits: { memory: "64Mi" }, requests: { cpu: "10m" } },
        env: [{ name: "A", value: "b" }],
        envFrom: [{ configMapRef: { name: "settings" } }],
        volumes: [{ name: "v", emptyDir: {} }],
        volumeMounts: [{ name: "v", mountPath: "/v" }],
        annotations: { note: "yes" },
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key: "kubernetes.io/os", operator: "In", values: ["linux"] }] },
              ],
            },
          },
        },
      },
    }),
    settle(),
  ]),
  scenario("sub-config-change", "the configuration changes later", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(names, blobs({ channels: { stable: [v1(names)] } })),
    subscribe(names.ns, { config: { env: [{ name: "A", value: "1" }] } }),
    settle(),
    patch(of("Subscription", names.ns, "sub"), { spec: { config: { env: [{ name: "A", value: "2" }] } } }),
    settle(),
  ]),
  scenario("sub-upgrade", "a new version appears in the channel", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(names, blobs({ channels: { stable: [v1(names)] } })),
    subscribe(names.ns),
    settle(),
    { do: "serve", catalog: `${names.id}-cat`, blobs: blobs({ channels: { stable: [v1(names), v2(names)] } }) },
    settle(),
  ]),
  scenario("sub-upgrade-manual", "a manual upgrade waits", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(names, blobs({ channels: { stable: [v1(names)] } })),
    subscribe(names.ns, { installPlanApproval: "Manual" }),
    settle(),
    { do: "approve", namespace: names.ns },
    settle(),
    { do: "serve", catalog: `${names.id}-cat`, blobs: blobs({ channels: { stable: [v1(names), v2(names)] } }) },
    settle(),
    { do: "approve", namespace: names.ns },
    settle(),
  ]),
  scenario("sub-upgrade-skips", "an upgrade that skips versions", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(names, blobs({ channels: { stable: [v1(names)] } })),
    subscribe(names.ns),
    settle(),
    {
      do: "serve",
      catalog: `${names.id}-cat`,
      blobs: blobs({
        channels: {
          stable: [
            v1(names),
            v2(names),
            entry(names, { version: "3.0.0", replaces: "foo.v2.0.0", skips: ["foo.v1.0.0"] }),
          ],
        },
      }),
    },
    settle(),
  ]),
  scenario("sub-upgrade-range", "an upgrade by skipRange", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(names, blobs({ channels: { stable: [v1(names)] } })),
    subscribe(names.ns),
    settle(),
    {
      do: "serve",
      catalog: `${names.id}-cat`,
      blobs: blobs({ channels: { stable: [entry(names, { version: "2.0.0", skipRange: ">=1.0.0 <2.0.0" })] } }),
    },
    settle(),
  ]),
  scenario("sub-channel-switch", "a Subscription changes to another channel", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(names, blobs({ channels: { stable: [v1(names)], fast: [v1(names), v2(names)] } })),
    subscribe(names.ns),
    settle(),
    patch(of("Subscription", names.ns, "sub"), { spec: { channel: "fast" } }),
    settle(),
  ]),
  scenario("sub-channel-switch-off", "a Subscription changes to a channel without the installed version", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(names, blobs({ channels: { stable: [v1(names)], other: [entry(names, { version: "5.0.0" })] } })),
    subscribe(names.ns),
    settle(),
    patch(of("Subscription", names.ns, "sub"), { spec: { channel: "other" } }),
    settle(),
  ]),
  scenario("sub-veto", "an OperatorCondition holds an upgrade back, and an override lets it go", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(names, blobs({ channels: { stable: [v1(names)] } })),
    subscribe(names.ns),
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
    { do: "serve", catalog: `${names.id}-cat`, blobs: blobs({ channels: { stable: [v1(names), v2(names)] } }) },
    settle(),
    patch(of("OperatorCondition", names.ns, "foo.v1.0.0"), {
      spec: { overrides: [{ type: "Upgradeable", status: "True", reason: "Go", message: "go" }] },
    }),
    settle(),
  ]),
  scenario("sub-deprecated", "a deprecated package, channel and bundle", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(
      names,
      blobs({
        channels: { stable: [v1(names)] },
        deprecations: [
          { reference: { schema: "olm.package" }, message: "the package ends" },
          { reference: { schema: "olm.channel", name: "stable" }, message: "the channel ends" },
          { reference: { schema: "olm.bundle", name: "foo.v1.0.0" }, message: "the bundle ends" },
        ],
      }),
    ),
    subscribe(names.ns),
    settle(),
  ]),
  scenario("sub-deprecated-later", "a channel is deprecated later, and is not any more", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(names, blobs({ channels: { stable: [v1(names)] } })),
    subscribe(names.ns),
    settle(),
    {
      do: "serve",
      catalog: `${names.id}-cat`,
      blobs: blobs({
        channels: { stable: [v1(names)] },
        deprecations: [{ reference: { schema: "olm.channel", name: "stable" }, message: "the channel ends" }],
      }),
    },
    settle(),
    { do: "serve", catalog: `${names.id}-cat`, blobs: blobs({ channels: { stable: [v1(names)] } }) },
    settle(),
  ]),
  scenario("dep-gvk", "a kind that another package provides", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(names, [
      ...blobs({ channels: { stable: [entry(names, { required: [ownedCrd(names, "bar")] })] } }),
      ...blobs({ name: "bar", channels: { stable: [bar(names)] } }),
    ]),
    subscribe(names.ns),
    settle(),
  ]),
  scenario("dep-gvk-missing", "a kind that no package provides", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(names, blobs({ channels: { stable: [entry(names, { required: [ownedCrd(names, "bar")] })] } })),
    subscribe(names.ns),
    settle(),
  ]),
  scenario("dep-package", "a package in a range", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(names, [
      ...blobs({ channels: { stable: [entry(names, { properties: [needsPackage("bar", "<2.0.0")] })] } }),
      ...blobs({
        name: "bar",
        channels: { stable: [bar(names), bar(names, "2.0.0", { replaces: "bar.v1.0.0" })] },
      }),
    ]),
    subscribe(names.ns),
    settle(),
  ]),
  scenario("dep-package-missing", "a package in a range that nothing satisfies", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(names, [
      ...blobs({ channels: { stable: [entry(names, { properties: [needsPackage("bar", ">5.0.0")] })] } }),
      ...blobs({ name: "bar", channels: { stable: [bar(names)] } }),
    ]),
    subscribe(names.ns),
    settle(),
  ]),
  scenario("dep-constraint", "a constraint in CEL that is not met", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(
      names,
      blobs({
        channels: {
          stable: [
            entry(names, {
              properties: [
                {
                  type: "olm.constraint",
                  value: {
                    failureMessage: "needs a certified operator",
                    cel: { rule: "properties.exists(p, p.type == 'certified')" },
                  },
                },
              ],
            }),
          ],
        },
      }),
    ),
    subscribe(names.ns),
    settle(),
  ]),
  scenario("dep-any", "a compound constraint", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(names, [
      ...blobs({
        channels: {
          stable: [
            entry(names, {
              properties: [
                {
                  type: "olm.constraint",
                  value: {
                    failureMessage: "needs bar",
                    any: {
                      constraints: [
                        { package: { packageName: "bar", versionRange: ">=1.0.0" } },
                        { package: { packageName: "baz", versionRange: ">=1.0.0" } },
                      ],
                    },
                  },
                },
              ],
            }),
          ],
        },
      }),
      ...blobs({ name: "bar", channels: { stable: [bar(names)] } }),
    ]),
    subscribe(names.ns),
    settle(),
  ]),
  scenario("dep-existing", "a kind that an operator of the namespace already provides", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(names, [
      ...blobs({ channels: { stable: [entry(names, { required: [ownedCrd(names, "bar")] })] } }),
      ...blobs({ name: "bar", channels: { stable: [bar(names)] } }),
    ]),
    subscribe(names.ns, { name: "bar" }, "other"),
    settle(),
    subscribe(names.ns),
    settle(),
  ]),
  scenario("cat-priority", "two catalogs with one package, and a dependency from the one with priority", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(names, blobs({ channels: { stable: [entry(names, { required: [ownedCrd(names, "bar")] })] } })),
    ...catalog(names, blobs({ name: "bar", channels: { low: [bar(names)] } }), { name: "low", spec: { priority: 1 } }),
    ...catalog(names, blobs({ name: "bar", channels: { high: [bar(names)] } }), {
      name: "high",
      spec: { priority: 9 },
    }),
    subscribe(names.ns),
    settle(),
  ]),
  scenario("cat-unreachable", "a catalog that nothing serves beside a good one", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(names, blobs({ channels: { stable: [v1(names)] } })),
    apply({
      apiVersion: "operators.coreos.com/v1alpha1",
      kind: "CatalogSource",
      metadata: { name: "bad", namespace: names.ns },
      spec: { sourceType: "grpc", address: "127.0.0.1:9" },
    }),
    subscribe(names.ns),
    settle(),
  ]),
  ...(
    [
      ["type", { sourceType: "magic" }],
      ["grpc", { sourceType: "grpc" }],
      ["config-map", { sourceType: "configmap" }],
      ["config-map-absent", { sourceType: "configmap", configMap: "absent" }],
    ] as const
  ).map(([name, spec]) =>
    scenario(`cat-invalid-${name}`, `a CatalogSource that is not valid: ${name}`, (names) => [
      ...ownNamespace(names.ns),
      apply({
        apiVersion: "operators.coreos.com/v1alpha1",
        kind: "CatalogSource",
        metadata: { name: "bad", namespace: names.ns },
        spec,
      }),
      settle(),
    ]),
  ),
  scenario("cat-deleted", "the catalog of an installed operator is deleted", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(names, blobs({ channels: { stable: [v1(names)] } })),
    subscribe(names.ns),
    settle(),
    remove(of("CatalogSource", names.ns, "cat")),
    settle(),
  ]),
  scenario("cat-vanishes", "the server of a catalog ends", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(names, blobs({ channels: { stable: [v1(names)] } })),
    subscribe(names.ns),
    settle(),
    { do: "vanish", catalog: `${names.id}-cat` },
    settle(),
  ]),
  scenario("delete-sub", "a Subscription is deleted, and created again", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(names, blobs({ channels: { stable: [v1(names)] } })),
    subscribe(names.ns),
    settle(),
    remove(of("Subscription", names.ns, "sub")),
    settle(),
    subscribe(names.ns),
    settle(),
  ]),
  scenario("delete-csv-of-sub", "the operator of a Subscription is deleted", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(names, blobs({ channels: { stable: [v1(names)] } })),
    subscribe(names.ns),
    settle(),
    remove(of("ClusterServiceVersion", names.ns, "foo.v1.0.0")),
    settle(),
  ]),
  scenario("delete-both", "the Subscription and then the operator are deleted, and installed again", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(names, blobs({ channels: { stable: [v1(names)] } })),
    subscribe(names.ns),
    settle(),
    remove(of("Subscription", names.ns, "sub")),
    remove(of("ClusterServiceVersion", names.ns, "foo.v1.0.0")),
    settle(),
    subscribe(names.ns),
    settle(),
  ]),
  scenario("delete-plans", "the plans of an installed operator are deleted", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(names, blobs({ channels: { stable: [v1(names)] } })),
    subscribe(names.ns),
    settle(),
    { do: "delete-plans", namespace: names.ns },
    settle(),
  ]),
  scenario("delete-plan-waiting", "a plan that waits for approval is deleted", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(names, blobs({ channels: { stable: [v1(names)] } })),
    subscribe(names.ns, { installPlanApproval: "Manual" }),
    settle(),
    { do: "delete-plans", namespace: names.ns },
    settle(),
  ]),
  scenario("sub-by-hand", "an operator that was created by hand gets a Subscription", (names) => [
    ...ownNamespace(names.ns),
    ...catalog(names, blobs({ channels: { stable: [v1(names)] } })),
    apply(within(names.ns, csv(names))),
    settle(),
    subscribe(names.ns),
    settle(),
  ]),
];
