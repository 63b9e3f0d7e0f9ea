/** Rules in the Common Expression Language, which the API server checks on every write. */
import type { ValidationRule } from "./json-schema.ts";

export type Rule = ValidationRule;

/** How a broken rule is reported. */
export type RuleReport = Omit<ValidationRule, "rule">;

/**
 * A rule over `self` (and `oldSelf`, on updates). The second argument is the sentence that a user sees when the rule is broken, or the
 * whole report: `{ messageExpression, reason, fieldPath, optionalOldSelf }`.
 */
export function rule(expression: string, report: string | RuleReport): Rule {
  return typeof report === "string" ? { rule: expression, message: report } : { rule: expression, ...report };
}
