/** Which fields of a pod may change: images, activeDeadlineSeconds, tolerations, scheduling gates and a few others. */
import type { NodeAffinity, NodeSelectorTerm, Pod, PodSpec, Toleration } from "@capstan/kinds/v1";
import { cloneJson, fieldErrors, isDeepEqual, rangeMessage, toCanonicalJson, type FieldError } from "@capstan/model";
import type { Draft } from "../draft.ts";
import { internalDiff, toInternal, toInternalList } from "../meta/internal-form.ts";
import {
  appArmorPrefix,
  checkPodAnnotations,
  hasBadDeletionCost,
  mirrorAnnotation,
} from "../pod-template/annotations.ts";
import { leniencyAfter, type PodLeniency } from "../pod-template/leniency.ts";
import { checkTolerations } from "../pod-template/scheduling.ts";
import { cloneDraft, forgetEmpty } from "../given-empty.ts";

const emptySpec: PodSpec = { containers: [] };

/** Checks that an update skips because the stored pod already fails them. */
export function podLeniency({ spec, metadata }: Pod): PodLeniency {
  return { ...leniencyAfter(spec), isPod: true, badDeletionCost: hasBadDeletionCost(metadata) };
}

/** Bumps the generation if the spec changed. */
export function bumpPodGeneration(draft: Draft<Pod>, old: Pod): void {
  if (isDeepEqual(draft.spec, old.spec)) return;
  draft.metadata.generation = (draft.metadata.generation ?? 0) + 1;
}

export function checkPodUpdate(pod: Pod, old: Pod): FieldError[] {
  const { spec = emptySpec } = pod;
  const { spec: oldSpec = emptySpec } = old;
  const errors = checkAnnotationChange(pod, old);
  for (const field of ["containers", "initContainers"] as const) {
    const found = checkContainerChange(spec[field] ?? [], oldSpec[field] ?? [], `spec.${field}`);
    errors.push(...found.errors);
    if (found.stops) return errors;
  }
  const deadline = checkDeadline(spec.activeDeadlineSeconds, oldSpec.activeDeadlineSeconds);
  errors.push(...deadline.errors);
  if (deadline.stops) return errors;
  errors.push(
    ...checkAddedTolerations(spec.tolerations ?? [], oldSpec.tolerations ?? []),
    ...checkRemovedGates(spec, oldSpec),
  );
  if (isDeepEqual(spec, oldSpec)) return errors;
  return [...errors, ...checkOtherFields(spec, oldSpec)];
}

/** Annotations that the kubelet reads are immutable. */
export function checkAnnotationChange({ metadata, spec = emptySpec }: Pod, old: Pod): FieldError[] {
  const now = metadata.annotations ?? {};
  const before = old.metadata.annotations ?? {};
  const path = "metadata.annotations";
  const errors = Object.entries(before)
    .filter(([key, value]) => !Object.hasOwn(now, key) || now[key] !== value)
    .flatMap(([key]) => refuseKept(key, `${path}[${key}]`, "may not remove or update"));
  const added = Object.keys(now)
    .filter((key) => !Object.hasOwn(before, key))
    .flatMap((key) => refuseKept(key, `${path}[${key}]`, "may not add"));
  return [...errors, ...added, ...checkPodAnnotations(now, spec, path, hasBadDeletionCost(old.metadata))];
}

function refuseKept(key: string, path: string, what: string): FieldError[] {
  if (key.startsWith(appArmorPrefix)) return [fieldErrors.forbidden(path, `${what} AppArmor annotations`)];
  return key === mirrorAnnotation ? [fieldErrors.forbidden(path, `${what} mirror pod annotation`)] : [];
}

interface Found {
  readonly errors: FieldError[];
  /** Whether later checks are skipped. */
  readonly stops: boolean;
}

function checkContainerChange(
  now: readonly { readonly image?: string }[],
  before: readonly object[],
  path: string,
): Found {
  if (now.length !== before.length) {
    return { errors: [fieldErrors.forbidden(path, "pod updates may not add or remove containers")], stops: true };
  }
  const errors = now.flatMap(({ image = "" }, index) => {
    const here = `${path}[${index}].image`;
    if (image === "") return [fieldErrors.required(here)];
    return image.trim() === image
      ? []
      : [fieldErrors.invalid(here, image, "must not have leading or trailing whitespace")];
  });
  return { errors, stops: false };
}

const maxDeadline = 2 ** 31 - 1;

/** activeDeadlineSeconds may decrease but not be removed. */
function checkDeadline(now: number | undefined, before: number | undefined): Found {
  const path = "spec.activeDeadlineSeconds";
  if (now === undefined) {
    if (before === undefined) return { errors: [], stops: false };
    const why = "must not update from a positive integer to nil value";
    return { errors: [fieldErrors.invalid(path, null, why)], stops: false };
  }
  if (now < 0 || now > maxDeadline) {
    return { errors: [fieldErrors.invalid(path, now, rangeMessage(0, maxDeadline))], stops: true };
  }
  if (before === undefined || now <= before) return { errors: [], stops: false };
  return { errors: [fieldErrors.invalid(path, now, "must be less than or equal to previous value")], stops: true };
}

function checkAddedTolerations(now: readonly Toleration[], before: readonly Toleration[]): FieldError[] {
  const path = "spec.tolerations";
  const withoutSeconds = ({ tolerationSeconds: _seconds, ...rest }: Toleration): string => toCanonicalJson(rest);
  const present = new Set(now.map(withoutSeconds));
  if (!before.every((one) => present.has(withoutSeconds(one)))) {
    return [fieldErrors.forbidden(path, "existing toleration can not be modified except its tolerationSeconds")];
  }
  return checkTolerations(now, path);
}

/** Of gates with the same name, the error names the index of the last one. */
function checkRemovedGates({ schedulingGates = [] }: PodSpec, old: PodSpec): FieldError[] {
  const added = new Map(schedulingGates.map(({ name }, index) => [name, index]));
  for (const { name } of old.schedulingGates ?? []) added.delete(name);
  return [...added].map(([name, index]) =>
    fieldErrors.forbidden(
      `spec.schedulingGates[${index}].name`,
      `only deletion is allowed, but found new scheduling gate '${name}'`,
    ),
  );
}

const changeable = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
].join(",");

function checkOtherFields(spec: PodSpec, old: PodSpec): FieldError[] {
  const munged = withOldImages(spec, old);
  for (const field of ["activeDeadlineSeconds", "schedulingGates", "tolerations"] as const) restore(munged, old, field);
  const errors = (old.schedulingGates ?? []).length > 0 ? checkGated(munged, old) : [];
  if (isDeepEqual(munged, old)) return errors;
  const diff = internalDiff("PodSpec", old, munged);
  return [
    ...errors,
    fieldErrors.forbidden("spec", `pod updates may not change fields other than ${changeable}\n${diff}`),
  ];
}

function withOldImages(spec: PodSpec, old: PodSpec): Draft<PodSpec> {
  const munged = cloneDraft(spec);
  for (const field of ["containers", "initContainers"] as const) {
    (munged[field] ?? []).forEach((container, index) => {
      const image = old[field]?.[index]?.image;
      if (image !== undefined) container.image = image;
    });
  }
  return munged;
}

function restore(munged: Draft<PodSpec>, old: PodSpec, field: keyof PodSpec): void {
  const target = munged as Record<string, unknown>;
  forgetEmpty(munged, field);
  if (old[field] === undefined) delete target[field];
  else target[field] = cloneJson(old[field]);
}

/** While a pod has scheduling gates, its node selector and affinity may become stricter. */
function checkGated(munged: Draft<PodSpec>, old: PodSpec): FieldError[] {
  const errors = checkNodeSelector(munged.nodeSelector ?? {}, old.nodeSelector ?? {});
  restore(munged, old, "nodeSelector");
  const before = old.affinity?.nodeAffinity;
  const now = munged.affinity?.nodeAffinity;
  if (isDeepEqual(before, now)) return errors;
  errors.push(...checkNodeAffinity(now, before));
  munged.affinity = { ...munged.affinity, ...(before === undefined ? {} : { nodeAffinity: cloneJson(before) }) };
  if (before === undefined) delete munged.affinity.nodeAffinity;
  if (old.affinity === undefined && Object.keys(munged.affinity).length === 0) delete munged.affinity;
  return errors;
}

type Selector = { readonly [key: string]: string };

function checkNodeSelector(now: Selector, before: Selector): FieldError[] {
  if (Object.entries(before).every(([key, value]) => now[key] === value)) return [];
  const why = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
  return [fieldErrors.invalid("spec.nodeSelector", now, why)];
}

function checkNodeAffinity(now: NodeAffinity | undefined, before: NodeAffinity | undefined): FieldError[] {
  const oldTerms = before?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const terms = now?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const path = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
  if (oldTerms.length > 0 && oldTerms.length !== (terms ?? []).length) {
    const why = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
    return [fieldErrors.invalid(path, toInternalList("NodeSelectorTerm", terms), why)];
  }
  return oldTerms.flatMap((term, index) => {
    const next = terms?.[index] ?? {};
    if (isAddition(next, term)) return [];
    const why = "only additions are allowed (no mutations or deletions)";
    return [fieldErrors.invalid(`${path}[${index}]`, toInternal("NodeSelectorTerm", next), why)];
  });
}

function isAddition(now: NodeSelectorTerm, before: NodeSelectorTerm): boolean {
  const fields = ["matchExpressions", "matchFields"] as const;
  const isEmpty = (term: NodeSelectorTerm): boolean => fields.every((field) => (term[field] ?? []).length === 0);
  if (isEmpty(before)) return isEmpty(now);
  return fields.every((field) => {
    const old = before[field] ?? [];
    return isDeepEqual((now[field] ?? []).slice(0, old.length), old);
  });
}
