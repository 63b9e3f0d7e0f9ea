/** Scopes of a quota: which objects it counts. */
import type { ResourceQuota } from "@capstan/kinds/v1";

/** One scope of a quota. */
export interface ScopeSelector {
  readonly scopeName: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** All scopes of a quota; all must match. */
export function scopesOf({ spec }: ResourceQuota): readonly ScopeSelector[] {
  const named = (spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: "Exists" }));
  return [...named, ...(spec?.scopeSelector?.matchExpressions ?? [])];
}

/** Whether one of the object's values matches the scope. */
export function scopeMatches({ operator, values = [] }: ScopeSelector, present: readonly string[]): boolean {
  switch (operator) {
    case "Exists":
      return present.length > 0;
    case "DoesNotExist":
      return present.length === 0;
    case "In":
      return present.some((value) => values.includes(value));
    case "NotIn":
      return present.length === 0 || present.some((value) => !values.includes(value));
    default:
      return false;
  }
}
