/** Errors of the rules at one node of a CRD's schema. */
import type { FieldError } from "@capstan/model";

import { child, entry, forbidden, internalError, invalid, notSupported, required } from "./field-error.ts";
import { ruleStruct } from "./go-structs.ts";
import type { RuleContext } from "./rule-cost.ts";
import { costInObject, expressionLimit, observeCost, overBudget } from "./rule-cost.ts";
import { parseRulePath } from "./rule-path.ts";
import type { CompiledRule } from "./rules.ts";
import { compileRules } from "./rules.ts";
import type { Schema, ValidationRule } from "./schema.ts";
import { unsupportedConstruct } from "./structural.ts";

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

function hasNewlines(text: string): boolean {
  return /[\n\r]/.test(text);
}

/** Errors in the form of rules. */
export function ruleFormErrors(schema: Schema, path: string): FieldError[] {
  return (schema.validations ?? []).flatMap((rule, i) =>
    oneRuleFormErrors(rule, schema, entry(child(path, "x-kubernetes-validations"), i)),
  );
}

function oneRuleFormErrors(rule: ValidationRule, schema: Schema, path: string): FieldError[] {
  const errors = messageErrors(rule, path);
  if (rule.messageExpression !== "" && rule.messageExpression.trim() === "")
    errors.push(required(child(path, "messageExpression"), "messageExpression must be non-empty if specified"));
  if (rule.reason !== undefined && !reasons.includes(rule.reason))
    errors.push(notSupported(child(path, "reason"), rule.reason, reasons));
  return rule.fieldPath === ""
    ? errors
    : [...errors, ...fieldPathErrors(rule.fieldPath, schema, child(path, "fieldPath"))];
}

function messageErrors({ rule, message }: ValidationRule, path: string): FieldError[] {
  const trimmed = message.trim();
  if (rule.trim() === "") return [required(child(path, "rule"), "rule is not specified")];
  if (message !== "" && trimmed === "")
    return [invalid(child(path, "message"), message, "must be non-empty if specified")];
  if (hasNewlines(trimmed)) return [invalid(child(path, "message"), message, "must not contain line breaks")];
  if (hasNewlines(rule.trim()) && trimmed === "")
    return [required(child(path, "message"), "message must be specified if rule contains line breaks")];
  return [];
}

function fieldPathErrors(fieldPath: string, schema: Schema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (fieldPath.trim() === "") errors.push(invalid(path, fieldPath, "must be non-empty if specified"));
  if (hasNewlines(fieldPath)) errors.push(invalid(path, fieldPath, "must not contain line breaks"));
  if (unsupportedConstruct(schema) === undefined && "problem" in parseRulePath(fieldPath, schema))
    errors.push(invalid(path, fieldPath, "must be a valid path"));
  return errors;
}

/** The inputs besides the rules themselves. */
export interface RuleChecks {
  readonly path: string;
  readonly context: RuleContext;
  /** The node whose items cannot be correlated across updates, below which `oldSelf` is not allowed. */
  readonly uncorrelatable: string | undefined;
  /** Costs of single expressions are not checked: the schema was accepted before and did not change. */
  readonly ignoreExpressionCost: boolean;
}

/** Errors of the rules' expressions: types, costs, use of `oldSelf`. */
export function ruleExpressionErrors(schema: Schema, checks: RuleChecks): FieldError[] {
  const { context, path } = checks;
  if (context.decl === undefined)
    return [
      internalError(
        child(path, "x-kubernetes-validations"),
        "internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations",
      ),
    ];
  const { decl } = context;
  return compileRules(schema, decl).flatMap((compiled, i) => {
    const place = entry(child(path, "x-kubernetes-validations"), i);
    const cost = costInObject(compiled.maxCost, context, decl);
    return [
      ...costErrors(cost, child(place, "rule"), { checks, what: "estimated rule cost" }),
      ...problemErrors(compiled, place),
      ...messageCostErrors(compiled, place, checks),
      ...oldSelfErrors(compiled, place, checks.uncorrelatable),
    ];
  });
}

function costErrors(
  cost: bigint,
  path: string,
  { checks, what }: { readonly checks: RuleChecks; readonly what: string },
): FieldError[] {
  observeCost(checks.context.costs, path, cost);
  if (checks.ignoreExpressionCost || cost <= expressionLimit) return [];
  return [forbidden(path, overBudget(what, cost, expressionLimit))];
}

function problemErrors({ rule, problem, messageProblem }: CompiledRule, place: string): FieldError[] {
  const errors: FieldError[] = [];
  if (problem !== undefined) errors.push(invalid(child(place, "rule"), ruleStruct(rule), problem));
  if (messageProblem !== undefined)
    errors.push(invalid(child(place, "messageExpression"), ruleStruct(rule), messageProblem));
  return errors;
}

function messageCostErrors({ message, messageMaxCost }: CompiledRule, place: string, checks: RuleChecks): FieldError[] {
  if (message === undefined) return [];
  return costErrors(messageMaxCost, child(place, "messageExpression"), {
    checks,
    what: "estimated messageExpression cost",
  });
}

function oldSelfErrors(
  { rule, usesOldSelf }: CompiledRule,
  place: string,
  uncorrelatable: string | undefined,
): FieldError[] {
  if (!usesOldSelf)
    return rule.optionalOldSelf === undefined
      ? []
      : [
          invalid(
            child(place, "optionalOldSelf"),
            rule.optionalOldSelf,
            "may not be set if oldSelf is not used in rule",
          ),
        ];
  if (uncorrelatable === undefined) return [];
  const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
  return [invalid(child(place, "rule"), rule.rule, detail)];
}
