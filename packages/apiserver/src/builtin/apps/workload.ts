/** What the kinds that run pods from a template share: a selector, a template that it selects, counts in the status. */
import type { PodTemplateSpec } from "@capstan/kinds/v1";
import {
  checkDns1123Label,
  fieldErrors,
  formatLabelSelector,
  fromLabelSelectorObject,
  matchesLabels,
  ParseError,
  type FieldError,
  type LabelSelector,
  type LabelSelectorObject,
} from "@capstan/model";
import { checkNonNegative } from "../meta/checks.ts";
import { checkPodTemplate } from "../pod-template/template.ts";
import { podTemplateWarnings } from "../pod-template/warnings.ts";
import { checkLabelSelector, isEmptySelector } from "../selector/label-selector.ts";
import { givenOrNull } from "../given-empty.ts";

/** A selector as requirements, or undefined if it is invalid. */
export function parsedSelector(selector: LabelSelectorObject | undefined): LabelSelector | undefined {
  try {
    return fromLabelSelectorObject(selector ?? undefined);
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}

/** A selector in the text form of `scale`. */
export function selectorText(selector: LabelSelectorObject | undefined): string {
  const parsed = parsedSelector(selector);
  return parsed === undefined ? "" : formatLabelSelector(parsed);
}

/** Requires a selector that is not empty. */
export function checkRequiredSelector(
  selector: LabelSelectorObject | undefined,
  path: string,
  kind: string,
): FieldError[] {
  if (isAbsent(selector)) return [fieldErrors.required(path)];
  const empty = isEmptySelector(selector)
    ? [fieldErrors.invalid(path, selector, `empty selector is invalid for ${kind}`)]
    : [];
  return [...checkLabelSelector(selector, path), ...empty];
}

/** Whether a pointer is nil: the server keeps that as null where the field is not optional. */
export function isAbsent<T>(value: T | undefined): value is undefined {
  return value === undefined || value === null;
}

/** The selector must match the labels of the template. */
export function checkSelected(selector: LabelSelector, template: PodTemplateSpec, path: string): FieldError[] {
  const { metadata = {} } = template;
  if (matchesLabels(selector, metadata.labels)) return [];
  return [
    fieldErrors.invalid(
      `${path}.metadata.labels`,
      givenOrNull(metadata, "labels"),
      "`selector` does not match template `labels`",
    ),
  ];
}

/** Checks a template of pods that run forever, as all workload kinds except jobs require. */
export function checkLastingTemplate(
  template: PodTemplateSpec,
  path: string,
  { kind, old }: { readonly kind: string; readonly old?: PodTemplateSpec | undefined },
): FieldError[] {
  return [...checkPodTemplate(template, path, old), ...checkLasting(template, path, kind)];
}

/** Requires restartPolicy Always and no activeDeadlineSeconds. */
export function checkLasting({ spec }: PodTemplateSpec, path: string, kind: string): FieldError[] {
  const { restartPolicy = "", activeDeadlineSeconds } = spec ?? { containers: [] };
  const errors: FieldError[] = [];
  if (restartPolicy !== "Always") {
    errors.push(fieldErrors.notSupportedName(`${path}.spec.restartPolicy`, restartPolicy, ["Always"]));
  }
  if (activeDeadlineSeconds !== undefined) {
    const why = `activeDeadlineSeconds in ${kind} is not Supported`;
    errors.push(fieldErrors.forbidden(`${path}.spec.activeDeadlineSeconds`, why));
  }
  return errors;
}

type Counts = { readonly [field: string]: unknown };

/** Counts of a status that must not be negative. */
export function checkCounts(status: object, fields: readonly string[], path = "status"): FieldError[] {
  return fields.flatMap((field) => checkNonNegative(countOf(status, field), `${path}.${field}`));
}

/** Counts of a status that must not exceed another count. */
export function checkNotAbove(
  status: object,
  fields: readonly string[],
  { limit, named }: { readonly limit: string; readonly named: string },
): FieldError[] {
  const most = countOf(status, limit);
  return fields
    .filter((field) => countOf(status, field) > most)
    .map((field) => fieldErrors.invalid(`status.${field}`, countOf(status, field), `cannot be greater than ${named}`));
}

function countOf(status: object, field: string): number {
  return Number((status as Counts)[field] ?? 0);
}

/** The count of hash collisions must not decrease. */
export function checkCollisions(
  { collisionCount }: { readonly collisionCount?: number },
  { collisionCount: before }: { readonly collisionCount?: number },
): FieldError[] {
  if (before === undefined || (collisionCount !== undefined && collisionCount >= before)) return [];
  return [fieldErrors.invalid("status.collisionCount", collisionCount ?? 0, "cannot be decremented")];
}

/** Warns about a name that is not a valid host name of a pod. */
export function nameWarnings(name: string | undefined): string[] {
  const problems = checkDns1123Label(name ?? "");
  if (problems.length === 0) return [];
  return [
    `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${problems.join(" ")}]`,
  ];
}

interface Templated {
  readonly metadata: { readonly generation?: number };
  readonly spec: { readonly template?: PodTemplateSpec };
}

/** Warnings about a template that is new or, by its generation, has changed. */
export function templateWarnings({ metadata, spec }: Templated, old: Templated | undefined): string[] {
  const isNew = old === undefined || old.metadata.generation !== metadata.generation;
  return isNew ? podTemplateWarnings(spec.template, "spec.template") : [];
}
