/** Runs the rules of a schema over a value, place by place, within a budget. */
import type { CelResult, DeclType, Json as CelJson } from "@capstan/cel";
import { billOf, CelError, CelOptional, escapeField, fromJson } from "@capstan/cel";
import type { FieldError, Json } from "@capstan/model";
import { byteLength, quote } from "@capstan/model";

import type { Correlation } from "./correlation.ts";
import { correlateIndex, correlateKey, isUnchanged } from "./correlation.ts";
import type { FieldPath } from "./field-error.ts";
import { child, duplicate, entry, forbidden, formatFieldError, invalid, required } from "./field-error.ts";
import { oldItemFinder } from "./map-list.ts";
import { declTypeOf } from "./rule-types.ts";
import type { CompiledRule } from "./rules.ts";
import { compileRules } from "./rules.ts";
import type { Schema, ValidationRule } from "./schema.ts";
import { isJsonObject } from "./schema.ts";

/** The limit for the cost of one evaluation. */
export const perCallLimit: number = 1_000_000;

/** The limit for the cost of all evaluations for one object. */
export const objectBudget: number = 10_000_000;

/** The options of a run of the rules. */
export interface RuleRun {
  readonly path?: FieldPath;
  readonly old?: Json | undefined;
  /** Pairs old and new: failures of unchanged values are only warnings. */
  readonly correlation?: Correlation;
  readonly budget?: number;
  readonly warn?: (message: string) => void;
}

/** Runs the rules. The remaining budget is negative if it ran out. */
export type RuleValidator = (
  value: Json,
  run: RuleRun,
) => { readonly errors: FieldError[]; readonly remaining: number };

/** Compiles all rules of a schema; undefined if it has none. Each place is compiled when a value first reaches it. */
export function compileRuleValidator(schema: Schema, isResourceRoot: boolean): RuleValidator | undefined {
  if (!hasRules(schema)) return undefined;
  let root: Place | undefined;
  return (value, { path, old, correlation, budget = objectBudget, warn = () => {} }) => {
    root ??= makePlace(schema, declTypeOf(schema, isResourceRoot));
    const bill: Bill = { errors: [], remaining: budget, warn };
    validatePlace(root, value, { path, old, ratchet: correlation === undefined ? {} : { current: correlation }, bill });
    return bill;
  };
}

const ruled = new WeakMap<Schema, boolean>();

function hasRules(schema: Schema): boolean {
  let known = ruled.get(schema);
  if (known !== undefined) return known;
  known =
    schema.validations !== undefined ||
    (schema.items !== undefined && hasRules(schema.items)) ||
    (schema.additionalProperties?.schema !== undefined && hasRules(schema.additionalProperties.schema)) ||
    [...(schema.properties?.values() ?? [])].some(hasRules);
  ruled.set(schema, known);
  return known;
}

interface Place {
  readonly schema: Schema;
  readonly decl: DeclType | undefined;
  rules: readonly CompiledRule[] | undefined;
  readonly items: Place | undefined;
  readonly properties: ReadonlyMap<string, Place>;
  readonly additional: Place | undefined;
}

function makePlace(schema: Schema, decl: DeclType | undefined): Place {
  const element = decl?.kind === "list" || decl?.kind === "map" ? decl.element : undefined;
  const properties = new Map<string, Place>();
  for (const [name, property] of schema.properties ?? []) {
    const type = hasRules(property) ? propertyType(name, property, decl) : undefined;
    if (type !== undefined) properties.set(name, makePlace(property, type));
  }
  const { items } = schema;
  const additional = schema.additionalProperties?.schema;
  return {
    schema,
    decl,
    rules: undefined,
    items: items !== undefined && hasRules(items) ? makePlace(items, element) : undefined,
    properties,
    additional: additional !== undefined && hasRules(additional) ? makePlace(additional, element) : undefined,
  };
}

/** The type of a property; one whose name cannot be escaped has its own. */
function propertyType(name: string, property: Schema, decl: DeclType | undefined): DeclType | undefined {
  const field = escapeField(name);
  if (field === undefined) return declTypeOf(property, property.embeddedResource === true);
  return decl?.kind === "object" ? decl.fields.get(field)?.type : undefined;
}

interface Bill {
  readonly errors: FieldError[];
  remaining: number;
  readonly warn: (message: string) => void;
}

interface Ratchet {
  readonly current?: Correlation | undefined;
  readonly parent?: Correlation;
}

interface Here {
  readonly path: FieldPath;
  readonly old: Json | undefined;
  readonly ratchet: Ratchet;
  readonly bill: Bill;
}

function isForgiven({ current, parent }: Ratchet): boolean {
  return isUnchanged(current ?? parent);
}

function below(
  ratchet: Ratchet,
  pick: (correlation: Correlation) => Correlation | undefined,
  typeMeta = false,
): Ratchet {
  const { current, parent } = ratchet;
  if (current === undefined) return ratchet;
  if (parent === undefined && typeMeta) return {};
  return { current: pick(current), parent: current };
}

function validatePlace(place: Place, value: Json, here: Here): void {
  if (value === null) return;
  runRules(place, value, here);
  if (here.bill.remaining < 0) return;
  if (Array.isArray(value)) validateItems(place, value as readonly Json[], here);
  else if (isJsonObject(value)) validateFields(place, value, here);
}

function validateItems({ schema, items }: Place, value: readonly Json[], here: Here): void {
  if (items === undefined) return;
  const findOld = oldItemFinder(schema, Array.isArray(here.old) ? (here.old as readonly Json[]) : []);
  for (const [i, item] of value.entries()) {
    const ratchet = below(here.ratchet, (current) => correlateIndex(current, i));
    validatePlace(items, item, { path: entry(here.path, i), old: findOld(item), ratchet, bill: here.bill });
    if (here.bill.remaining < 0) return;
  }
}

type JsonObject = { readonly [key: string]: Json | undefined };

function validateFields({ schema, properties, additional }: Place, value: JsonObject, here: Here): void {
  const { mapType } = schema;
  const correlatable = mapType === undefined || mapType === "granular" || mapType === "atomic";
  const old = correlatable && isJsonObject(here.old) ? here.old : {};
  for (const [name, field] of Object.entries(value)) {
    const place = properties.get(name) ?? additional;
    if (field === undefined || place === undefined) continue;
    const path = place === additional ? entry(here.path, name) : child(here.path, name);
    const typeMeta = name === "apiVersion" || name === "kind";
    const ratchet = below(here.ratchet, (current) => correlateKey(current, name), typeMeta);
    validatePlace(place, field, { path, old: old[name], ratchet, bill: here.bill });
    if (here.bill.remaining < 0) return;
  }
}

const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run";

function runRules(place: Place, value: Json, here: Here): void {
  const { schema, decl } = place;
  if (schema.validations === undefined) return;
  const { bill, path } = here;
  const type = schema.type ?? "";
  if (decl === undefined) {
    const problem = "failed to convert to declType for CEL validation rules";
    bill.errors.push(invalid(path, type, `rule compiler initialization error: ${problem}`));
    return;
  }
  place.rules ??= compileRules(schema, decl);
  if (bill.remaining <= 0) {
    stop(bill, invalid(path, type, outOfBudget));
    return;
  }
  const variables = activationsOf(value, here.old, decl);
  for (const rule of place.rules) {
    runRule(rule, value, { ...here, schema, variables });
    if (bill.remaining < 0) return;
  }
}

interface Variables {
  readonly plain: ReadonlyMap<string, CelResult>;
  readonly optional: ReadonlyMap<string, CelResult>;
}

function activationsOf(value: Json, old: Json | undefined, decl: DeclType): Variables {
  const self = fromJson(value as CelJson, decl);
  if (old === undefined || old === null)
    return {
      plain: new Map([["self", self]]),
      optional: new Map([
        ["self", self],
        ["oldSelf", CelOptional.none],
      ]),
    };
  const oldSelf = fromJson(old as CelJson, decl);
  return {
    plain: new Map([
      ["self", self],
      ["oldSelf", oldSelf],
    ]),
    optional: new Map([
      ["self", self],
      ["oldSelf", oldSelf instanceof CelError ? oldSelf : CelOptional.of(oldSelf)],
    ]),
  };
}

function stop(bill: Bill, error: FieldError): void {
  bill.errors.push(error);
  bill.remaining = -1;
}

interface RuleContext extends Here {
  readonly schema: Schema;
  readonly variables: Variables;
}

function runRule(compiled: CompiledRule, value: Json, context: RuleContext): void {
  const { bill, path, old, schema, variables } = context;
  const { rule, expression } = compiled;
  const type = schema.type ?? "";
  if (compiled.problem !== undefined) {
    bill.errors.push(invalid(path, type, `rule compile error: ${compiled.problem}`));
    return;
  }
  if (expression === undefined) return;
  const optional = rule.optionalOldSelf === true;
  if (compiled.usesOldSelf && (old === undefined || old === null) && !optional) return;
  const evaluation = expression.evaluateWithCost(optional ? variables.optional : variables.plain, {
    costLimit: perCallLimit,
  });
  const cost = billOf(evaluation);
  if (cost > bill.remaining) return stop(bill, invalid(path, type, outOfBudget));
  bill.remaining -= cost;
  if (evaluation.result instanceof CelError) return reportFailure(evaluation.result, rule, context);
  if (evaluation.result !== true) reportBroken(compiled, value, context);
}

function ruleText(rule: ValidationRule): string {
  return (rule.message === "" ? rule.rule : rule.message).trim();
}

function reportFailure(error: CelError, rule: ValidationRule, { bill, path, schema }: RuleContext): void {
  const type = schema.type ?? "";
  const { message } = error;
  if (error.code === "cost-limit")
    return stop(
      bill,
      invalid(
        path,
        type,
        `'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${ruleText(rule)}`,
      ),
    );
  const detail = message.startsWith("no such overload")
    ? `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${ruleText(rule)}`
    : `${message} evaluating rule: ${ruleText(rule)}`;
  bill.errors.push(invalid(path, type, detail));
}

function reportBroken(compiled: CompiledRule, value: Json, context: RuleContext): void {
  const { bill, schema, ratchet } = context;
  const { rule } = compiled;
  const path = compiled.fieldPath === undefined ? context.path : child(context.path, compiled.fieldPath);
  const report = (error: FieldError): void => {
    if (!compiled.usesOldSelf && isForgiven(ratchet)) bill.warn(formatFieldError(error));
    else bill.errors.push(error);
  };
  const made = makeMessage(compiled, context);
  if ("fatal" in made) {
    report(invalid(path, schema.type ?? "", made.fatal));
    bill.remaining = -1;
    return;
  }
  const fallback = rule.message === "" ? `failed rule: ${ruleText(rule)}` : rule.message.trim();
  const shown = schema.type === "object" || schema.type === "array" ? undefined : value;
  report(errorFor(rule.reason, path, { value: shown, detail: "text" in made ? made.text : fallback }));
}

function errorFor(
  reason: string | undefined,
  path: FieldPath,
  { value, detail }: { readonly value: Json | undefined; readonly detail: string },
): FieldError {
  switch (reason) {
    case "FieldValueForbidden":
      return forbidden(path, detail);
    case "FieldValueRequired":
      return required(path, detail);
    case "FieldValueDuplicate":
      return duplicate(path, value);
    default:
      return invalid(path, value, detail);
  }
}

type Message = { readonly text: string } | { readonly fatal: string } | { readonly unusable: true };

/** The message of a message expression; if it fails or is not a single line, the rule's own message is used. */
function makeMessage({ message, rule }: CompiledRule, { bill, variables }: RuleContext): Message {
  if (message === undefined) return { unusable: true };
  const evaluation = message.evaluateWithCost(variables.plain, { costLimit: perCallLimit });
  const { result } = evaluation;
  const cost = billOf(evaluation);
  if (cost > bill.remaining)
    return {
      fatal:
        "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run",
    };
  if (result instanceof CelError && result.code === "cost-limit")
    return {
      fatal: `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${quote(rule.messageExpression)}`,
    };
  bill.remaining -= cost;
  if (typeof result !== "string") return { unusable: true };
  const text = result.trim();
  return text === "" || text.includes("\n") || byteLength(text) > 5 * 1024 ? { unusable: true } : { text };
}
