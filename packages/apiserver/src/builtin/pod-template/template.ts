/** Pod templates of workloads: validation and dropped fields. */
import type { Container, PodSpec, PodTemplateSpec } from "@capstan/kinds/v1";
import { fieldErrors, type FieldError } from "@capstan/model";
import { checkAnnotations, checkLabels } from "../../metadata/check.ts";
import type { Draft } from "../draft.ts";
import { checkPodAnnotations, checkProfilesMatch, hasBadDeletionCost } from "./annotations.ts";
import { leniencyAfter, type PodLeniency } from "./leniency.ts";
import { checkPodSpec } from "./pod-spec.ts";

/** Checks a template. Errors that the stored template `old` already has are allowed. */
export function checkPodTemplate(template: PodTemplateSpec, path: string, old?: PodTemplateSpec): FieldError[] {
  const { metadata = {}, spec = { containers: [] } } = template;
  const leniency = templateLeniency(old);
  const annotationsPath = `${path}.annotations`;
  return [
    ...checkLabels(metadata.labels, `${path}.labels`),
    ...checkAnnotations(metadata.annotations, annotationsPath),
    ...checkPodAnnotations(metadata.annotations, spec, annotationsPath, leniency.badDeletionCost),
    ...checkPodSpec(spec, `${path}.spec`, leniency),
    ...checkProfilesMatch(metadata.annotations, spec, `${path}.spec`),
    ...((spec.ephemeralContainers ?? []).length > 0
      ? [fieldErrors.forbidden(`${path}.spec.ephemeralContainers`, "ephemeral containers not allowed in pod template")]
      : []),
  ];
}

function templateLeniency(old: PodTemplateSpec | undefined): PodLeniency {
  return old === undefined
    ? {}
    : { ...leniencyAfter(old.spec), badDeletionCost: hasBadDeletionCost(old.metadata ?? {}) };
}

/** Drops fields of disabled feature gates, unless the stored spec uses them. */
export function dropDisabledFields(spec: Draft<PodSpec> | undefined, old?: PodSpec): void {
  if (spec === undefined) return;
  if (old?.schedulingGroup === undefined) delete spec.schedulingGroup;
  if (!usesProjection(old, "clusterTrustBundle")) dropProjection(spec, "clusterTrustBundle");
  if (!usesProjection(old, "podCertificate")) dropProjection(spec, "podCertificate");
  if (!containersOf(old).some(({ lifecycle }) => lifecycle?.stopSignal !== undefined)) dropStopSignals(spec);
}

type Projection = "clusterTrustBundle" | "podCertificate";

function usesProjection(spec: PodSpec | undefined, field: Projection): boolean {
  return (spec?.volumes ?? []).some(({ projected }) =>
    (projected?.sources ?? []).some((source) => source[field] !== undefined),
  );
}

function dropProjection(spec: Draft<PodSpec>, field: Projection): void {
  for (const source of (spec.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? [])) delete source[field];
}

function containersOf(spec: PodSpec | undefined): readonly Container[] {
  if (spec === undefined) return [];
  return [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
}

function dropStopSignals(spec: Draft<PodSpec>): void {
  const { initContainers = [], containers, ephemeralContainers = [] } = spec;
  for (const container of [...initContainers, ...(containers ?? []), ...ephemeralContainers]) {
    if (container.lifecycle?.stopSignal === undefined) continue;
    delete container.lifecycle.stopSignal;
    if (Object.keys(container.lifecycle).length === 0) delete container.lifecycle;
  }
}
