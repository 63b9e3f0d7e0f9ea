/** Follows bindings from a user to the rules of the roles that are bound. */
import type { KubeObject } from "@capstan/model";
import type { UserInfo } from "../../authenticate/user.ts";
import type { Lookup } from "../../builtin/context.ts";
import type { PolicyRule } from "./policy-rule.ts";

/** A subject of a binding. */
interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

interface Binding extends KubeObject {
  readonly subjects?: readonly Subject[];
  readonly roleRef: { readonly kind: string; readonly name: string };
}

interface Role extends KubeObject {
  readonly rules?: readonly PolicyRule[] | null;
}

/** A rule that applies to a user, or a missing role that a binding names. */
export type BoundRule =
  | { readonly type: "rule"; readonly rule: PolicyRule; readonly source: string }
  | { readonly type: "missing"; readonly problem: string };

/** Every rule that applies to a user: from all cluster role bindings, and from the role bindings of the namespace. */
export function* rulesFor(user: UserInfo, namespace: string, lookup: Lookup): Generator<BoundRule> {
  yield* follow(user, "", lookup.list("clusterrolebindings.rbac.authorization.k8s.io") as readonly Binding[], lookup);
  if (namespace === "") return;
  yield* follow(
    user,
    namespace,
    lookup.list("rolebindings.rbac.authorization.k8s.io", namespace) as readonly Binding[],
    lookup,
  );
}

function* follow(
  user: UserInfo,
  namespace: string,
  bindings: readonly Binding[],
  lookup: Lookup,
): Generator<BoundRule> {
  for (const binding of bindings) {
    const subject = (binding.subjects ?? []).find((candidate) => appliesTo(candidate, user, namespace));
    if (subject === undefined) continue;
    const rules = roleRules(binding.roleRef, namespace, lookup);
    if (typeof rules === "string") yield { type: "missing", problem: rules };
    else for (const rule of rules) yield { type: "rule", rule, source: describeBinding(binding, subject) };
  }
}

/** The rules of the role that a binding references, or an error. */
export function roleRules(ref: Binding["roleRef"], namespace: string, lookup: Lookup): readonly PolicyRule[] | string {
  const found =
    ref.kind === "ClusterRole"
      ? lookup.get("clusterroles.rbac.authorization.k8s.io", ref.name)
      : lookup.get("roles.rbac.authorization.k8s.io", ref.name, namespace);
  if (found === undefined) return `${ref.kind.toLowerCase()}.rbac.authorization.k8s.io "${ref.name}" not found`;
  return (found as Role).rules ?? [];
}

function appliesTo(subject: Subject, user: UserInfo, namespace: string): boolean {
  switch (subject.kind) {
    case "User":
      return user.name === subject.name;
    case "Group":
      return user.groups.includes(subject.name);
    case "ServiceAccount": {
      const home = subject.namespace === undefined || subject.namespace === "" ? namespace : subject.namespace;
      return home !== "" && user.name === `system:serviceaccount:${home}:${subject.name}`;
    }
    default:
      return false;
  }
}

function describeBinding(binding: Binding, subject: Subject): string {
  const { name, namespace } = binding.metadata;
  const which = namespace === undefined ? `ClusterRoleBinding "${name}"` : `RoleBinding "${name}/${namespace}"`;
  return `${which} of ${binding.roleRef.kind} "${binding.roleRef.name}" to ${describeSubject(subject, namespace ?? "")}`;
}

function describeSubject({ kind, name, namespace }: Subject, home: string): string {
  return kind === "ServiceAccount"
    ? `${kind} "${name}/${namespace === undefined || namespace === "" ? home : namespace}"`
    : `${kind} "${name}"`;
}
