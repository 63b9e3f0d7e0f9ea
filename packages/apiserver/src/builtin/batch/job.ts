/** Job: pods that run until enough of them have succeeded. */
import type { Job as JobObject, JobSpec } from "@capstan/kinds/batch/v1";
import type { PodSpec, PodTemplateSpec } from "@capstan/kinds/v1";
import {
  checkDns1123Label,
  cloneJson,
  fieldErrors,
  fromMilliseconds,
  isDeepEqual,
  matchesLabels,
  parseTime,
  toMilliseconds,
  type FieldError,
} from "@capstan/model";
import { formatAge } from "@capstan/model";
import { checkMetadataUpdate, checkObjectMetadata, checkStandardFinalizers } from "../../metadata/check.ts";
import { checkSelected, isAbsent, nameWarnings, parsedSelector } from "../apps/workload.ts";
import type { Draft } from "../draft.ts";
import { isGiven } from "../given-empty.ts";
import { checkSamePointer, checkUnchanged, isEmpty } from "../meta/checks.ts";
import { bumpGeneration, startGeneration } from "../meta/generation.ts";
import { toInternal } from "../meta/internal-form.ts";
import { dropField, keepField, statusView } from "../meta/status.ts";
import { defaultPodTemplate } from "../pod-template/defaults.ts";
import { dropDisabledFields } from "../pod-template/template.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { checkLabelSelector, hasInvalidValue } from "../selector/label-selector.ts";
import { ageOf, containerCells, selectorCell } from "../table/cells.ts";
import type { Whole } from "../whole.ts";
import { checkJobSpec, jobSpecWarnings } from "./job-spec.ts";
import { checkJobStatus, isTrue } from "./job-status.ts";
import { internalFailurePolicy, internalSuccessPolicy } from "./pod-failure-policy.ts";

type Job = Whole<JobObject>;

const uidLabels = ["controller-uid", "batch.kubernetes.io/controller-uid"] as const;
const nameLabels = ["job-name", "batch.kubernetes.io/job-name"] as const;
const maxBackoff = 2_147_483_647;

export const job: KindRules<Job> = defineRules<Job>({
  validatesMetadata: true,
  unknownField: (field) => `field label ${JSON.stringify(field)} not supported for Job`,
  fields: { "status.successful": ({ status }) => String(status.succeeded ?? 0) },
  deletion: {
    propagation: "Orphan",
    propagationWarning:
      "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
  },
  defaults: setDefaults,
  prepareForCreate(draft) {
    if (draft.spec.manualSelector !== true) generateSelector(draft);
    dropField(draft, "status");
    startGeneration(draft);
    dropDisabledFields(draft.spec.template.spec);
  },
  prepareForUpdate(draft, old) {
    keepField(draft, old, "status");
    dropDisabledFields(draft.spec.template.spec, old.spec.template.spec);
    bumpGeneration(draft, old);
  },
  validateCreate: (object) => checkJob(object),
  validateUpdate: (object, old) => [
    ...checkJob(object, old),
    ...checkMetadataUpdate(object.metadata, old.metadata),
    ...checkStandardFinalizers(object.metadata),
    ...checkSpec(object.spec, old.spec),
    ...checkFixed(object.spec, old),
  ],
  warnings: ({ metadata, spec }, old) => {
    if (old !== undefined && old.metadata.generation === metadata.generation) return [];
    return [...(old === undefined ? nameWarnings(metadata.name) : []), ...jobSpecWarnings(spec, "spec")];
  },
  readBack: ({ metadata, spec }) => takeLabels(metadata, spec),
  subresources: { status: statusView<Job>({ validate: checkJobStatus, validatesMetadata: false }) },
  table: { row: (object, now) => ({ cells: cellsOf(object, now) }) },
});

function setDefaults({ metadata, spec }: Draft<Job>): void {
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : maxBackoff;
  takeLabels(metadata, spec);
  spec.completionMode ??= "NonIndexed";
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? "TerminatingOrFailed" : "Failed";
  spec.manualSelector ??= false;
  defaultJobSpec(spec);
}

/** A job without labels takes those of its pod template. */
function takeLabels(metadata: Draft<Job>["metadata"], spec: Draft<JobSpec>): void {
  const labels = spec.template.metadata?.labels;
  if (Object.keys(metadata.labels ?? {}).length === 0 && labels !== undefined) metadata.labels = { ...labels };
}

/** Defaults of a job and of the template of a cron job. */
export function defaultJobSpec(spec: Draft<JobSpec>): void {
  for (const pattern of (spec.podFailurePolicy?.rules ?? []).flatMap(({ onPodConditions = [] }) => onPodConditions)) {
    if (isEmpty(pattern.status)) pattern.status = "True";
  }
  defaultPodTemplate(spec.template);
}

/** Adds labels that are unique to this job to the pod template and selects by them. */
function generateSelector({ metadata, spec }: Draft<Job>): void {
  const { name, uid } = metadata;
  const own = { [nameLabels[0]]: name, [nameLabels[1]]: name, [uidLabels[0]]: uid, [uidLabels[1]]: uid };
  const template = (spec.template.metadata ??= {});
  const given = template.labels ?? (isGiven(template, "labels") ? {} : undefined);
  template.labels = sorted({ ...own, ...given });
  const selector = (spec.selector ??= {});
  selector.matchLabels = sorted({ [uidLabels[1]]: uid, ...selector.matchLabels });
  // A job that took the labels of its template also gets the generated ones.
  if (given !== undefined && isDeepEqual(metadata.labels ?? {}, given)) metadata.labels = { ...template.labels };
}

function sorted(labels: { [key: string]: string }): { [key: string]: string } {
  return Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function checkJob(object: Job, old?: Job): FieldError[] {
  return [
    ...checkObjectMetadata(object, true, "dns-subdomain"),
    ...checkGeneratedSelector(object, old),
    ...checkSpec(object.spec, old?.spec),
    ...checkHostnames(object),
  ];
}

function checkSpec(spec: JobSpec, old?: JobSpec): FieldError[] {
  const selector = parsedSelector(spec.selector);
  return [
    ...checkJobSpec(spec, "spec", old?.template),
    ...(isAbsent(spec.selector)
      ? [fieldErrors.required("spec.selector")]
      : checkLabelSelector(spec.selector, "spec.selector", { invalidValues: hasInvalidValue(old?.selector) })),
    ...(selector === undefined ? [] : checkSelected(selector, spec.template, "spec.template")),
  ];
}

/** A generated selector must equal the one that the server would generate. */
function checkGeneratedSelector({ metadata, spec }: Job, old: Job | undefined): FieldError[] {
  if (spec.manualSelector === true || isAbsent(spec.selector)) return [];
  const { uid, name } = metadata;
  const before = old?.spec.template.metadata?.labels;
  const hasPrefixed =
    old === undefined || (before?.[nameLabels[1]] !== undefined && before[uidLabels[1]] !== undefined);
  const keys = hasPrefixed ? [0, 1] : [0];
  const expected = keys.flatMap((index) => [
    [uidLabels[index] ?? "", uid] as const,
    [nameLabels[index] ?? "", name] as const,
  ]);
  const selector = parsedSelector(spec.selector);
  const isOwn = selector === undefined || matchesLabels(selector, Object.fromEntries(expected));
  return [
    ...expected.flatMap(([key, value]) => checkHasLabel(spec.template, key, value)),
    ...(isOwn ? [] : [fieldErrors.invalid("spec.selector", spec.selector, "`selector` not auto-generated")]),
  ];
}

function checkHasLabel({ metadata }: PodTemplateSpec, key: string, value: string): FieldError[] {
  const labels = metadata?.labels ?? {};
  const path = `spec.template.metadata.labels[${key}]`;
  if (labels[key] === undefined) return [fieldErrors.required(path, `must be '${value}'`)];
  return labels[key] === value ? [] : [fieldErrors.invalid(path, labels, `must be '${value}'`)];
}

function checkHostnames({ metadata, spec }: Job): FieldError[] {
  const { completionMode, completions = 0 } = spec;
  if (completionMode !== "Indexed" || completions <= 0) return [];
  const longest = `${metadata.name}-${completions - 1}`;
  if (checkDns1123Label(longest).length === 0) return [];
  const why = `will not able to create pod with invalid DNS label: ${longest}`;
  return [fieldErrors.invalid("metadata.name", metadata.name, why)];
}

function checkFixed(spec: JobSpec, old: Job): FieldError[] {
  const before = old.spec;
  return [
    ...checkCompletions(spec, before),
    ...checkUnchanged(spec.selector, before.selector, "spec.selector"),
    ...checkTemplate(spec.template, old),
    ...checkSamePointer(spec.completionMode, before.completionMode, "spec.completionMode"),
    ...(isDeepEqual(spec.podFailurePolicy, before.podFailurePolicy)
      ? []
      : [immutable("spec.podFailurePolicy", internalFailurePolicy(spec.podFailurePolicy))]),
    ...checkUnchanged(spec.backoffLimitPerIndex, before.backoffLimitPerIndex, "spec.backoffLimitPerIndex"),
    ...checkSamePointer(spec.managedBy, before.managedBy, "spec.managedBy"),
    ...(isDeepEqual(spec.successPolicy, before.successPolicy)
      ? []
      : [immutable("spec.successPolicy", internalSuccessPolicy(spec.successPolicy))]),
  ];
}

function immutable(path: string, value: unknown): FieldError {
  return fieldErrors.invalid(path, value, "field is immutable");
}

function checkCompletions(spec: JobSpec, old: JobSpec): FieldError[] {
  const path = "spec.completions";
  if (spec.completionMode !== "Indexed") return checkUnchanged(spec.completions, old.completions, path);
  if (spec.completions === undefined || spec.completions === old.completions) return [];
  if (spec.completions === spec.parallelism) return [];
  return [fieldErrors.invalid(path, spec.completions, "can only be modified in tandem with spec.parallelism")];
}

/** The template may change only while the job is suspended and has not started. */
function checkTemplate(template: PodTemplateSpec, old: Job): FieldError[] {
  const { spec, status } = old;
  const isIdle =
    spec.suspend === true && (status.startTime === undefined || isTrue(status, "Suspended")) && !(status.active ?? 0);
  const before = isIdle ? withScheduling(spec.template, template) : spec.template;
  if (isIdle) return checkOnlyResources(template.spec, before.spec);
  if (isDeepEqual(template, before)) return [];
  return [immutable("spec.template", { ...template.metadata, Spec: toInternal("PodSpec", template.spec ?? {}) })];
}

/** The old template with the scheduling fields of the new one. */
function withScheduling(old: PodTemplateSpec, { metadata, spec }: PodTemplateSpec): PodTemplateSpec {
  const copy = cloneJson(old);
  copy.metadata ??= {};
  copyField(copy.metadata, metadata, "annotations");
  copyField(copy.metadata, metadata, "labels");
  if (copy.spec === undefined) return copy;
  for (const field of ["nodeSelector", "tolerations", "schedulingGates"]) copyField(copy.spec, spec, field);
  const affinity = { ...copy.spec.affinity };
  copyField(affinity, spec?.affinity, "nodeAffinity");
  if (Object.keys(affinity).length > 0 || spec?.affinity !== undefined) copy.spec.affinity = affinity;
  else delete copy.spec.affinity;
  return copy;
}

function copyField(target: object, source: object | undefined, field: string): void {
  const value: unknown = source === undefined ? undefined : Reflect.get(source, field);
  if (value === undefined) Reflect.deleteProperty(target, field);
  else Reflect.set(target, field, cloneJson(value));
}

function checkOnlyResources(spec: PodSpec | undefined, old: PodSpec | undefined): FieldError[] {
  if (spec === undefined || old === undefined) return [];
  const before = cloneJson(old);
  for (const field of ["containers", "initContainers"] as const) {
    const [then, now] = [before[field] ?? [], spec[field] ?? []];
    if (then.length !== now.length) continue;
    for (const [index, container] of then.entries()) {
      if (container.name === now[index]?.name) copyField(container, now[index], "resources");
    }
  }
  return isDeepEqual(spec, before) ? [] : [immutable("spec.template.spec", toInternal("PodSpec", spec))];
}

function cellsOf(object: Job, now: number): (string | number)[] {
  const { metadata, spec } = object;
  return [
    metadata.name,
    phaseOf(object),
    completionsOf(object),
    durationOf(object, now),
    ageOf(object, now),
    ...containerCells(spec.template.spec?.containers ?? []),
    selectorCell(spec.selector),
  ];
}

function phaseOf({ metadata, status }: Job): string {
  if (isTrue(status, "Complete")) return "Complete";
  if (isTrue(status, "Failed")) return "Failed";
  if (metadata.deletionTimestamp !== undefined) return "Terminating";
  const later = ["Suspended", "FailureTarget", "SuccessCriteriaMet"];
  return later.find((type) => isTrue(status, type)) ?? "Running";
}

function completionsOf({ spec, status }: Job): string {
  const { completions, parallelism = 0 } = spec;
  const done = status.succeeded ?? 0;
  if (completions !== undefined) return `${done}/${completions}`;
  return parallelism > 1 ? `${done}/1 of ${parallelism}` : `${done}/1`;
}

function durationOf({ status: { startTime, completionTime } }: Job, now: number): string {
  if (startTime === undefined) return "";
  const end = completionTime === undefined ? fromMilliseconds(now) : parseTime(completionTime);
  return formatAge(toMilliseconds(end) - toMilliseconds(parseTime(startTime)));
}
