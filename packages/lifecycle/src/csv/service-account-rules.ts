/** Whether a service account may do what a rule says, by the roles and bindings of the cluster. */
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
} from "@capstan/kinds/rbac.authorization.k8s.io/v1";

/** Roles and bindings: those of one namespace, and those of the cluster. */
export interface Roles {
  readonly roles: readonly Role[];
  readonly roleBindings: readonly RoleBinding[];
  readonly clusterRoles: readonly ClusterRole[];
  readonly clusterRoleBindings: readonly ClusterRoleBinding[];
}

/** A service account. */
export interface Account {
  readonly name: string;
  readonly namespace: string;
}

/** The message if a rule is malformed. */
export function invalidRule(rule: PolicyRule): string | undefined {
  if (rule.verbs.length === 0) return "rule invalid: policy rule must have at least one verb";
  const resources = [...(rule.apiGroups ?? []), ...(rule.resources ?? []), ...(rule.resourceNames ?? [])];
  if (resources.length > 0 && (rule.nonResourceURLs?.length ?? 0) > 0) {
    return "rule invalid: rule cannot apply to both regular resources and non-resource URLs";
  }
  return undefined;
}

/** The rules that an account has: in the namespace of the bindings, and in the cluster. */
export function grantedRules(account: Account, all: Roles, scope: "namespaced" | "cluster"): readonly PolicyRule[] {
  const isFor = ({ subjects, metadata }: RoleBinding | ClusterRoleBinding): boolean =>
    subjects?.some((subject) => isSubject(subject, { account, home: metadata.namespace })) === true;
  const clusterRule = (name: string): readonly PolicyRule[] =>
    all.clusterRoles.find(({ metadata }) => metadata.name === name)?.rules ?? [];
  const rules = all.clusterRoleBindings.filter(isFor).flatMap(({ roleRef }) => clusterRule(roleRef.name));
  if (scope === "cluster") return rules;
  const local = all.roleBindings
    .filter(isFor)
    .flatMap(({ roleRef }) =>
      roleRef.kind === "ClusterRole"
        ? clusterRule(roleRef.name)
        : (all.roles.find(({ metadata }) => metadata.name === roleRef.name)?.rules ?? []),
    );
  return [...rules, ...local];
}

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

interface Asked {
  readonly account: Account;
  /** The namespace of the binding, which a subject without a namespace is in. */
  readonly home: string | undefined;
}

/** Groups do not count, as in the original: what all accounts may do is no grant to this one. */
function isSubject({ kind, name, namespace = "" }: Subject, { account, home }: Asked): boolean {
  if (kind === "ServiceAccount") {
    return name === account.name && (namespace === "" ? home : namespace) === account.namespace;
  }
  return kind === "User" && name === `system:serviceaccount:${account.namespace}:${account.name}`;
}

/** Whether every action of a rule is granted by one of the rules. */
export function isGranted(rule: PolicyRule, granted: readonly PolicyRule[]): boolean {
  const paths = rule.nonResourceURLs ?? [];
  if (paths.length > 0) {
    return rule.verbs.every((verb) => paths.every((path) => granted.some((each) => allowsPath(each, verb, path))));
  }
  const orEmpty = (list: readonly string[] = []): readonly string[] => (list.length === 0 ? [""] : list);
  return combinations([
    rule.verbs,
    orEmpty(rule.apiGroups),
    orEmpty(rule.resources),
    orEmpty(rule.resourceNames),
  ]).every(([verb = "", group = "", resource = "", name = ""]) =>
    granted.some((each) => allows(each, { verb, group, resource, name })),
  );
}

function combinations(lists: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return lists.reduce<readonly (readonly string[])[]>(
    (known, list) => known.flatMap((start) => list.map((item) => [...start, item])),
    [[]],
  );
}

interface Action {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly name: string;
}

function allows(rule: PolicyRule, { verb, group, resource, name }: Action): boolean {
  const names = rule.resourceNames ?? [];
  return (
    has(rule.resources ?? [], resource) &&
    has(rule.verbs, verb) &&
    has(rule.apiGroups ?? [], group) &&
    (names.length === 0 || names.includes(name))
  );
}

function allowsPath(rule: PolicyRule, verb: string, path: string): boolean {
  const urls = rule.nonResourceURLs ?? [];
  return (
    has(rule.verbs, verb) &&
    urls.some((url) => url === "*" || url === path || (url.endsWith("*") && path.startsWith(url.slice(0, -1))))
  );
}

function has(values: readonly string[], value: string): boolean {
  return values.includes("*") || values.includes(value);
}
