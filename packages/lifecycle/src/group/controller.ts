/** Reconciles OperatorGroups: their namespaces, their service account, their members, and the roles for their users. */
import { ClusterRole } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import { Namespace, ServiceAccount } from "@capstan/kinds/v1";
import { isDeepEqual } from "@capstan/model";
import type { Condition } from "@capstan/model";
import { watch } from "@capstan/runtime";
import type { Controller } from "@capstan/runtime";
import { managedLabel, ownerLabels } from "../cluster/owners.ts";
import { base62Hash } from "../cluster/hash.ts";
import { formatApis, providedApis } from "../csv/apis.ts";
import type { ApiSet } from "../csv/apis.ts";
import { isCopied } from "../csv/replacement.ts";
import { aggregationLabel, userLevels } from "../csv/user-roles.ts";
import { groupLabel } from "../csv/webhooks.ts";
import { ClusterServiceVersion } from "../kinds/csv.ts";
import { OperatorGroup } from "../kinds/operator-group.ts";
import type { OperatorGroupStatus } from "../kinds/operator-group.ts";
import { defineSync } from "../manager/define.ts";
import type { Sync } from "../manager/reader.ts";
import type { ManagerSetting } from "../manager/setting.ts";
import { nowOf } from "../manager/time.ts";
import { groupAnnotations } from "./annotations.ts";
import { groupApis, providedApisAnnotation } from "./intersection.ts";
import { selectNamespaces } from "./targets.ts";

type GroupSync = Sync<OperatorGroup>;

/** The controller. */
export function groupController(setting: ManagerSetting): Controller {
  return defineSync({
    name: "operatorgroup",
    kind: OperatorGroup,
    watches: [watch(OperatorGroup, ({ metadata }) => [`${metadata.namespace}/${metadata.name}`])],
    sync: (sync) => reconcile(sync, setting),
  });
}

async function reconcile(sync: GroupSync, setting: ManagerSetting): Promise<undefined> {
  const { object: group } = sync;
  if (group.metadata.deletionTimestamp !== undefined) return undefined;
  const status = nextStatus(sync, setting);
  if (status !== undefined) {
    await setting.cluster.changeStatus(OperatorGroup, { before: group, after: { ...group, status } });
    return undefined;
  }
  if (isAccountMissing(sync)) return undefined;
  await labelAccount(sync, setting);
  await labelNamespaces(sync, setting);
  await annotateMembers(sync, setting);
  const members = membersOf(sync);
  const apis = new Set(members.flatMap(({ spec }) => [...providedApis(spec)]));
  await ensureGroupRoles(sync, { apis: apis.union(groupApis(group)), setting });
  await pruneApis(sync, { members, apis, setting });
  return undefined;
}

function membersOf({ object, find }: GroupSync): readonly ClusterServiceVersion[] {
  return find(ClusterServiceVersion, { namespace: object.metadata.namespace ?? "" }).filter((csv) => !isCopied(csv));
}

/** The status as it should be; undefined if it is that already. */
function nextStatus(sync: GroupSync, { clock }: ManagerSetting): OperatorGroupStatus | undefined {
  const { object: group } = sync;
  const now = nowOf(clock);
  const namespaces = selectNamespaces(group, sync.find(Namespace, { namespace: "*" }));
  if (namespaces.includes("") && namespaces.length > 1) {
    sync.log.warn("targetNamespaces contains the empty namespace next to others", { group: group.metadata.name });
    return undefined;
  }
  const account = accountStatus(sync, now);
  const conditions = groupConditions(sync, account.condition, now);
  const known = group.status;
  if (account.condition !== undefined) return withoutAccount(known, conditions, now);
  // A group that selects nothing has a status without namespaces: writing it again would change nothing.
  const next: OperatorGroupStatus = {
    namespaces,
    lastUpdated: now,
    ...(account.reference && { serviceAccountRef: account.reference }),
    ...(conditions.length > 0 && { conditions }),
  };
  return isSameStatus(known, next) ? undefined : next;
}

function isSameStatus(known: OperatorGroupStatus | undefined, next: OperatorGroupStatus): boolean {
  const lists = (status: OperatorGroupStatus | undefined): object => [
    status?.namespaces?.toSorted() ?? [],
    status?.conditions ?? [],
  ];
  return isDeepEqual(lists(known), lists(next)) && known?.serviceAccountRef?.uid === next.serviceAccountRef?.uid;
}

/** Without its account a group manages no further namespaces, and refers to no account. */
function withoutAccount(
  known: OperatorGroupStatus | undefined,
  conditions: readonly Condition[],
  now: string,
): OperatorGroupStatus | undefined {
  const { serviceAccountRef, ...kept }: Partial<OperatorGroupStatus> = known ?? {};
  if (serviceAccountRef === undefined && isDeepEqual(kept.conditions ?? [], conditions)) return undefined;
  return { ...kept, lastUpdated: known?.lastUpdated ?? now, conditions };
}

interface AccountStatus {
  readonly reference?: NonNullable<OperatorGroupStatus["serviceAccountRef"]>;
  readonly condition?: Condition;
}

function accountStatus({ object: { metadata, spec, status }, get }: GroupSync, now: string): AccountStatus {
  const { namespace = "" } = metadata;
  const name = spec?.serviceAccountName ?? "";
  if (name === "") return {};
  const account = get(ServiceAccount, { namespace, name });
  if (account !== undefined) {
    const { uid, resourceVersion } = account.metadata;
    const known = status?.serviceAccountRef;
    const reference = { apiVersion: "v1", kind: "ServiceAccount", namespace, name, uid, resourceVersion };
    return { reference: known?.uid === uid ? known : reference };
  }
  const type = "OperatorGroupServiceAccount";
  const old = status?.conditions?.find((each) => each.type === type);
  const message = `ServiceAccount ${name} not found`;
  const lastTransitionTime = old?.lastTransitionTime ?? now;
  return { condition: { type, status: "True", reason: "ServiceAccountNotFound", message, lastTransitionTime } };
}

function isAccountMissing({ object: { metadata, spec }, get }: GroupSync): boolean {
  const name = spec?.serviceAccountName ?? "";
  return name !== "" && get(ServiceAccount, { namespace: metadata.namespace ?? "", name }) === undefined;
}

function groupConditions(
  { object: { metadata, status }, find }: GroupSync,
  account: Condition | undefined,
  now: string,
): readonly Condition[] {
  const type = "MultipleOperatorGroup";
  const old = status?.conditions?.find((each) => each.type === type);
  const message = "Multiple OperatorGroup found in the same namespace";
  const lastTransitionTime = old?.lastTransitionTime ?? now;
  const multiple: Condition = {
    type,
    status: "True",
    reason: "MultipleOperatorGroupsFound",
    message,
    lastTransitionTime,
  };
  const isMultiple = find(OperatorGroup, { namespace: metadata.namespace ?? "" }).length > 1;
  return [...(isMultiple ? [multiple] : []), ...(account === undefined ? [] : [account])];
}

async function labelAccount(
  { object: { metadata, spec }, get }: GroupSync,
  { cluster }: ManagerSetting,
): Promise<void> {
  const { namespace = "" } = metadata;
  const before = get(ServiceAccount, { namespace, name: spec?.serviceAccountName ?? "" });
  if (before === undefined) return;
  const labels = { ...before.metadata.labels, ...managedLabel };
  await cluster.change(ServiceAccount, { before, after: { ...before, metadata: { ...before.metadata, labels } } });
}

/** Target namespaces carry the label of their groups, by which webhooks select them. */
async function labelNamespaces({ object: group, find }: GroupSync, { cluster }: ManagerSetting): Promise<void> {
  const label = groupLabel(group.metadata.uid);
  const targets = new Set((group.spec?.targetNamespaces?.length ?? 0) > 0 ? group.status?.namespaces : []);
  for (const before of find(Namespace, { namespace: "*" })) {
    const has = before.metadata.labels?.[label] !== undefined;
    if (has === targets.has(before.metadata.name)) continue;
    const { [label]: _, ...others } = before.metadata.labels ?? {};
    const labels = has ? others : { ...others, [label]: "" };
    await cluster.change(Namespace, { before, after: { ...before, metadata: { ...before.metadata, labels } } });
  }
}

function byAge(a: OperatorGroup, b: OperatorGroup): number {
  const [first, second] = [a, b].map(({ metadata: { creationTimestamp, name } }) => `${creationTimestamp} ${name}`);
  return (first ?? "") < (second ?? "") ? -1 : 1;
}

async function annotateMembers(sync: GroupSync, { cluster }: ManagerSetting): Promise<void> {
  const { object: group, find } = sync;
  // Of several groups the newest one counts, until all but one are deleted.
  const all = find(OperatorGroup, { namespace: group.metadata.namespace ?? "" });
  if (all.toSorted(byAge).at(-1)?.metadata.uid !== group.metadata.uid) return;
  for (const before of membersOf(sync)) {
    const annotations = { ...before.metadata.annotations, ...groupAnnotations(group) };
    await cluster.change(ClusterServiceVersion, {
      before,
      after: { ...before, metadata: { ...before.metadata, annotations } },
    });
  }
}

const NAME_LIMIT = 253;

/** The name of the role of a level: it begins with the name of the group, cut if it is too long. */
export function groupRoleName({ metadata }: OperatorGroup, level: string): string {
  const suffix = base62Hash(`${metadata.namespace}/${metadata.name}/${level}`);
  const limit = NAME_LIMIT - "olm.og..-".length - level.length - suffix.length;
  return `olm.og.${metadata.name.slice(0, limit)}.${level}-${suffix}`;
}

interface Roles {
  readonly apis: ApiSet;
  readonly setting: ManagerSetting;
}

async function ensureGroupRoles({ object: group, get }: GroupSync, { apis, setting }: Roles): Promise<void> {
  for (const level of Object.keys(userLevels)) {
    const selectors = [...apis].map((api) => aggregationLabel(api, level)).sort();
    const aggregationRule = { clusterRoleSelectors: selectors.map((label) => ({ matchLabels: { [label]: "true" } })) };
    const name = groupRoleName(group, level);
    const labels = { ...ownerLabels(group), ...managedLabel };
    const known = get(ClusterRole, { name });
    const rule = selectors.length === 0 ? {} : { aggregationRule };
    if (known === undefined) {
      await setting.cluster.ensure(ClusterRole, { metadata: { name, labels }, ...rule });
      continue;
    }
    const metadata = { ...known.metadata, labels: { ...known.metadata.labels, ...labels } };
    const { aggregationRule: _, ...rest } = known;
    await setting.cluster.change(ClusterRole, { before: known, after: { ...rest, metadata, ...rule } });
  }
}

interface Pruning extends Roles {
  readonly members: readonly ClusterServiceVersion[];
}

/** Drops APIs from the annotation that no member provides any more, unless a member is still new. */
async function pruneApis({ object: group }: GroupSync, { members, apis, setting }: Pruning): Promise<void> {
  if (group.spec?.staticProvidedAPIs === true) return;
  const known = groupApis(group);
  const isNew = ({ metadata, status, spec }: ClusterServiceVersion): boolean =>
    metadata.deletionTimestamp === undefined &&
    ["", "Pending"].includes(status?.phase ?? "") &&
    !providedApis(spec).isSubsetOf(known);
  if (known.isSubsetOf(apis) || members.some(isNew)) return;
  const annotations = { ...group.metadata.annotations, [providedApisAnnotation]: formatApis(known.intersection(apis)) };
  await setting.cluster.change(OperatorGroup, {
    before: group,
    after: { ...group, metadata: { ...group.metadata, annotations } },
  });
}
