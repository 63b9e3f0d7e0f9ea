/** Validation of conditions of a status. */
import type { Condition } from "@capstan/kinds/meta/v1";
import { byteLength, fieldErrors, patternMessage, type FieldError } from "@capstan/model";
import { checkOneOf, checkQualified } from "../meta/checks.ts";
import { occursBefore } from "../occurs-before.ts";

const maxReasonBytes = 1024;
const maxMessageBytes = 32 * 1024;
const reasonPattern = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?";
const reasonSentence =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'";

/** Checks each condition; types must be unique. */
export function checkConditions(conditions: readonly Condition[], path: string): FieldError[] {
  const types = conditions.map(({ type }) => type);
  return conditions.flatMap((condition, index) => [
    ...(occursBefore(types, index) ? [fieldErrors.duplicate(`${path}[${index}].type`, condition.type)] : []),
    ...checkCondition(condition, `${path}[${index}]`),
  ]);
}

function checkCondition(condition: Condition, path: string): FieldError[] {
  const { type, status, observedGeneration = 0, lastTransitionTime, reason, message } = condition;
  const negative = "must be greater than or equal to zero";
  return [
    ...checkQualified(type, `${path}.type`),
    ...checkOneOf(status, `${path}.status`, ["False", "True", "Unknown"]),
    ...(observedGeneration < 0
      ? [fieldErrors.invalid(`${path}.observedGeneration`, observedGeneration, negative)]
      : []),
    ...((lastTransitionTime ?? "") === "" ? [fieldErrors.required(`${path}.lastTransitionTime`)] : []),
    ...checkReason(reason ?? "", `${path}.reason`),
    ...(byteLength(message ?? "") > maxMessageBytes ? [fieldErrors.tooLong(`${path}.message`, maxMessageBytes)] : []),
  ];
}

function checkReason(reason: string, path: string): FieldError[] {
  if (reason === "") return [fieldErrors.required(path)];
  const isSound = new RegExp(`^${reasonPattern}$`).test(reason);
  const examples = ["my_name", "MY_NAME", "MyName", "ReasonA,ReasonB", "ReasonA:ReasonB"];
  return [
    ...(isSound ? [] : [fieldErrors.invalid(path, reason, patternMessage(reasonSentence, reasonPattern, ...examples))]),
    ...(byteLength(reason) > maxReasonBytes ? [fieldErrors.tooLong(path, maxReasonBytes)] : []),
  ];
}
