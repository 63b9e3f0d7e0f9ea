/** The conditions of a Subscription: most of them exist only while something is wrong. */
import type { SubscriptionCondition, SubscriptionConditionType, SubscriptionStatus } from "../kinds/subscription.ts";

/** A status that may still be empty. */
export type Draft = Omit<SubscriptionStatus, "lastUpdated"> & { readonly lastUpdated?: string };

/** The condition of a type. */
export function conditionOf(
  status: Draft | undefined,
  type: SubscriptionConditionType,
): SubscriptionCondition | undefined {
  return status?.conditions?.find((each) => each.type === type);
}

/** Whether two conditions say the same; times do not count. */
function areSame(one: SubscriptionCondition, other: SubscriptionCondition | undefined): boolean {
  return (
    one.status === other?.status &&
    (one.reason ?? "") === (other.reason ?? "") &&
    (one.message ?? "") === (other.message ?? "")
  );
}

/** The status with a condition; the same status if it says that already. */
export function withCondition<S extends Draft>(status: S, condition: SubscriptionCondition, now: string): S {
  const { conditions = [] } = status;
  const old = conditionOf(status, condition.type);
  if (areSame(condition, old)) return status;
  const place = conditions.findIndex(({ type }) => type === condition.type);
  const next = place < 0 ? [...conditions, condition] : conditions.with(place, condition);
  return { ...status, conditions: next, lastUpdated: now };
}

/** The status without conditions of these types; the same status if it has none of them. */
export function withoutConditions<S extends Draft>(
  status: S,
  types: readonly SubscriptionConditionType[],
  now: string,
): S {
  const { conditions = [] } = status;
  const kept = conditions.filter(({ type }) => !types.includes(type));
  return kept.length === conditions.length ? status : { ...status, conditions: kept, lastUpdated: now };
}
