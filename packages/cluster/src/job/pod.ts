/** The pods of a Job: how they are created and how they finished. Pure. */
import { Job } from "@capstan/kinds/batch/v1";
import type { Container, Pod } from "@capstan/kinds/v1";
import { controllerReference } from "../ownership/owner.ts";
import { podFromTemplate } from "../pod/template.ts";
import type { NewPod } from "../pod/template.ts";

/** Keeps a pod until its result is counted. */
export const TRACKING_FINALIZER = "batch.kubernetes.io/job-tracking";
const INDEX_ANNOTATION = "batch.kubernetes.io/job-completion-index";
const INDEX_FAILURES_ANNOTATION = "batch.kubernetes.io/job-index-failure-count";

/** Whether every pod of a job has a completion index. */
export function isIndexed({ spec }: Job): boolean {
  return spec?.completionMode === "Indexed";
}

/** The index of a pod. */
export function indexOf({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[INDEX_ANNOTATION];
  return text !== undefined && /^\d+$/u.test(text) ? Number(text) : undefined;
}

/** How often the index had failed before the pod was created. */
export function failuresBefore({ metadata }: Pod): number {
  return Number(metadata.annotations?.[INDEX_FAILURES_ANNOTATION] ?? 0);
}

/** Whether the result of a pod is still to be counted. */
export function isTracked({ metadata }: Pod): boolean {
  return metadata.finalizers?.includes(TRACKING_FINALIZER) === true;
}

/** The index of a new pod. */
export interface PodIndex {
  readonly index: number | undefined;
  /** How often this index has failed before. */
  readonly failures?: number;
}

/** A pod of a job. */
export function newJobPod(job: Job, { index, failures }: PodIndex): NewPod {
  const { name, namespace = "" } = job.metadata;
  const owner = controllerReference(Job, job);
  const prefix = index === undefined ? name : `${name}-${index}`;
  const { metadata, spec } = podFromTemplate(job.spec?.template ?? {}, { namespace, owner, name: { prefix } });
  const finalizers = [...(metadata.finalizers ?? []), TRACKING_FINALIZER];
  if (index === undefined) return { metadata: { ...metadata, finalizers }, spec };
  const annotations = {
    ...metadata.annotations,
    [INDEX_ANNOTATION]: String(index),
    ...(failures !== undefined && { [INDEX_FAILURES_ANNOTATION]: String(failures) }),
  };
  return {
    metadata: {
      ...metadata,
      finalizers,
      annotations,
      labels: { ...metadata.labels, [INDEX_ANNOTATION]: String(index) },
    },
    spec: {
      ...spec,
      hostname: `${name}-${index}`,
      containers: spec.containers.map(withIndex),
      ...(spec.initContainers && { initContainers: spec.initContainers.map(withIndex) }),
    },
  };
}

function withIndex(container: Container): Container {
  const name = "JOB_COMPLETION_INDEX";
  if (container.env?.some((one) => one.name === name) === true) return container;
  const env = { name, valueFrom: { fieldRef: { fieldPath: `metadata.labels['${INDEX_ANNOTATION}']` } } };
  return { ...container, env: [...(container.env ?? []), env] };
}

/** Whether a terminating pod is replaced only after it has finished. */
export function replacesFailedOnly({ spec }: Job): boolean {
  return spec?.podReplacementPolicy === "Failed";
}

/** How a pod finished, from the view of its job. */
export function endOf(pod: Pod, job: Job): "succeeded" | "failed" | undefined {
  if (pod.status?.phase === "Succeeded") return "succeeded";
  if (pod.status?.phase === "Failed") return "failed";
  const isTerminating = pod.metadata.deletionTimestamp !== undefined;
  return isTerminating && !replacesFailedOnly(job) && job.spec?.podFailurePolicy === undefined ? "failed" : undefined;
}
