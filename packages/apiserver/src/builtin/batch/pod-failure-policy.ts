/** Pod failure policy and success policy of a job. */
import type { JobSpec, PodFailurePolicy, SuccessPolicy } from "@capstan/kinds/batch/v1";
import { byteLength, fieldErrors, type FieldError, type Json } from "@capstan/model";
import { isAbsent } from "../apps/workload.ts";
import { givenOrNull } from "../given-empty.ts";
import { checkNonNegative, checkOneOf, checkQualified, isEmpty } from "../meta/checks.ts";
import { countIndexes } from "./indexes.ts";
import { occursBefore } from "../occurs-before.ts";

type Rule = PodFailurePolicy["rules"][number];

const maxRules = 20;
const maxExitCodes = 255;
const maxConditions = 20;
const maxIndexesBytes = 64 * 1024;
const actions = ["Count", "FailIndex", "FailJob", "Ignore"];
const operators = ["In", "NotIn"];
const statuses = ["False", "True", "Unknown"];

/** Checks the pod failure policy. */
export function checkFailurePolicy(spec: JobSpec, policy: PodFailurePolicy, path: string): FieldError[] {
  const rules = policy.rules ?? [];
  const { containers, initContainers = [] } = spec.template.spec ?? { containers: [] };
  const names = new Set([...(containers ?? []), ...initContainers].map(({ name }) => name));
  return [
    ...(rules.length > maxRules ? [fieldErrors.tooMany(`${path}.rules`, rules.length, maxRules)] : []),
    ...rules.flatMap((rule, index) => [
      ...checkAction(rule.action, `${path}.rules[${index}].action`, spec),
      ...checkRule(rule, `${path}.rules[${index}]`, names),
    ]),
  ];
}

function checkAction(action: string, path: string, { backoffLimitPerIndex }: JobSpec): FieldError[] {
  if (action === "FailIndex") {
    return backoffLimitPerIndex === undefined
      ? [fieldErrors.invalid(path, action, "requires the backoffLimitPerIndex to be set")]
      : [];
  }
  return requireKnown(action, path, actions);
}

function requireKnown(value: string | undefined, path: string, known: readonly string[]): FieldError[] {
  if (!isEmpty(value)) return checkOneOf(value, path, known);
  const list = known.map((one) => `"${one}"`).join(" ");
  return [fieldErrors.required(path, `valid values: [${list}]`)];
}

function checkRule(
  { onExitCodes, onPodConditions = [] }: Rule,
  path: string,
  names: ReadonlySet<string>,
): FieldError[] {
  const hasConditions = onPodConditions.length > 0;
  const errors = [
    ...(onExitCodes === undefined ? [] : checkExitCodes(onExitCodes, `${path}.onExitCodes`, names)),
    ...checkConditions(onPodConditions, `${path}.onPodConditions`),
  ];
  if ((onExitCodes !== undefined) !== hasConditions) return errors;
  const why = hasConditions
    ? "specifying both OnExitCodes and OnPodConditions is not supported"
    : "specifying one of OnExitCodes and OnPodConditions is required";
  return [...errors, fieldErrors.invalid(path, fieldErrors.omittedValue, why)];
}

function checkConditions(conditions: NonNullable<Rule["onPodConditions"]>, path: string): FieldError[] {
  return [
    ...(conditions.length > maxConditions ? [fieldErrors.tooMany(path, conditions.length, maxConditions)] : []),
    ...conditions.flatMap(({ type, status }, index) => [
      ...checkQualified(type, `${path}[${index}].type`),
      ...requireKnown(status, `${path}[${index}].status`, statuses),
    ]),
  ];
}

function checkExitCodes(
  { operator, containerName, values }: NonNullable<Rule["onExitCodes"]>,
  path: string,
  names: ReadonlySet<string>,
): FieldError[] {
  const why = "must be one of the container or initContainer names in the pod template";
  const isStranger = containerName !== undefined && !names.has(containerName);
  return [
    ...requireKnown(operator, `${path}.operator`, operators),
    ...(isStranger ? [fieldErrors.invalid(`${path}.containerName`, containerName, why)] : []),
    ...((values ?? []).length === 0
      ? [fieldErrors.invalid(`${path}.values`, values ?? null, "at least one value is required")]
      : checkCodes(values, `${path}.values`, operator)),
  ];
}

function checkCodes(codes: readonly number[], path: string, operator: string): FieldError[] {
  const errors: FieldError[] = [];
  if (codes.length > maxExitCodes) errors.push(fieldErrors.tooMany(path, codes.length, maxExitCodes));
  for (const [index, code] of codes.entries()) {
    const at = `${path}[${index}]`;
    if (operator === "In" && code === 0)
      errors.push(fieldErrors.invalid(at, code, "must not be 0 for the In operator"));
    if (occursBefore(codes, index)) errors.push(fieldErrors.duplicate(at, code));
  }
  const isOrdered = codes.every((code, index) => index === 0 || (codes[index - 1] ?? 0) <= code);
  return isOrdered ? errors : [...errors, fieldErrors.invalid(path, codes, "must be ordered")];
}

/** Checks the success policy of an indexed job. */
export function checkSuccessPolicy({ completions = 0 }: JobSpec, policy: SuccessPolicy, path: string): FieldError[] {
  const rules = policy.rules ?? [];
  const none = "at least one rules must be specified when the successPolicy is specified";
  return [
    ...(rules.length === 0 ? [fieldErrors.required(`${path}.rules`, none)] : []),
    ...(rules.length > maxRules ? [fieldErrors.tooMany(`${path}.rules`, rules.length, maxRules)] : []),
    ...rules.flatMap((rule, index) => checkSuccessRule(rule, `${path}.rules[${index}]`, completions)),
  ];
}

function checkSuccessRule(
  { succeededCount, succeededIndexes }: SuccessPolicy["rules"][number],
  path: string,
  completions: number,
): FieldError[] {
  const errors: FieldError[] = [];
  if (succeededCount === undefined && succeededIndexes === undefined) {
    errors.push(fieldErrors.required(path, "at least one of succeededCount or succeededIndexes must be specified"));
  }
  const total = succeededIndexes === undefined ? undefined : countIndexes(succeededIndexes, completions);
  if (succeededIndexes !== undefined) errors.push(...checkIndexes(succeededIndexes, total, `${path}.succeededIndexes`));
  if (succeededCount === undefined) return errors;
  const at = `${path}.succeededCount`;
  const limits: readonly (readonly [number, string])[] = [
    [completions, "the number of specified completions"],
    ...(total === undefined
      ? []
      : ([
          [typeof total === "string" ? 0 : total, "the number of indexes in the specified succeededIndexes field"],
        ] as const)),
  ];
  return [
    ...errors,
    ...checkNonNegative(succeededCount, at),
    ...limits
      .filter(([limit]) => succeededCount > limit)
      .map(([limit, what]) =>
        fieldErrors.invalid(at, succeededCount, `must be less than or equal to ${limit} (${what})`),
      ),
  ];
}

function checkIndexes(text: string, total: number | string | undefined, path: string): FieldError[] {
  return [
    ...(byteLength(text) > maxIndexesBytes ? [fieldErrors.tooLong(path, maxIndexesBytes)] : []),
    ...(typeof total === "string" ? [fieldErrors.invalid(path, text, `error parsing succeededIndexes: ${total}`)] : []),
  ];
}

/** The policy in the internal form that error messages show. */
export function internalFailurePolicy(policy: PodFailurePolicy | undefined): Json {
  if (policy === undefined) return null;
  if (isAbsent<PodFailurePolicy["rules"]>(policy.rules)) return { Rules: null };
  return {
    Rules: policy.rules.map((rule) => internalRule(rule)),
  };
}

function internalRule(rule: Rule): Json {
  const { action, onExitCodes, onPodConditions } = rule;
  return {
    Action: action,
    OnExitCodes:
      onExitCodes === undefined
        ? null
        : {
            ContainerName: onExitCodes.containerName ?? null,
            Operator: onExitCodes.operator,
            Values: onExitCodes.values ?? null,
          },
    OnPodConditions:
      onPodConditions === undefined
        ? givenOrNull(rule, "onPodConditions")
        : onPodConditions.map(({ type, status = "" }) => ({ Type: type, Status: status })),
  };
}

/** The policy in the internal form that error messages show. */
export function internalSuccessPolicy(policy: SuccessPolicy | undefined): Json {
  if (policy === undefined) return null;
  if (isAbsent<SuccessPolicy["rules"]>(policy.rules)) return { Rules: null };
  return {
    Rules: policy.rules.map(({ succeededIndexes, succeededCount }) => ({
      SucceededIndexes: succeededIndexes ?? null,
      SucceededCount: succeededCount ?? null,
    })),
  };
}
