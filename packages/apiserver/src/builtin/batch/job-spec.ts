/** Validation of the spec of a job, standalone or in the template of a cron job. */
import type { JobSpec } from "@capstan/kinds/batch/v1";
import type { PodTemplateSpec } from "@capstan/kinds/v1";
import { byteLength, checkDns1123Subdomain, fieldErrors, patternMessage, type FieldError } from "@capstan/model";
import { checkNonNegative, checkOneOf, invalidEach } from "../meta/checks.ts";
import { checkPodTemplate } from "../pod-template/template.ts";
import { podTemplateWarnings } from "../pod-template/warnings.ts";
import { checkFailurePolicy, checkSuccessPolicy, internalSuccessPolicy } from "./pod-failure-policy.ts";

const maxIndexed = 100_000;
const maxHighCompletions = 10_000;
const maxManagedByBytes = 63;

/** Checks everything except the selector, which a cron job must not have. */
export function checkJobSpec(spec: JobSpec, path: string, old?: PodTemplateSpec): FieldError[] {
  return [
    ...checkNumbers(spec, path),
    ...(spec.managedBy === undefined ? [] : checkManager(spec.managedBy, `${path}.managedBy`)),
    ...checkCompletionMode(spec, path),
    ...(spec.podFailurePolicy === undefined
      ? []
      : checkFailurePolicy(spec, spec.podFailurePolicy, `${path}.podFailurePolicy`)),
    ...checkSuccess(spec, `${path}.successPolicy`),
    ...checkReplacement(spec, `${path}.podReplacementPolicy`),
    ...checkPodTemplate(spec.template, `${path}.template`, old),
    ...checkRestart(spec, `${path}.template.spec.restartPolicy`),
  ];
}

function checkNumbers(spec: JobSpec, path: string): FieldError[] {
  const { maxFailedIndexes, backoffLimitPerIndex } = spec;
  const isAlone = maxFailedIndexes !== undefined && backoffLimitPerIndex === undefined;
  return [
    ...checkNonNegative(spec.parallelism, `${path}.parallelism`),
    ...checkNonNegative(spec.completions, `${path}.completions`),
    ...checkNonNegative(spec.activeDeadlineSeconds, `${path}.activeDeadlineSeconds`),
    ...checkNonNegative(spec.backoffLimit, `${path}.backoffLimit`),
    ...checkNonNegative(spec.ttlSecondsAfterFinished, `${path}.ttlSecondsAfterFinished`),
    ...checkNonNegative(backoffLimitPerIndex, `${path}.backoffLimitPerIndex`),
    ...checkNonNegative(maxFailedIndexes, `${path}.maxFailedIndexes`),
    ...(isAlone ? [fieldErrors.required(`${path}.backoffLimitPerIndex`, "when maxFailedIndexes is specified")] : []),
  ];
}

function checkManager(managedBy: string, path: string): FieldError[] {
  const tooLong = byteLength(managedBy) > maxManagedByBytes ? [fieldErrors.tooLong(path, maxManagedByBytes)] : [];
  return [...checkDomainPath(managedBy, path), ...tooLong];
}

const pathPattern = String.raw`[A-Za-z0-9/\-._~%!$&'()*+,;=:]+`;

/** A name such as `acme.io/foo`. */
export function checkDomainPath(value: string, path: string): FieldError[] {
  if (value === "") return [fieldErrors.required(path)];
  const slash = value.indexOf("/");
  const [host, rest] = [value.slice(0, slash), value.slice(slash + 1)];
  if (slash < 1 || rest === "") {
    return [fieldErrors.invalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const isPath = new RegExp(`^${pathPattern}$`).test(rest);
  return [
    ...invalidEach(path, host, checkDns1123Subdomain(host)),
    ...(isPath ? [] : [fieldErrors.invalid(path, rest, patternMessage("Invalid path", pathPattern))]),
  ];
}

function checkCompletionMode(spec: JobSpec, path: string): FieldError[] {
  const { completionMode = "NonIndexed" } = spec;
  const unknown = checkOneOf(completionMode, `${path}.completionMode`, ["NonIndexed", "Indexed"]);
  switch (completionMode) {
    case "Indexed":
      return [...checkIndexed(spec, path), ...checkManyIndexes(spec, path)];
    case "NonIndexed":
      return [...unknown, ...checkNotIndexed(spec, path)];
    default:
      return unknown;
  }
}

function checkNotIndexed({ backoffLimitPerIndex, maxFailedIndexes }: JobSpec, path: string): FieldError[] {
  return Object.entries({ backoffLimitPerIndex, maxFailedIndexes })
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => fieldErrors.invalid(`${path}.${field}`, value, "requires indexed completion mode"));
}

function checkIndexed({ completions, parallelism = 0, maxFailedIndexes }: JobSpec, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (completions === undefined) {
    errors.push(fieldErrors.required(`${path}.completions`, "when completion mode is Indexed"));
  }
  if (parallelism > maxIndexed) {
    const why = `must be less than or equal to ${maxIndexed} when completion mode is Indexed`;
    errors.push(fieldErrors.invalid(`${path}.parallelism`, parallelism, why));
  }
  return maxFailedIndexes === undefined ? errors : [...errors, ...checkFailures(maxFailedIndexes, completions, path)];
}

function checkFailures(failures: number, completions: number | undefined, path: string): FieldError[] {
  const refuse = (limit: string): FieldError =>
    fieldErrors.invalid(`${path}.maxFailedIndexes`, failures, `must be less than or equal to ${limit}`);
  return [
    ...(completions !== undefined && failures > completions ? [refuse("completions")] : []),
    ...(failures > maxIndexed ? [refuse(String(maxIndexed))] : []),
  ];
}

/** With a backoff limit per index, many completions require maxFailedIndexes and bound parallelism. */
function checkManyIndexes(spec: JobSpec, path: string): FieldError[] {
  const { completions = 0, backoffLimitPerIndex, maxFailedIndexes, parallelism } = spec;
  if (completions <= maxIndexed || backoffLimitPerIndex === undefined) return [];
  const why = `must be less than or equal to ${maxHighCompletions} when completions are above ${maxIndexed} and used with backoff limit per index`;
  const missing = `must be specified when completions is above ${maxIndexed}`;
  return [
    ...(maxFailedIndexes === undefined ? [fieldErrors.required(`${path}.maxFailedIndexes`, missing)] : []),
    ...Object.entries({ parallelism, maxFailedIndexes })
      .filter(([, value]) => (value ?? 0) > maxHighCompletions)
      .map(([field, value]) => fieldErrors.invalid(`${path}.${field}`, value, why)),
  ];
}

function checkSuccess(spec: JobSpec, path: string): FieldError[] {
  const { successPolicy, completionMode } = spec;
  if (successPolicy === undefined) return [];
  if (completionMode === "Indexed") return checkSuccessPolicy(spec, successPolicy, path);
  return [fieldErrors.invalid(path, internalSuccessPolicy(successPolicy), "requires indexed completion mode")];
}

function checkReplacement({ podReplacementPolicy, podFailurePolicy }: JobSpec, path: string): FieldError[] {
  if (podReplacementPolicy === undefined) return [];
  const allowed = podFailurePolicy === undefined ? ["Failed", "TerminatingOrFailed"] : ["Failed"];
  return checkOneOf(podReplacementPolicy, path, allowed);
}

function checkRestart({ template, podFailurePolicy }: JobSpec, path: string): FieldError[] {
  const policy: string = template.spec?.restartPolicy ?? "";
  if (policy === "Always" || policy === "") {
    return [fieldErrors.required(path, 'valid values: "OnFailure", "Never"')];
  }
  if (policy !== "OnFailure" && policy !== "Never") {
    return [fieldErrors.notSupportedName(path, policy, ["OnFailure", "Never"])];
  }
  if (podFailurePolicy === undefined || policy === "Never") return [];
  return [fieldErrors.invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified')];
}

/** Warnings about the size of a job and its template. */
export function jobSpecWarnings(spec: JobSpec, path: string): string[] {
  return [...sizeWarnings(spec, path), ...podTemplateWarnings(spec.template, `${path}.template`)];
}

function sizeWarnings({ completionMode, completions = 0, parallelism = 0 }: JobSpec, path: string): string[] {
  if (completionMode !== "Indexed" || completions <= maxIndexed || parallelism <= maxHighCompletions) return [];
  return [
    `${path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
  ];
}
