/** Whether the service accounts of an operator exist and have the permissions that it declares. */
import type { PolicyRule } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import type { ServiceAccount } from "@capstan/kinds/v1";
import { hasOwnerLabels, isOwnedBy, ownersOfKind } from "../cluster/owners.ts";
import type {
  ClusterServiceVersion,
  CsvPermission,
  CsvStrategy,
  DependentStatus,
  RequirementStatus,
} from "../kinds/csv.ts";
import { bindingHash, contentHashLabel, formatPolicyRule, rulesHash } from "./permissions.ts";
import type { Requirements } from "./requirements.ts";
import { grantedRules, invalidRule, isGranted } from "./service-account-rules.ts";
import type { Roles } from "./service-account-rules.ts";

/** What the check reads. */
export interface PermissionWorld {
  readonly csv: ClusterServiceVersion;
  readonly accounts: readonly ServiceAccount[];
  /** The roles and bindings of the namespace in which the permissions must hold. */
  readonly roles: Roles;
}

/** The statuses of the service accounts, or the message of a malformed rule. */
export type PermissionStatus = Requirements | { readonly invalid: string };

/** Checks the permissions of a strategy: namespaced ones first, then those of the cluster. */
export function permissionStatus(world: PermissionWorld, strategy: CsvStrategy): PermissionStatus {
  const statuses = new Map<string, RequirementStatus>();
  let areMet = true;
  for (const [permissions, scope] of [
    [strategy.permissions ?? [], "namespaced"],
    [strategy.clusterPermissions ?? [], "cluster"],
  ] as const) {
    for (const permission of permissions) {
      const invalid = permission.rules?.map(invalidRule).find((each) => each !== undefined);
      if (invalid !== undefined) return { invalid };
      const known = statuses.get(permission.serviceAccountName);
      const status = accountStatus(world, { permission, scope, known });
      if (status === "created") continue;
      areMet &&= status.status === "Present";
      statuses.set(permission.serviceAccountName, status);
    }
  }
  return { areMet, statuses: [...statuses.values()] };
}

interface Asked {
  readonly permission: CsvPermission;
  readonly scope: "namespaced" | "cluster";
  readonly known: RequirementStatus | undefined;
}

/** The status of one account, or that the manager created exactly this role and binding before. */
function accountStatus(world: PermissionWorld, { permission, scope, known }: Asked): RequirementStatus | "created" {
  const name = permission.serviceAccountName;
  const facts = { group: "", version: "v1", kind: "ServiceAccount", name };
  const before = known ?? { ...facts, status: "Present", message: "" };
  const account = world.accounts.find(({ metadata }) => metadata.name === name);
  if (account === undefined) return { ...before, status: "NotPresent", message: "Service account does not exist" };
  const owners = ownersOfKind(account.metadata, "ClusterServiceVersion");
  if (owners.length > 0 && !isOwnedBy(account, world.csv)) {
    const message = "Service account is owned by another ClusterServiceVersion";
    return { ...before, status: "PresentNotSatisfied", message };
  }
  if (scope === "namespaced" && wasCreated(world, permission)) return "created";
  return withRules(world, { permission, scope, before });
}

interface Rules extends Omit<Asked, "known"> {
  readonly before: RequirementStatus;
}

function withRules(world: PermissionWorld, { permission, scope, before }: Rules): RequirementStatus {
  const namespace = world.csv.metadata.namespace ?? "";
  const granted = grantedRules({ name: permission.serviceAccountName, namespace }, world.roles, scope);
  const dependents = (permission.rules ?? []).map((rule) => dependent(rule, scope, granted));
  const isMet = dependents.every(({ status }) => status === "Satisfied");
  const all = { ...before, dependents: [...(before.dependents ?? []), ...dependents] };
  return isMet
    ? all
    : { ...all, status: "PresentNotSatisfied", message: "Policy rule not satisfied for service account" };
}

function dependent(rule: PolicyRule, scope: string, granted: readonly PolicyRule[]): DependentStatus {
  return {
    group: "rbac.authorization.k8s.io",
    version: "v1",
    kind: "PolicyRule",
    status: isGranted(rule, granted) ? "Satisfied" : "NotSatisfied",
    message: `${scope} rule:${formatPolicyRule(rule)}`,
  };
}

/** Whether a role with these rules and its binding carry the labels of this owner. */
function wasCreated({ csv, roles }: PermissionWorld, { serviceAccountName, rules }: CsvPermission): boolean {
  const hash = rulesHash(rules ?? []);
  const role = roles.roles.find(
    (each) => each.metadata.labels?.[contentHashLabel] === hash && hasOwnerLabels(each, csv),
  );
  if (role === undefined) return false;
  const { namespace = "" } = csv.metadata;
  const facts = { roleKind: "Role", role: role.metadata.name, account: serviceAccountName, namespace } as const;
  const binding = bindingHash(facts);
  return roles.roleBindings.some(
    (each) => each.metadata.labels?.[contentHashLabel] === binding && hasOwnerLabels(each, csv),
  );
}
