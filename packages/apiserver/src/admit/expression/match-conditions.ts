/** Match conditions: expressions that decide whether a webhook or policy applies. */
import type { Activation } from "@capstan/cel";
import { aggregateText } from "../../go-aggregate.ts";
import { BudgetExceededError, evaluate, matchConditionBudget, type Compiled } from "./compiled.ts";

/** One condition. */
export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** The result of all conditions. */
export type ConditionsResult =
  | { readonly type: "match" }
  | { readonly type: "skip" }
  | { readonly type: "error"; readonly message: string };

/** A false condition skips the webhook or policy. If some fail and none is false, the failure policy decides. */
export function checkConditions(
  conditions: readonly Compiled[],
  variables: Activation,
  failurePolicy: string | undefined,
): ConditionsResult {
  const budget = { remaining: matchConditionBudget };
  const problems: string[] = [];
  try {
    for (const condition of conditions) {
      const result = evaluate(condition, variables, budget);
      if (result.type === "error") problems.push(result.message);
      else if (result.value === false) return { type: "skip" };
    }
  } catch (error) {
    if (!(error instanceof BudgetExceededError)) throw error;
    return failurePolicy === "Ignore" ? { type: "skip" } : { type: "error", message: error.message };
  }
  if (problems.length === 0) return { type: "match" };
  return failurePolicy === "Ignore" ? { type: "skip" } : { type: "error", message: aggregateText(problems) };
}
