/** The copies of a ClusterServiceVersion in the namespaces that its operator watches, and its permissions there. */
import { isApiError } from "@capstan/client";
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import { Namespace, ServiceAccount } from "@capstan/kinds/v1";
import type { Cluster } from "../cluster/cluster.ts";
import { hasOwnerLabels, isOwnedBy, managedLabel, nonBlockingOwner, ownerLabels } from "../cluster/owners.ts";
import { buildTargets } from "../group/annotations.ts";
import { serviceAccountOf } from "../group/service-account.ts";
import { ClusterServiceVersion } from "../kinds/csv.ts";
import type { CsvReason, CsvStatus, CsvStrategy } from "../kinds/csv.ts";
import { OLMConfig } from "../kinds/olm-config.ts";
import { OperatorGroup } from "../kinds/operator-group.ts";
import type { Reader, Sync } from "../manager/reader.ts";
import type { ManagerSetting } from "../manager/setting.ts";
import { rolesOf } from "./observe.ts";
import { permissionStatus } from "./permission-status.ts";
import { rulesHash } from "./permissions.ts";

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
  const group = activeGroup(csv, sync);
  const namespaces = group?.status?.namespaces;
  if (group === undefined || namespaces === undefined) return;
  const only = namespaces.length === 1 ? namespaces[0] : undefined;
  const isGlobal = only === "";
  if (only === csv.metadata.namespace) return;
  const writer = writerFor(group, setting);
  if (isGlobal && writer !== undefined) await liftPermissions(csv, { sync, writer });
  if (isUncopiable(csv)) return;
  if (isGlobal && !areCopiesEnabled(sync)) return removeCopies(csv, { sync, setting });
  const targets = sync.find(Namespace, { namespace: "*" }).filter((each) => isTarget(each, csv, namespaces));
  for (const { metadata } of targets) {
    const copy = await ensureCopy(csv, metadata.name, { sync, setting });
    if (!isGlobal && writer !== undefined) await sharePermissions(csv, copy, { sync, writer });
  }
}

/** The calls that grant permissions: those of the group's service account, so that an install does nothing that it may not. */
function writerFor(group: OperatorGroup, { cluster, as }: ManagerSetting): Cluster | undefined {
  const account = serviceAccountOf([group]);
  if ("error" in account) return undefined;
  return account.reference === undefined ? cluster : as(account.reference);
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

interface Granting {
  readonly sync: Sync<Csv>;
  /** The calls of the group's service account, or those of the manager. */
  readonly writer: Cluster;
}

/**
 * The roles of an operator in its namespace that its permissions describe. A label alone proves nothing: anything that may write roles in
 * the namespace could set it, and have its rules granted in other namespaces.
 */
function describedRoles(csv: Csv, { find }: Reader): readonly Role[] {
  const { namespace = "" } = csv.metadata;
  const described = new Set((csv.spec.install.spec?.permissions ?? []).map((each) => rulesHash(each.rules ?? [])));
  return find(Role, { namespace, labels: ownerLabels(csv) }).filter(
    (role) => isOwnedBy(role, csv) && described.has(rulesHash(role.rules ?? [])),
  );
}

/** The bindings of these roles to the service accounts that the permissions name. */
function describedBindings(csv: Csv, roles: readonly Role[], { find }: Reader): readonly RoleBinding[] {
  const { namespace = "" } = csv.metadata;
  const names = new Set(roles.map(({ metadata }) => metadata.name));
  const accounts = new Set((csv.spec.install.spec?.permissions ?? []).map((each) => each.serviceAccountName));
  const isDescribed = ({ subjects = [], roleRef }: RoleBinding): boolean =>
    roleRef.kind === "Role" &&
    names.has(roleRef.name) &&
    subjects.every((each) => each.kind === "ServiceAccount" && each.namespace === namespace && accounts.has(each.name));
  return find(RoleBinding, { namespace, labels: ownerLabels(csv) }).filter(
    (binding) => isOwnedBy(binding, csv) && isDescribed(binding),
  );
}

/** Whether the service accounts have everything that the strategy describes, in a namespace. */
function isAllowed(csv: Csv, { strategy, namespace, reader }: Allowance): boolean {
  const accounts = reader.find(ServiceAccount, { namespace: csv.metadata.namespace ?? "" });
  const status = permissionStatus({ csv, accounts, roles: rolesOf(namespace, reader) }, strategy);
  return "invalid" in status || status.areMet;
}

interface Allowance {
  readonly strategy: CsvStrategy;
  readonly namespace: string;
  readonly reader: Reader;
}

/** An operator of all namespaces gets the permissions of its namespace in the whole cluster. */
async function liftPermissions(csv: Csv, { sync, writer }: Granting): Promise<void> {
  const { namespace = "" } = csv.metadata;
  const { permissions = [], clusterPermissions = [] } = csv.spec.install.spec ?? {};
  if (permissions.length === 0) return;
  const strategy = { clusterPermissions: [...clusterPermissions, ...permissions] };
  if (isAllowed(csv, { strategy, namespace, reader: sync })) return;
  const view = { verbs: ["get", "list", "watch"], apiGroups: [""], resources: ["namespaces"] };
  const roles = describedRoles(csv, sync);
  await permitted(sync, async () => {
    for (const { metadata, rules = [] } of roles) {
      const meta = { name: metadata.name, labels: metadata.labels ?? {} };
      await writer.ensure(ClusterRole, { metadata: meta, rules: [...rules, view] });
    }
    for (const { metadata, subjects = [], roleRef } of describedBindings(csv, roles, sync)) {
      const meta = { name: metadata.name, labels: metadata.labels ?? {} };
      const reference = { ...roleRef, kind: "ClusterRole" };
      await writer.ensure(ClusterRoleBinding, { metadata: meta, subjects, roleRef: reference });
    }
  });
}

/** Reports what the service account may not grant. It is tried again with the next change. */
async function permitted({ event }: Sync<Csv>, grant: () => Promise<void>): Promise<void> {
  try {
    await grant();
  } catch (error) {
    if (!isApiError(error, "Forbidden")) throw error;
    event(
      "Warning",
      "PermissionsNotGranted",
      `the service account of the OperatorGroup may not do this: ${error.message}`,
    );
  }
}

/** An operator of some namespaces gets its roles and bindings in each of them; they belong to the copy there. */
async function sharePermissions(csv: Csv, copy: Csv, { sync, writer }: Granting): Promise<void> {
  const target = copy.metadata.namespace ?? "";
  const strategy = csv.spec.install.spec ?? {};
  if (isAllowed(csv, { strategy, namespace: target, reader: sync })) return;
  const meta = (name: string, own: { readonly [key: string]: string } = {}) => ({
    name,
    namespace: target,
    ownerReferences: [nonBlockingOwner(copy)],
    labels: { ...own, ...ownerLabels(copy), "olm.copiedFrom": csv.metadata.namespace ?? "", ...managedLabel },
  });
  const roles = describedRoles(csv, sync);
  await permitted(sync, async () => {
    for (const role of roles) {
      const { name, labels } = role.metadata;
      const known = sync.get(Role, { namespace: target, name });
      const rules = role.rules ?? [];
      if (known === undefined) await writer.ensure(Role, { metadata: meta(name, labels), rules });
      // A role of the same name that is not the operator's stays as it is.
      else if (hasOwnerLabels(known, copy)) await writer.change(Role, { before: known, after: { ...known, rules } });
    }
    for (const { metadata, subjects = [], roleRef } of describedBindings(csv, roles, sync)) {
      if (sync.get(RoleBinding, { namespace: target, name: metadata.name }) !== undefined) continue;
      await writer.ensure(RoleBinding, { metadata: meta(metadata.name, metadata.labels), subjects, roleRef });
    }
  });
}
