/** Privilege escalation check: a user can grant only permissions that it holds. Roles and bindings are checked when they are written. */
import type { UserInfo } from "../../authenticate/user.ts";
import type { Lookup } from "../../builtin/context.ts";
import { rulesFor } from "./bindings.ts";
import { describeRule, joinVerbs, type PolicyRule, uncovered } from "./policy-rule.ts";

/** All permissions. The author of an aggregation rule must hold them, because it can aggregate any rule. */
export const fullAuthority: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

/** Why a user may not grant these rules in a namespace (empty: in the whole cluster), or undefined if it may. */
export function escalationProblem(
  user: UserInfo,
  namespace: string,
  rules: readonly PolicyRule[],
  lookup: Lookup,
): string | undefined {
  const held = [...rulesFor(user, namespace, lookup)].flatMap((bound) => (bound.type === "rule" ? [bound.rule] : []));
  const missing = uncovered(held, rules);
  if (missing.length === 0) return undefined;
  const groups = user.groups.map((group) => JSON.stringify(group)).join(" ");
  const told = [...new Set(joinVerbs(missing).map(describeRule))].sort().join("\n");
  return `user ${JSON.stringify(user.name)} (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${told}`;
}
