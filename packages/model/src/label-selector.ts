/** Label selectors: requirements on labels, matching and printing. */
import * as fieldErrors from "./field-error.ts";
import type { FieldError } from "./field-error.ts";
import { itemPath } from "./field-path.ts";
import { parseInt64, quote } from "./go-text.ts";
import { checkLabelValue, checkQualifiedName } from "./names.ts";
import { ParseError } from "./parse-error.ts";

/** How a requirement relates a key to its values. */
export type LabelOperator = "in" | "notin" | "=" | "==" | "!=" | "gt" | "lt" | "exists" | "!";

/** The operators that take values, in the order in which messages list them. */
export const binaryOperators: readonly LabelOperator[] = ["in", "notin", "=", "==", "!=", "gt", "lt"];

/** One condition on the labels of an object. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

/** A selector: all requirements must hold; `nothing` matches no object at all. */
export type LabelSelector = readonly LabelRequirement[] | "nothing";

/** The labels of an object. */
export type Labels = { readonly [key: string]: string };

/** The selector form inside objects (`spec.selector` of a Deployment). */
export interface LabelSelectorObject {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

/** Whether labels satisfy a selector. */
export function matchesLabels(selector: LabelSelector, labels: Labels | undefined): boolean {
  if (selector === "nothing") return false;
  for (const requirement of selector) {
    if (!meets(requirement, labels)) return false;
  }
  return true;
}

function meets({ key, operator, values }: LabelRequirement, labels: Labels | undefined): boolean {
  const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "in":
    case "=":
    case "==":
      return value !== undefined && values.includes(value);
    case "notin":
    case "!=":
      return value === undefined || !values.includes(value);
    case "exists":
      return value !== undefined;
    case "!":
      return value === undefined;
    case "gt":
    case "lt":
      return value !== undefined && isBeyond(operator, value, values);
  }
}

function isBeyond(operator: "gt" | "lt", value: string, values: readonly string[]): boolean {
  const found = parseInt64(value);
  const bound = values.length === 1 ? parseInt64(values[0] ?? "") : undefined;
  if (found === undefined || bound === undefined) return false;
  return operator === "gt" ? found > bound : found < bound;
}

/** The errors of a requirement; empty if it is valid. */
export function checkRequirement({ key, operator, values }: LabelRequirement): FieldError[] {
  const errors = checkKey(key, "key");
  errors.push(...checkValueCount(operator, values));
  for (const [index, value] of values.entries()) {
    const messages = checkLabelValue(value);
    if (messages.length > 0) {
      const path = itemPath(itemPath("values", index), key);
      errors.push(fieldErrors.invalid(path, value, messages.join("; ")));
    }
  }
  return errors;
}

/** The errors of a requirement's key. */
export function checkKey(key: string, path: string): FieldError[] {
  const messages = checkQualifiedName(key);
  return messages.length === 0 ? [] : [fieldErrors.invalid(path, key, messages.join("; "))];
}

function checkValueCount(operator: LabelOperator, values: readonly string[]): FieldError[] {
  // Go prints a nil list as null, and the lists of these messages are nil when empty.
  const shown = values.length === 0 ? null : values;
  const refuse = (detail: string): FieldError[] => [fieldErrors.invalid("values", shown, detail)];
  switch (operator) {
    case "in":
    case "notin":
      return values.length > 0 ? [] : refuse("for 'in', 'notin' operators, values set can't be empty");
    case "=":
    case "==":
    case "!=":
      return values.length === 1 ? [] : refuse("exact-match compatibility requires one single value");
    case "exists":
    case "!":
      return values.length === 0 ? [] : refuse("values set must be empty for exists and does not exist");
    case "gt":
    case "lt":
      if (values.length !== 1) {
        return [...refuse("for 'Gt', 'Lt' operators, exactly one value is required"), ...checkIntegers(values)];
      }
      return checkIntegers(values);
  }
}

function checkIntegers(values: readonly string[]): FieldError[] {
  const detail = "for 'Gt', 'Lt' operators, the value must be an integer";
  return values.flatMap((value, index) =>
    parseInt64(value) === undefined ? [fieldErrors.invalid(itemPath("values", index), value, detail)] : [],
  );
}

const objectOperators: Readonly<Record<string, LabelOperator>> = {
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
};

/** An object's selector as requirements; a missing selector selects nothing, an empty one everything. */
export function fromLabelSelectorObject(object: LabelSelectorObject | undefined): LabelSelector {
  if (object === undefined) return "nothing";
  const requirements: LabelRequirement[] = [];
  for (const [key, value] of Object.entries(object.matchLabels ?? {})) {
    requirements.push(checked({ key, operator: "=", values: [value] }));
  }
  for (const { key, operator: name, values } of object.matchExpressions ?? []) {
    const operator = Object.hasOwn(objectOperators, name) ? objectOperators[name] : undefined;
    if (operator === undefined) throw refusal(name, `${quote(name)} is not a valid label selector operator`);
    requirements.push(checked({ key, operator, values: values ?? [] }));
  }
  return sortedByKey(requirements);
}

/** The selector that requires exactly these labels. */
export function fromLabels(labels: Labels): LabelSelector {
  return sortedByKey(
    Object.entries(labels).map(([key, value]): LabelRequirement => ({ key, operator: "=", values: [value] })),
  );
}

function checked(requirement: LabelRequirement): LabelRequirement {
  const errors = checkRequirement(requirement);
  if (errors.length > 0) throw refusal(requirement.key, fieldErrors.formatAll(errors));
  return requirement;
}

function refusal(input: string, message: string): ParseError {
  return new ParseError("InvalidLabelSelector", input, message);
}

/** Requirements in canonical order. */
export function sortedByKey(requirements: readonly LabelRequirement[]): readonly LabelRequirement[] {
  return requirements.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

/** The selector as a query parameter carries it. */
export function formatLabelSelector(selector: LabelSelector): string {
  return selector === "nothing" ? "" : selector.map(formatRequirement).join(",");
}

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  const list = values.length === 1 ? (values[0] ?? "") : values.toSorted().join(",");
  switch (operator) {
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    case "in":
    case "notin":
      return `${key} ${operator} (${list})`;
    case "gt":
      return `${key}>${list}`;
    case "lt":
      return `${key}<${list}`;
    case "=":
    case "==":
    case "!=":
      return `${key}${operator}${list}`;
  }
}

/** The value that a selector requires of one label, if it requires exactly one. */
export function exactLabelValue(selector: LabelSelector, key: string): string | undefined {
  if (selector === "nothing") return undefined;
  const requirement = selector.find((candidate) => candidate.key === key);
  if (requirement === undefined || requirement.values.length !== 1) return undefined;
  return ["=", "==", "in"].includes(requirement.operator) ? requirement.values[0] : undefined;
}
