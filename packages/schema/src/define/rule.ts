/** Rules in the Common Expression Language, which the API server checks on every write. */
import type { ValidationRule } from "./json-schema.ts";

/**
 * A rule that the API server checks on every write.
 *
 * @example
 * const atMostTen: Rule = s.rule("self.size <= 10", "at most 10 servers");
 */
export type Rule = ValidationRule;

/** The report of a violated rule. */
export type RuleReport = Omit<ValidationRule, "rule">;

/**
 * A rule over `self` (and `oldSelf`, on updates). The second argument is the message for a violated rule, or the whole report: `{
 * messageExpression, reason, fieldPath, optionalOldSelf }`.
 */
export function rule(expression: string, report: string | RuleReport): Rule {
  return typeof report === "string" ? { rule: expression, message: report } : { rule: expression, ...report };
}

/** At most one of these fields: a rule for the object that has them, whose fields must be optional. */
export function atMostOneOf(...fields: readonly [string, string, ...string[]]): Rule {
  return rule(
    `[${given(fields)}].filter(given, given).size() <= 1`,
    `at most one of ${fields.join(", ")} may be given`,
  );
}

/** At least one of these fields. */
export function atLeastOneOf(...fields: readonly [string, string, ...string[]]): Rule {
  return rule(
    fields.map((field) => `has(self.${field})`).join(" || "),
    `at least one of ${fields.join(", ")} must be given`,
  );
}

function given(fields: readonly string[]): string {
  return fields.map((field) => `has(self.${field})`).join(", ");
}
