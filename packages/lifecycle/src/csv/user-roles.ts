/** The ClusterRoles by which users may use what an operator provides: admin, edit and view for each API. */
import { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import { APIService } from "@capstan/kinds/apiregistration.k8s.io/v1";
import { ClusterRole } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import type { Cluster, NewObject } from "../cluster/cluster.ts";
import { managedLabel, nonBlockingOwner } from "../cluster/owners.ts";
import type { Owner } from "../cluster/owners.ts";
import type { ClusterServiceVersion } from "../kinds/csv.ts";
import type { Reader } from "../manager/reader.ts";
import { apiHash, crdGroup } from "./apis.ts";

/** The verbs by level. */
export const userLevels: { readonly [level: string]: readonly string[] } = {
  admin: ["*"],
  edit: ["create", "update", "patch", "delete"],
  view: ["get", "list", "watch"],
};

/** The label of the roles of one level for one API; the roles of OperatorGroups aggregate them. */
export function aggregationLabel(api: string, level: string): string {
  return `olm.opgroup.permissions/aggregate-to-${apiHash(api)}-${level}`;
}

interface Provided {
  readonly prefix: string;
  readonly api: string;
  readonly group: string;
  readonly resource: string;
  readonly owner: Owner;
}

/** Ensures the roles of everything that an operator provides. */
export async function ensureUserRoles(
  { spec }: ClusterServiceVersion,
  { reader, cluster }: { readonly reader: Reader; readonly cluster: Cluster },
): Promise<void> {
  for (const { name, version, kind } of spec.customresourcedefinitions?.owned ?? []) {
    const owner = reader.get(CustomResourceDefinition, { name });
    const group = crdGroup(name) ?? "";
    if (owner === undefined) continue;
    const provided = {
      prefix: `${name}-${version}-`,
      api: `${kind}.${version}.${group}`,
      group,
      resource: name.split(".")[0] ?? "",
      owner,
    };
    await ensureLevels(provided, { reader, cluster });
    const rule = {
      verbs: ["get"],
      apiGroups: ["apiextensions.k8s.io"],
      resources: ["customresourcedefinitions"],
      resourceNames: [name],
    };
    await ensureRole(userRole(provided, { level: "view", name: `${name}-${version}-crdview`, rule }), {
      reader,
      cluster,
    });
  }
  for (const { name, version, group, kind } of spec.apiservicedefinitions?.owned ?? []) {
    const owner = reader.get(APIService, { name: `${version}.${group}` });
    if (owner === undefined) continue;
    const api = `${kind}.${version}.${group}`;
    await ensureLevels({ prefix: `${name}-${version}-`, api, group, resource: name, owner }, { reader, cluster });
  }
}

async function ensureLevels(
  provided: Provided,
  calls: { readonly reader: Reader; readonly cluster: Cluster },
): Promise<void> {
  for (const [level, verbs] of Object.entries(userLevels)) {
    const rule = { verbs, apiGroups: [provided.group], resources: [provided.resource] };
    await ensureRole(userRole(provided, { level, name: `${provided.prefix}${level}`, rule }), calls);
  }
}

interface Level {
  readonly level: string;
  readonly name: string;
  readonly rule: NonNullable<ClusterRole["rules"]>[number];
}

function userRole({ api, owner }: Provided, { level, name, rule }: Level): NewObject<ClusterRole> {
  const labels = {
    [`rbac.authorization.k8s.io/aggregate-to-${level}`]: "true",
    [aggregationLabel(api, level)]: "true",
    ...managedLabel,
  };
  // The original writes the kind of a CRD in lower case.
  const { kind } = owner;
  const reference = {
    ...nonBlockingOwner(owner),
    kind: kind === "CustomResourceDefinition" ? kind.toLowerCase() : kind,
  };
  return { metadata: { name, labels, ownerReferences: [reference] }, rules: [rule] };
}

async function ensureRole(
  wanted: NewObject<ClusterRole>,
  { reader, cluster }: { readonly reader: Reader; readonly cluster: Cluster },
): Promise<void> {
  const known = reader.get(ClusterRole, { name: wanted.metadata.name ?? "" });
  if (known === undefined) {
    await cluster.ensure(ClusterRole, wanted);
    return;
  }
  const { labels, ownerReferences } = wanted.metadata;
  const metadata = {
    ...known.metadata,
    labels: { ...known.metadata.labels, ...labels },
    ...(ownerReferences === undefined ? {} : { ownerReferences }),
  };
  await cluster.change(ClusterRole, {
    before: known,
    after: { ...known, metadata, ...(wanted.rules && { rules: wanted.rules }) },
  });
}
