/** Conditions: what a controller reports about an object, one entry per type. */

/** Whether a condition holds. */
export type ConditionStatus = "True" | "False" | "Unknown";

/** One condition as the API has it. */
export interface Condition {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly observedGeneration?: number;
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

/** The condition of a type. */
export function findCondition<C extends { readonly type: string }>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Whether the condition of a type exists and has a status. */
export function isConditionStatus(
  conditions: readonly { readonly type: string; readonly status: string }[] | undefined,
  type: string,
  status: ConditionStatus,
): boolean {
  return findCondition(conditions, type)?.status === status;
}

/**
 * The conditions with one of them set. The transition time changes only with the status; if nothing changes, the same list is returned,
 * so that callers can compare by identity.
 */
export function setCondition(
  conditions: readonly Condition[],
  change: Omit<Condition, "lastTransitionTime">,
  now: string,
): readonly Condition[] {
  const index = conditions.findIndex((condition) => condition.type === change.type);
  const old = conditions[index];
  if (old === undefined) return [...conditions, { ...change, lastTransitionTime: now }];
  const lastTransitionTime = old.status === change.status ? old.lastTransitionTime : now;
  const next: Condition = { ...old, ...change, lastTransitionTime };
  return isSame(old, next) ? conditions : conditions.with(index, next);
}

/** The conditions without the one of a type. */
export function removeCondition(conditions: readonly Condition[], type: string): readonly Condition[] {
  const rest = conditions.filter((condition) => condition.type !== type);
  return rest.length === conditions.length ? conditions : rest;
}

function isSame(a: Condition, b: Condition): boolean {
  return (
    a.status === b.status &&
    a.reason === b.reason &&
    a.message === b.message &&
    a.observedGeneration === b.observedGeneration
  );
}
