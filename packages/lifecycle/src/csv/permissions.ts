/** The service accounts, roles and bindings that follow from the permissions of a ClusterServiceVersion. */
import type { PolicyRule } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import type { KubeObject } from "@capstan/model";
import { toGoJson } from "@capstan/model";
import { base62Hash, deepHash } from "../cluster/hash.ts";
import { nonBlockingOwner, ownerLabels } from "../cluster/owners.ts";
import type { Owner } from "../cluster/owners.ts";
import type { CsvPermission, CsvStrategy } from "../kinds/csv.ts";

/** The label with the hash of the rules of a role, or of the subjects of a binding. */
export const contentHashLabel = "olm.permissions.hash";

const NAME_LIMIT = 63;
const RBAC = "rbac.authorization.k8s.io";

/** An object with any fields. */
export type Manifest = KubeObject & { readonly [field: string]: unknown };

/** A rule with its fields in the order of Go's type; empty lists are absent but for the verbs. */
function ordered({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): object {
  const some = (name: string, list: readonly string[] | undefined): object =>
    list === undefined || list.length === 0 ? {} : { [name]: list };
  return {
    verbs,
    ...some("apiGroups", apiGroups),
    ...some("resources", resources),
    ...some("resourceNames", resourceNames),
    ...some("nonResourceURLs", nonResourceURLs),
  };
}

/** A rule as messages show it. */
export function formatPolicyRule(rule: PolicyRule): string {
  return toGoJson(ordered(rule));
}

/** The label value of a role with these rules. */
export function rulesHash(rules: readonly PolicyRule[]): string {
  return base62Hash(toGoJson(rules.map(ordered)));
}

/** A binding of a role to a service account. */
export interface BindingFacts {
  readonly roleKind: "Role" | "ClusterRole";
  readonly role: string;
  readonly account: string;
  readonly namespace: string;
}

/** The label value of a binding. */
export function bindingHash({ roleKind, role, account, namespace }: BindingFacts): string {
  const container = {
    RoleRef: { apiGroup: RBAC, kind: roleKind, name: role },
    Subjects: [{ kind: "ServiceAccount", name: account, namespace }],
  };
  return base62Hash(toGoJson(container));
}

function generatedName(base: string, facts: object): string {
  const hash = deepHash(facts);
  const fitting = base.length + hash.length > NAME_LIMIT ? base.slice(0, NAME_LIMIT - hash.length - 1) : base;
  return `${fitting}-${hash}`;
}

/** A permission with its fields in the order of Go's type, for hashes. */
export function permissionFacts({ serviceAccountName, rules }: CsvPermission): object {
  return { serviceAccountName, rules: rules === undefined ? null : rules.map(ordered) };
}

/** Everything that the permissions of an operator need, service account by service account. */
export function permissionObjects(csv: Owner, strategy: CsvStrategy): readonly Manifest[] {
  const byAccount = new Map<string, Manifest[]>();
  const of = (account: string): Manifest[] => {
    const known = byAccount.get(account);
    if (known !== undefined) return known;
    const objects: Manifest[] = account === "default" ? [] : [serviceAccount(csv, account)];
    byAccount.set(account, objects);
    return objects;
  };
  for (const each of strategy.permissions ?? []) of(each.serviceAccountName).push(...namespaced(csv, each));
  for (const each of strategy.clusterPermissions ?? []) of(each.serviceAccountName).push(...clusterWide(csv, each));
  return [...byAccount.values()].flat().sort((a, b) => kindOrder(a) - kindOrder(b));
}

function kindOrder({ kind }: Manifest): number {
  return ["ServiceAccount", "Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"].indexOf(kind);
}

function serviceAccount(csv: Owner, name: string): Manifest {
  const { namespace = "" } = csv.metadata;
  const metadata = { name, namespace, ownerReferences: [nonBlockingOwner(csv)] };
  return { apiVersion: "v1", kind: "ServiceAccount", metadata };
}

function namespaced(csv: Owner, permission: CsvPermission): readonly Manifest[] {
  const { name: csvName, namespace = "" } = csv.metadata;
  const account = permission.serviceAccountName;
  const facts = { name: csvName, permission: permissionFacts(permission) };
  const name = generatedName(`${csvName}-${account}`, facts);
  const ownerReferences = [nonBlockingOwner(csv)];
  const meta = { name, namespace, ownerReferences };
  return pair({ csv, permission, roleKind: "Role", meta });
}

function clusterWide(csv: Owner, permission: CsvPermission): readonly Manifest[] {
  const { name: csvName, namespace = "" } = csv.metadata;
  const facts = { name: csvName, namespace, permission: permissionFacts(permission) };
  return pair({ csv, permission, roleKind: "ClusterRole", meta: { name: generatedName(csvName, facts) } });
}

interface Pair {
  readonly csv: Owner;
  readonly permission: CsvPermission;
  readonly roleKind: "Role" | "ClusterRole";
  readonly meta: { readonly name: string };
}

function pair({ csv, permission, roleKind, meta }: Pair): readonly Manifest[] {
  const { namespace = "" } = csv.metadata;
  const account = permission.serviceAccountName;
  const labelled = (hash: string): Manifest["metadata"] => ({
    ...meta,
    labels: { ...ownerLabels(csv), [contentHashLabel]: hash },
  });
  const apiVersion = `${RBAC}/v1`;
  const binding = { roleKind, role: meta.name, account, namespace };
  return [
    {
      apiVersion,
      kind: roleKind,
      metadata: labelled(rulesHash(permission.rules ?? [])),
      rules: permission.rules ?? [],
    },
    {
      apiVersion,
      kind: `${roleKind}Binding`,
      // The original writes the namespace even where it has no meaning.
      metadata: { ...labelled(bindingHash(binding)), namespace },
      roleRef: { apiGroup: RBAC, kind: roleKind, name: meta.name },
      subjects: [{ kind: "ServiceAccount", name: account, namespace }],
    },
  ];
}
