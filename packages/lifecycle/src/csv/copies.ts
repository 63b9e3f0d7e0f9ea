/** The copies of a ClusterServiceVersion in the namespaces that its operator watches, and its permissions there. */
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import { Namespace, ServiceAccount } from "@capstan/kinds/v1";
import type { Cluster } from "../cluster/cluster.ts";
import { isOwnedBy, managedLabel, nonBlockingOwner, ownerLabels } from "../cluster/owners.ts";
import { buildTargets } from "../group/annotations.ts";
import { ClusterServiceVersion } from "../kinds/csv.ts";
import type { CsvReason, CsvStatus } from "../kinds/csv.ts";
import { OLMConfig } from "../kinds/olm-config.ts";
import { OperatorGroup } from "../kinds/operator-group.ts";
import type { Reader, Sync } from "../manager/reader.ts";
import type { ManagerSetting } from "../manager/setting.ts";
import { rolesOf } from "./observe.ts";
import { permissionStatus } from "./permission-status.ts";

type Csv = ClusterServiceVersion;

type Texts = { readonly [key: string]: string };

const APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
const COMPONENT_PREFIX = "operators.coreos.com/";

/** The reasons in which an operator is not shown in other namespaces. */
const UNCOPIABLE: ReadonlySet<CsvReason | undefined> = new Set<CsvReason | undefined>([
  "Copied",
  "InvalidInstallModes",
  "NoTargetNamespaces",
  "UnsupportedOperatorGroup",
  "NoOperatorGroup",
  "TooManyOperatorGroups",
  "InterOperatorGroupOwnerConflict",
  "CannotModifyStaticOperatorGroupProvidedAPIs",
]);

interface Copying {
  readonly sync: Sync<Csv>;
  readonly setting: ManagerSetting;
}

/** Whether copies for operators of all namespaces are switched on. */
export function areCopiesEnabled(reader: Reader): boolean {
  return reader.get(OLMConfig, { name: "cluster" })?.spec?.features?.disableCopiedCSVs !== true;
}

/** Brings the copies and the permissions in the target namespaces to the state of the original. */
export async function syncCopies(csv: Csv, { sync, setting }: Copying): Promise<void> {
  const namespaces = activeGroup(csv, sync)?.status?.namespaces;
  if (namespaces === undefined) return;
  const [first] = namespaces;
  const isGlobal = namespaces.length === 1 && first === "";
  if (namespaces.length === 1 && first === csv.metadata.namespace) return;
  if (isGlobal) await liftPermissions(csv, { sync, setting });
  if (isUncopiable(csv)) return;
  if (isGlobal && !areCopiesEnabled(sync)) return removeCopies(csv, { sync, setting });
  const targets = sync.find(Namespace, { namespace: "*" }).filter((each) => isTarget(each, csv, namespaces));
  for (const { metadata } of targets) {
    const copy = await ensureCopy(csv, metadata.name, { sync, setting });
    if (!isGlobal) await sharePermissions(csv, copy, { sync, setting });
  }
}

function isUncopiable({ status }: Csv): boolean {
  return (status?.phase ?? "") === "" || UNCOPIABLE.has(status?.reason);
}

function isTarget({ metadata, status }: Namespace, csv: Csv, namespaces: readonly string[]): boolean {
  const isWatched = namespaces.includes("") || namespaces.includes(metadata.name);
  return isWatched && metadata.name !== csv.metadata.namespace && status?.phase !== "Terminating";
}

/** The group of an operator, once its annotations say so. */
function activeGroup({ metadata }: Csv, reader: Reader): OperatorGroup | undefined {
  const { namespace = "", annotations = {} } = metadata;
  if (annotations["olm.operatorNamespace"] !== namespace) return undefined;
  const group = reader.get(OperatorGroup, { namespace, name: annotations["olm.operatorGroup"] ?? "" });
  return group !== undefined && annotations["olm.targetNamespaces"] === buildTargets(group) ? group : undefined;
}

/** The content of a copy. */
function copyOf({
  metadata,
  spec,
  status,
}: Csv): Pick<Csv, "spec"> & { readonly status: CsvStatus; readonly labels: Texts; readonly annotations: Texts } {
  const { "olm.targetNamespaces": _targets, [APPLIED]: _applied, ...annotations } = metadata.annotations ?? {};
  const kept = Object.entries(metadata.labels ?? {}).filter(([key]) => !key.startsWith(COMPONENT_PREFIX));
  const labels = { ...Object.fromEntries(kept), "olm.copiedFrom": metadata.namespace ?? "" };
  const message = `The operator is running in ${metadata.namespace} but is managing this namespace`;
  return { spec, status: { ...status, reason: "Copied", message }, labels, annotations };
}

async function ensureCopy(csv: Csv, namespace: string, { sync, setting }: Copying): Promise<Csv> {
  const { cluster } = setting;
  const { name } = csv.metadata;
  const { spec, status, labels, annotations } = copyOf(csv);
  const known =
    sync.get(ClusterServiceVersion, { namespace, name }) ??
    (await cluster.create(ClusterServiceVersion, {
      metadata: { name, namespace, labels, annotations },
      spec,
    } as never));
  const metadata = { ...known.metadata, labels, annotations };
  const updated = await cluster.change(ClusterServiceVersion, { before: known, after: { ...known, spec, metadata } });
  return cluster.changeStatus(ClusterServiceVersion, { before: updated, after: { ...updated, status } });
}

async function removeCopies(csv: Csv, { sync, setting }: Copying): Promise<void> {
  const labels = { "olm.copiedFrom": csv.metadata.namespace ?? "" };
  for (const { metadata } of sync.find(ClusterServiceVersion, { namespace: "*", labels })) {
    if (metadata.name !== csv.metadata.name) continue;
    await setting.cluster.remove(ClusterServiceVersion, { namespace: metadata.namespace ?? "", name: metadata.name });
  }
  sync.event(
    "Warning",
    "DisabledCopiedCSVs",
    `CSV copying disabled for ${csv.metadata.namespace}/${csv.metadata.name}`,
  );
}

/** Deletes a copy without original, or in a namespace that the original does not watch any more. */
export async function syncCopy(copy: Csv, reader: Reader, cluster: Cluster): Promise<void> {
  const { name, namespace = "", annotations = {} } = copy.metadata;
  const home = annotations["olm.operatorNamespace"];
  const original = home === undefined ? undefined : reader.get(ClusterServiceVersion, { namespace: home, name });
  if (original !== undefined && home !== namespace && isCopiedTo(original, namespace)) return;
  await cluster.remove(ClusterServiceVersion, { namespace, name, uid: copy.metadata.uid });
}

function isCopiedTo({ metadata, status }: Csv, namespace: string): boolean {
  const targets = (metadata.annotations?.["olm.targetNamespaces"] ?? "").split(",");
  const isWatched = (targets.length === 1 && targets[0] === "") || targets.includes(namespace);
  return isWatched && !(status?.phase === "Failed" && status.reason === "InterOperatorGroupOwnerConflict");
}

/** An operator of all namespaces gets the permissions of its namespace in the whole cluster. */
async function liftPermissions(csv: Csv, { sync, setting }: Copying): Promise<void> {
  const { namespace = "" } = csv.metadata;
  const { permissions = [], clusterPermissions = [] } = csv.spec.install.spec ?? {};
  if (permissions.length === 0) return;
  const strategy = { clusterPermissions: [...clusterPermissions, ...permissions] };
  const world = { csv, accounts: sync.find(ServiceAccount, { namespace }), roles: rolesOf(namespace, sync) };
  const status = permissionStatus(world, strategy);
  if ("invalid" in status || status.areMet) return;
  const labels = ownerLabels(csv);
  const view = { verbs: ["get", "list", "watch"], apiGroups: [""], resources: ["namespaces"] };
  for (const { metadata, rules = [] } of sync.find(Role, { namespace, labels })) {
    const meta = { name: metadata.name, labels: metadata.labels ?? {} };
    await setting.cluster.ensure(ClusterRole, { metadata: meta, rules: [...rules, view] });
  }
  for (const { metadata, subjects = [], roleRef } of sync.find(RoleBinding, { namespace, labels })) {
    const meta = { name: metadata.name, labels: metadata.labels ?? {} };
    const reference = { ...roleRef, kind: "ClusterRole" };
    await setting.cluster.ensure(ClusterRoleBinding, { metadata: meta, subjects, roleRef: reference });
  }
}

/** An operator of some namespaces gets its roles and bindings in each of them; they belong to the copy there. */
async function sharePermissions(csv: Csv, copy: Csv, { sync, setting }: Copying): Promise<void> {
  const { namespace = "" } = csv.metadata;
  const target = copy.metadata.namespace ?? "";
  const labels = ownerLabels(csv);
  const meta = (name: string, own: { readonly [key: string]: string } = {}) => ({
    name,
    namespace: target,
    ownerReferences: [nonBlockingOwner(copy)],
    labels: { ...own, ...ownerLabels(copy), "olm.copiedFrom": namespace, ...managedLabel },
  });
  for (const role of sync.find(Role, { namespace, labels })) {
    if (!isOwnedBy(role, csv)) continue;
    const { name } = role.metadata;
    const known = sync.get(Role, { namespace: target, name });
    const rules = role.rules ?? [];
    if (known === undefined) await setting.cluster.ensure(Role, { metadata: meta(name, role.metadata.labels), rules });
    else await setting.cluster.change(Role, { before: known, after: { ...known, rules } });
  }
  for (const { metadata, subjects = [], roleRef, ...rest } of sync.find(RoleBinding, { namespace, labels })) {
    if (!isOwnedBy({ metadata, ...rest }, csv) || sync.get(RoleBinding, { namespace: target, name: metadata.name }))
      continue;
    await setting.cluster.ensure(RoleBinding, { metadata: meta(metadata.name, metadata.labels), subjects, roleRef });
  }
}
