/** Validation of node selectors: by labels, and by the field `metadata.name`. */
import type { NodeSelector, NodeSelectorRequirement, NodeSelectorTerm } from "@capstan/kinds/v1";
import { checkDns1123Subdomain, checkLabelValue, fieldErrors, type FieldError } from "@capstan/model";
import { checkLabelKey, invalidEach } from "../meta/checks.ts";

/** Requires at least one term and checks all. */
export function checkNodeSelector(selector: NodeSelector, path: string, allowBadValues = false): FieldError[] {
  const terms = selector.nodeSelectorTerms ?? [];
  const termsPath = `${path}.nodeSelectorTerms`;
  if (terms.length === 0) return [fieldErrors.required(termsPath, "must have at least one node selector term")];
  return terms.flatMap((term, index) => checkNodeSelectorTerm(term, `${termsPath}[${index}]`, allowBadValues));
}

/** Checks one term. */
export function checkNodeSelectorTerm(term: NodeSelectorTerm, path: string, allowBadValues: boolean): FieldError[] {
  return [
    ...(term.matchExpressions ?? []).flatMap((requirement, index) =>
      checkByLabel(requirement, `${path}.matchExpressions[${index}]`, allowBadValues),
    ),
    ...(term.matchFields ?? []).flatMap((requirement, index) =>
      checkByField(requirement, `${path}.matchFields[${index}]`),
    ),
  ];
}

function checkByLabel(
  { key, operator, values = [] }: NodeSelectorRequirement,
  path: string,
  allowBadValues: boolean,
): FieldError[] {
  const badValues = allowBadValues
    ? []
    : values.flatMap((value, index) => invalidEach(`${path}.values[${index}]`, value, checkLabelValue(value)));
  return [...checkOperator(operator, values, path), ...checkLabelKey(key, `${path}.key`), ...badValues];
}

function checkOperator(operator: string, values: readonly string[], path: string): FieldError[] {
  const valuesPath = `${path}.values`;
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length > 0) return [];
      return [fieldErrors.required(valuesPath, "must be specified when `operator` is 'In' or 'NotIn'")];
    case "Exists":
    case "DoesNotExist":
      if (values.length === 0) return [];
      return [fieldErrors.forbidden(valuesPath, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case "Gt":
    case "Lt":
      if (values.length === 1) return [];
      return [fieldErrors.required(valuesPath, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [fieldErrors.invalid(`${path}.operator`, fieldErrors.named(operator), "not a valid selector operator")];
  }
}

function checkByField({ key, operator, values = [] }: NodeSelectorRequirement, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (operator !== "In" && operator !== "NotIn") {
    errors.push(fieldErrors.invalid(`${path}.operator`, fieldErrors.named(operator), "not a valid selector operator"));
  } else if (values.length !== 1) {
    const why = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.push(fieldErrors.required(`${path}.values`, why));
  }
  if (key !== "metadata.name") {
    return [...errors, fieldErrors.invalid(`${path}.key`, key, "not a valid field selector key")];
  }
  return [
    ...errors,
    ...values.flatMap((value, index) => invalidEach(`${path}.values[${index}]`, value, checkDns1123Subdomain(value))),
  ];
}

/** Whether an expression has an invalid label value: an object that already has one may keep it. */
export function hasInvalidNodeValue(selector: NodeSelector | undefined): boolean {
  return (selector?.nodeSelectorTerms ?? []).some(({ matchExpressions = [] }) =>
    matchExpressions.some(({ values = [] }) => values.some((value) => checkLabelValue(value).length > 0)),
  );
}
