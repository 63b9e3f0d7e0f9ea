/** Installs what the manager needs before it starts: CRDs, namespaces, the global OperatorGroup, the settings, roles for users. */
import { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import { ClusterRole } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import { Namespace } from "@capstan/kinds/v1";
import type { Clock } from "@capstan/runtime";
import type { Cluster } from "../cluster/cluster.ts";
import { olmDefinitions } from "../definitions/definitions.ts";
import { OLMConfig } from "../kinds/olm-config.ts";
import { OperatorGroup } from "../kinds/operator-group.ts";

/** Where the base is installed. */
export interface BaseOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  /** The namespace of the manager. */
  readonly namespace: string;
}

/** The namespace of operators for the whole cluster. */
const OPERATORS = "operators";
const LOOK = 100;
const LIMIT = 30_000;

/** Creates or upgrades everything. Settings that exist are not changed. */
export async function installBase({ cluster, clock, namespace }: BaseOptions): Promise<void> {
  const definitions = olmDefinitions();
  for (const definition of definitions) await ensureDefinition(definition, cluster);
  for (const definition of definitions) await untilServed(definition.metadata.name, { cluster, clock });
  for (const name of [namespace, OPERATORS]) await cluster.ensure(Namespace, { metadata: { name } });
  await cluster.ensure(OLMConfig, { metadata: { name: "cluster" } });
  await cluster.ensure(OperatorGroup, { metadata: { name: "global-operators", namespace: OPERATORS }, spec: {} });
  const own = { targetNamespaces: [namespace] };
  await cluster.ensure(OperatorGroup, { metadata: { name: "olm-operators", namespace }, spec: own });
  for (const role of userRoles()) await cluster.ensure(ClusterRole, role);
}

async function ensureDefinition(wanted: CustomResourceDefinition, cluster: Cluster): Promise<void> {
  const { name } = wanted.metadata;
  if ((await cluster.ensure(CustomResourceDefinition, wanted)) === "created") return;
  const before = await cluster.get(CustomResourceDefinition, { namespace: "", name });
  if (before === undefined) return;
  const { conversion = { strategy: "None" } } = before.spec;
  const spec = { ...before.spec, ...wanted.spec, conversion };
  await cluster.change(CustomResourceDefinition, { before, after: { ...before, spec } });
}

async function untilServed(name: string, { cluster, clock }: Pick<BaseOptions, "cluster" | "clock">): Promise<void> {
  const end = clock.now() + LIMIT;
  for (;;) {
    const found = await cluster.get(CustomResourceDefinition, { namespace: "", name });
    const isServed = found?.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True");
    if (isServed === true) return;
    if (clock.now() > end)
      throw new BaseError(`the server does not serve the CRD ${name} after ${LIMIT / 1000} s: look at its conditions`);
    await new Promise<void>((resolve) => clock.later(LOOK, resolve));
  }
}

/** The base of the manager cannot be installed. */
export class BaseError extends Error {
  override readonly name = "BaseError";
  readonly code = "NotServed";
}

/** The roles that the built-in admin, edit and view aggregate. */
function userRoles(): readonly (Pick<ClusterRole, "rules"> & {
  readonly metadata: { readonly name: string; readonly labels: { readonly [key: string]: string } };
})[] {
  const aggregate = (level: string): string => `rbac.authorization.k8s.io/aggregate-to-${level}`;
  const group = ["operators.coreos.com"];
  const written = ["subscriptions"];
  const deleted = ["clusterserviceversions", "catalogsources", "installplans", "subscriptions"];
  const read = ["clusterserviceversions", "catalogsources", "installplans", "subscriptions", "operatorgroups"];
  return [
    {
      metadata: { name: "aggregate-olm-edit", labels: { [aggregate("admin")]: "true", [aggregate("edit")]: "true" } },
      rules: [
        { apiGroups: group, resources: written, verbs: ["create", "update", "patch", "delete"] },
        { apiGroups: group, resources: deleted, verbs: ["delete"] },
      ],
    },
    {
      metadata: {
        name: "aggregate-olm-view",
        labels: { [aggregate("admin")]: "true", [aggregate("edit")]: "true", [aggregate("view")]: "true" },
      },
      rules: [
        { apiGroups: group, resources: read, verbs: ["get", "list", "watch"] },
        {
          apiGroups: ["packages.operators.coreos.com"],
          resources: ["packagemanifests", "packagemanifests/icon"],
          verbs: ["get", "list", "watch"],
        },
      ],
    },
  ];
}
