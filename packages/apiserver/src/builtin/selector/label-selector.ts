/** Validation of a label selector inside an object. */
import { checkLabelValue, fieldErrors, type FieldError, type LabelSelectorObject } from "@capstan/model";
import { checkLabels } from "../../metadata/check.ts";
import { checkLabelKey, invalidEach } from "../meta/checks.ts";

type Requirement = NonNullable<LabelSelectorObject["matchExpressions"]>[number];

/** Checks that are skipped. */
export interface LabelSelectorLeniency {
  /** Invalid label values; only for objects that already have them. */
  readonly invalidValues?: boolean;
  /** Unknown operators; only for access reviews. */
  readonly unknownOperators?: boolean;
}

/** Checks keys, values and operators; an absent selector is valid. */
export function checkLabelSelector(
  selector: LabelSelectorObject | undefined,
  path: string,
  leniency: LabelSelectorLeniency = {},
): FieldError[] {
  if (selector === undefined) return [];
  return [
    ...checkLabels(selector.matchLabels, `${path}.matchLabels`),
    ...(selector.matchExpressions ?? []).flatMap((requirement, index) =>
      checkLabelRequirement(requirement, `${path}.matchExpressions[${index}]`, leniency),
    ),
  ];
}

/** Checks one requirement of a selector. */
export function checkLabelRequirement(
  { key, operator, values = [] }: Requirement,
  path: string,
  leniency: LabelSelectorLeniency = {},
): FieldError[] {
  const badValues = leniency.invalidValues === true ? [] : checkValues(values, `${path}.values`);
  return [...checkOperator(operator, values, path, leniency), ...checkLabelKey(key, `${path}.key`), ...badValues];
}

function checkOperator(
  operator: string,
  values: readonly string[],
  path: string,
  { unknownOperators = false }: LabelSelectorLeniency,
): FieldError[] {
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length > 0) return [];
      return [fieldErrors.required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case "Exists":
    case "DoesNotExist":
      if (values.length === 0) return [];
      return [
        fieldErrors.forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
      ];
    default:
      if (unknownOperators) return [];
      return [fieldErrors.invalid(`${path}.operator`, fieldErrors.named(operator), "not a valid selector operator")];
  }
}

function checkValues(values: readonly string[], path: string): FieldError[] {
  return values.flatMap((value, index) => invalidEach(`${path}[${index}]`, value, checkLabelValue(value)));
}

/** Whether an expression has an invalid label value: an object that already has one may keep it. */
export function hasInvalidValue(selector: LabelSelectorObject | undefined): boolean {
  return (selector?.matchExpressions ?? []).some(({ values = [] }) =>
    values.some((value) => checkLabelValue(value).length > 0),
  );
}

export function isEmptySelector({ matchLabels = {}, matchExpressions = [] }: LabelSelectorObject): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}
