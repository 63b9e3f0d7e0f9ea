/** Reconciles OperatorConditions: one for each operator, the permission to write it, and its reported conditions. */
import { Role, RoleBinding } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import type { Condition, Kind, KubeObject } from "@capstan/model";
import { watch } from "@capstan/runtime";
import type { Controller } from "@capstan/runtime";
import type { Cluster } from "../cluster/cluster.ts";
import { managedLabel, nonBlockingOwner } from "../cluster/owners.ts";
import type { Owner } from "../cluster/owners.ts";
import { isCopied } from "../csv/replacement.ts";
import { ClusterServiceVersion } from "../kinds/csv.ts";
import { OperatorCondition } from "../kinds/operator-condition.ts";
import { defineSync } from "../manager/define.ts";
import type { Sync } from "../manager/reader.ts";
import type { ManagerSetting } from "../manager/setting.ts";
import { nowOf } from "../manager/time.ts";

/** The controller that makes an OperatorCondition for each operator. */
export function conditionGenerator({ cluster }: ManagerSetting): Controller {
  return defineSync({
    name: "operatorcondition-generator",
    kind: ClusterServiceVersion,
    sync: (sync) => generate(sync, cluster),
  });
}

/** The controller that serves the OperatorConditions. */
export function conditionController(setting: ManagerSetting): Controller {
  return defineSync({
    name: "operatorcondition",
    kind: OperatorCondition,
    watches: [watch(OperatorCondition, ({ metadata }) => [`${metadata.namespace}/${metadata.name}`])],
    sync: (sync) => serve(sync, setting),
  });
}

function controllingOwner(owner: Owner): NonNullable<KubeObject["metadata"]["ownerReferences"]>[number] {
  return { ...nonBlockingOwner(owner), controller: true };
}

/** An object with any content. */
interface Wanted {
  readonly metadata: KubeObject["metadata"];
  readonly [field: string]: unknown;
}

async function generate({ object: csv, get }: Sync<ClusterServiceVersion>, cluster: Cluster): Promise<undefined> {
  if (isCopied(csv) || csv.metadata.deletionTimestamp !== undefined) return undefined;
  const { name, namespace = "" } = csv.metadata;
  const { permissions = [], clusterPermissions = [], deployments = [] } = csv.spec.install.spec ?? {};
  const accounts = [...clusterPermissions, ...permissions].map((each) => each.serviceAccountName);
  const serviceAccounts = accounts.length === 0 ? ["default"] : accounts;
  const wanted = { serviceAccounts, deployments: deployments.map((each) => each.name) };
  const ownerReferences = [controllingOwner(csv)];
  const known = get(OperatorCondition, { namespace, name });
  if (known === undefined) {
    await cluster.ensure(OperatorCondition, { metadata: { name, namespace, ownerReferences }, spec: wanted });
    return undefined;
  }
  const after = { ...known, metadata: { ...known.metadata, ownerReferences }, spec: { ...known.spec, ...wanted } };
  await cluster.change(OperatorCondition, { before: known, after });
  return undefined;
}

async function serve(sync: Sync<OperatorCondition>, setting: ManagerSetting): Promise<undefined> {
  const { object, get } = sync;
  if (object.metadata.deletionTimestamp !== undefined) return undefined;
  const { name, namespace = "" } = object.metadata;
  const { cluster } = setting;
  const metadata = { name, namespace, labels: managedLabel, ownerReferences: [controllingOwner(object)] };
  const rules = [
    {
      verbs: ["get", "update", "patch"],
      apiGroups: ["operators.coreos.com"],
      resources: ["operatorconditions"],
      resourceNames: [name],
    },
  ];
  const subjects = (object.spec?.serviceAccounts ?? []).map((account) => ({ kind: "ServiceAccount", name: account }));
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name };
  await keep(Role, get(Role, { namespace, name }), { metadata, rules }, cluster);
  await keep(RoleBinding, get(RoleBinding, { namespace, name }), { metadata, subjects, roleRef }, cluster);
  await copyConditions(object, setting);
  return undefined;
}

async function keep(kind: Kind, known: KubeObject | undefined, wanted: Wanted, cluster: Cluster): Promise<void> {
  if (known === undefined) {
    await cluster.ensure<KubeObject>(kind, wanted);
    return;
  }
  const { ownerReferences = [] } = wanted.metadata;
  const labels = { ...known.metadata.labels, ...wanted.metadata.labels };
  const after = { ...known, ...wanted, metadata: { ...known.metadata, labels, ownerReferences } };
  await cluster.change(kind, { before: known, after });
}

/** What the operator writes into the spec becomes the status, with the generation that it was written in. */
async function copyConditions(object: OperatorCondition, { cluster, clock }: ManagerSetting): Promise<void> {
  const { generation = 0 } = object.metadata;
  const known = object.status?.conditions ?? [];
  const changed = (object.spec?.conditions ?? []).filter((condition) => {
    const old = known.find(({ type }) => type === condition.type);
    return old?.status !== condition.status || old.observedGeneration !== generation;
  });
  if (changed.length === 0) return;
  const next = changed.map((condition): Condition => {
    const old = known.find(({ type }) => type === condition.type);
    const since = old?.status === condition.status ? old.lastTransitionTime : condition.lastTransitionTime;
    return { ...condition, observedGeneration: generation, lastTransitionTime: since ?? nowOf(clock) };
  });
  const isNew = ({ type }: Condition): boolean => !known.some((old) => old.type === type);
  const kept = known.map((old) => next.find(({ type }) => type === old.type) ?? old);
  const conditions = [...kept, ...next.filter(isNew)];
  await cluster.changeStatus(OperatorCondition, { before: object, after: { ...object, status: { conditions } } });
}
