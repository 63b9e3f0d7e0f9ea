/** Labels what belongs to an installed package, and lists it in the Operator of the package. */
import { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import { apiVersionOf, isDeepEqual } from "@capstan/model";
import type { Kind, StoredObject } from "@capstan/model";
import { watch } from "@capstan/runtime";
import type { Controller } from "@capstan/runtime";
import type { Cluster } from "../cluster/cluster.ts";
import { hasOwnerLabels, isOwnedBy } from "../cluster/owners.ts";
import { isCopied } from "../csv/replacement.ts";
import { ClusterServiceVersion } from "../kinds/csv.ts";
import { InstallPlan } from "../kinds/install-plan.ts";
import { Operator } from "../kinds/operator.ts";
import { Subscription } from "../kinds/subscription.ts";
import { defineSync } from "../manager/define.ts";
import type { Reader, Sync } from "../manager/reader.ts";
import type { ManagerSetting } from "../manager/setting.ts";
import { componentKinds, componentPrefix, operatorName, operatorsOf, toReferences } from "./components.ts";

/** The controllers: of Subscriptions, of ClusterServiceVersions, of Operators. */
export function operatorControllers({ cluster }: ManagerSetting): readonly Controller[] {
  return [
    defineSync({
      name: "adoption-subscription",
      kind: Subscription,
      sync: (sync) => adoptSubscription(sync, cluster),
    }),
    defineSync({ name: "adoption-csv", kind: ClusterServiceVersion, sync: (sync) => adoptOwned(sync, cluster) }),
    defineSync({
      name: "operator",
      kind: Operator,
      // An Operator lives as long as one of its components.
      watches: componentKinds.map((kind) => watch(kind, operatorsOf)),
      sync: (sync) => listComponents(sync, cluster),
    }),
  ];
}

async function adoptSubscription(sync: Sync<Subscription>, cluster: Cluster): Promise<undefined> {
  const { object, get, find } = sync;
  const { namespace = "" } = object.metadata;
  const name = operatorName(object.spec.name, namespace);
  await cluster.ensure(Operator, { metadata: { name } });
  await label(Subscription, object, { name, cluster });
  const csv = get(ClusterServiceVersion, { namespace, name: object.status?.installedCSV ?? "" });
  if (csv !== undefined) await label(ClusterServiceVersion, csv, { name, cluster });
  const current = object.status?.installPlanRef?.name;
  for (const plan of find(InstallPlan, { namespace })) {
    if (plan.metadata.name === current) await label(InstallPlan, plan, { name, cluster });
    else await unlabel(InstallPlan, plan, { name, cluster });
  }
  return undefined;
}

interface Labelling {
  readonly name: string;
  readonly cluster: Cluster;
}

async function label<T extends StoredObject>(kind: Kind<T>, before: T, { name, cluster }: Labelling): Promise<void> {
  const key = `${componentPrefix}${name}`;
  if (before.metadata.labels?.[key] !== undefined) return;
  const metadata = { ...before.metadata, labels: { ...before.metadata.labels, [key]: "" } };
  await cluster.change(kind, { before, after: { ...before, metadata } });
}

async function unlabel<T extends StoredObject>(kind: Kind<T>, before: T, { name, cluster }: Labelling): Promise<void> {
  const { [`${componentPrefix}${name}`]: found, ...labels } = before.metadata.labels ?? {};
  if (found === undefined) return;
  await cluster.change(kind, { before, after: { ...before, metadata: { ...before.metadata, labels } } });
}

async function adoptOwned(
  { object: csv, find, get }: Sync<ClusterServiceVersion>,
  cluster: Cluster,
): Promise<undefined> {
  const names = operatorsOf(csv);
  if (isCopied(csv) || names.length === 0) return undefined;
  const { owned = [] } = csv.spec.customresourcedefinitions ?? {};
  for (const name of names) {
    for (const kind of componentKinds) {
      const candidates = find(kind, { namespace: "*" }).filter(
        (each) => isOwnedBy(each, csv) || hasOwnerLabels(each, csv),
      );
      for (const each of candidates) await label(kind, each, { name, cluster });
    }
    for (const { name: crd } of owned) {
      const found = get(CustomResourceDefinition, { name: crd });
      if (found !== undefined) await label(CustomResourceDefinition, found, { name, cluster });
    }
  }
  return undefined;
}

async function listComponents({ object, find }: Sync<Operator>, cluster: Cluster): Promise<undefined> {
  const key = `${componentPrefix}${object.metadata.name}`;
  const refs = toReferences(componentsWith(key, find));
  const labelSelector = { matchExpressions: [{ key, operator: "Exists" }] };
  const components = { labelSelector, ...(refs.length === 0 ? {} : { refs }) };
  if (isDeepEqual(object.status?.components, components)) return undefined;
  await cluster.changeStatus(Operator, { before: object, after: { ...object, status: { components } } });
  return undefined;
}

function componentsWith(key: string, find: Reader["find"]): readonly StoredObject[] {
  return componentKinds.flatMap((kind) =>
    find(kind, { namespace: "*" })
      .filter(({ metadata }) => metadata.labels?.[key] !== undefined)
      .map((object) => ({ ...object, apiVersion: apiVersionOf(kind), kind: kind.kind })),
  );
}
