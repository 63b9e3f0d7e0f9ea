/** Privilege escalation checks before a role or binding is written: users may grant only permissions that they have. */
import { apiErrors, isDeepEqual, StatusError, toFailure, type KubeObject } from "@capstan/model";
import { rulesFor, roleRules } from "../../authorize/rbac/bindings.ts";
import { escalationProblem } from "../../authorize/rbac/escalation.ts";
import { ruleAllows, type PolicyRule } from "../../authorize/rbac/policy-rule.ts";
import type { RuleContext } from "../context.ts";

const group = "rbac.authorization.k8s.io";

/** The permissions of a role. */
export interface Grant {
  readonly resource: "roles" | "clusterroles";
  /** The name in the path of the request; empty on create. */
  readonly asked: string;
  readonly name: string;
  readonly rules: readonly PolicyRule[];
}

/** Rejects a role with more permissions than the user has, unless the user may `escalate`. */
export function checkGrant({ resource, asked, name, rules }: Grant, context: RuleContext): void {
  if (isTrusted(context) || mayDo("escalate", { resource, name: asked, group }, context)) return;
  const problem = escalationProblem(context.user, context.namespace, rules, context.lookup);
  if (problem !== undefined) throw apiErrors.forbidden({ group, resource }, name, problem);
}

/** The parts of a binding that grant permissions. */
export interface Binding {
  readonly resource: "rolebindings" | "clusterrolebindings";
  readonly name: string;
  readonly roleRef: { readonly apiGroup?: string; readonly kind: string; readonly name: string };
}

/** Rejects a binding to a role with more permissions than the user has, unless the user may `bind` the role. */
export function checkBinding({ resource, name, roleRef }: Binding, context: RuleContext): void {
  if (isTrusted(context)) return;
  const bound = { resource: `${roleRef.kind.toLowerCase()}s`, name: roleRef.name, group: roleRef.apiGroup ?? group };
  if (isRole(roleRef.kind) && mayDo("bind", bound, context)) return;
  const problem = escalationProblem(
    context.user,
    context.namespace,
    rulesOf(roleRef, resource, context),
    context.lookup,
  );
  if (problem !== undefined) throw apiErrors.forbidden({ group, resource }, name, problem);
}

function isRole(kind: string): boolean {
  return kind === "Role" || kind === "ClusterRole";
}

function rulesOf(
  roleRef: Binding["roleRef"],
  resource: string,
  { namespace, lookup }: RuleContext,
): readonly PolicyRule[] {
  if (!isRole(roleRef.kind)) {
    const message = `unsupported role reference kind: "${roleRef.kind}"`;
    throw new StatusError(toFailure({ code: 500, reason: "", message }));
  }
  const rules = roleRules(roleRef, namespace, lookup);
  if (typeof rules !== "string") return rules;
  // kube-apiserver names the resource of the binding here, although the role is missing.
  throw apiErrors.notFound({ group, resource }, roleRef.name);
}

/** Members of system:masters, and all users of a server with the always-allow authorizer. */
function isTrusted({ user, access }: RuleContext): boolean {
  return user.groups.includes("system:masters") || access.authorizer.name === "always-allow";
}

interface Target {
  readonly group: string;
  readonly resource: string;
  readonly name: string;
}

function mayDo(verb: string, target: Target, { user, namespace, lookup }: RuleContext): boolean {
  const asked = { type: "resource", user, verb, version: "*", subresource: "", namespace, ...target } as const;
  for (const bound of rulesFor(user, namespace, lookup)) {
    if (bound.type === "rule" && ruleAllows(bound.rule, asked)) return true;
  }
  return false;
}

/** Whether only owner references and finalizers change, which the garbage collector must be able to do. */
export function isCollecting(object: KubeObject, old: KubeObject): boolean {
  const { ownerReferences: _o, finalizers: _f, managedFields: _m, ...metadata } = object.metadata;
  const { ownerReferences: _oo, finalizers: _of, managedFields: _om, ...before } = old.metadata;
  return isDeepEqual({ ...object, metadata }, { ...old, metadata: before });
}
