/** The permissions that an operator gains and loses from one version to the next, right by right. */
import type { PolicyRule } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import type { ClusterServiceVersion, CsvPermission } from "../kinds/csv.ts";

/** A right of a service account: a verb on resources of a group, in its namespaces or in the cluster. */
export interface Permission {
  readonly scope: "cluster" | "namespace";
  readonly account: string;
  readonly right: string;
}

/** What changes between two versions. */
export interface PermissionChange {
  readonly gained: readonly Permission[];
  readonly lost: readonly Permission[];
}

/** Compares the permissions of two versions. Without an older one, all are gained. */
export function permissionChange(
  before: ClusterServiceVersion | undefined,
  after: Pick<ClusterServiceVersion, "spec">,
): PermissionChange {
  const [old, next] = [before === undefined ? new Map() : rightsOf(before), rightsOf(after)] as const;
  return {
    gained: [...next].filter(([key]) => !old.has(key)).map(([, right]) => right),
    lost: [...old].filter(([key]) => !next.has(key)).map(([, right]) => right),
  };
}

function rightsOf({ spec }: Pick<ClusterServiceVersion, "spec">): ReadonlyMap<string, Permission> {
  const { permissions = [], clusterPermissions = [] } = spec.install.spec ?? {};
  const all = [
    ...permissions.flatMap((each) => expand(each, "namespace")),
    ...clusterPermissions.flatMap((each) => expand(each, "cluster")),
  ];
  return new Map(all.map((each) => [`${each.scope} ${each.account} ${each.right}`, each]));
}

function expand({ serviceAccountName, rules }: CsvPermission, scope: Permission["scope"]): readonly Permission[] {
  const account = serviceAccountName === "" ? "default" : serviceAccountName;
  return rules.flatMap(expandRule).map((right) => ({ scope, account, right }));
}

function expandRule(rule: PolicyRule): readonly string[] {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const named = resourceNames.length === 0 ? "" : ` named ${resourceNames.join(", ")}`;
  return verbs.flatMap((verb) => [
    ...nonResourceURLs.map((url) => `${verb} ${url}`),
    ...apiGroups.flatMap((group) =>
      resources.map((resource) => `${verb} ${group === "" ? resource : `${resource}.${group}`}${named}`),
    ),
  ]);
}
