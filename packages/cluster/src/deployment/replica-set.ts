/** Which ReplicaSet has the template of a Deployment, and how a new one is built. Pure. */
import { Deployment } from "@capstan/kinds/apps/v1";
import type { ReplicaSet } from "@capstan/kinds/apps/v1";
import type { PodTemplateSpec } from "@capstan/kinds/v1";
import { isDeepEqual } from "@capstan/model";
import { controllerReference } from "../ownership/owner.ts";
import { templateHash } from "../pod/hash.ts";
import { newReplicaSetAnnotations, replicasAnnotations } from "./annotations.ts";
import { byAge, maxSurge, newReplicaSetReplicas, totalReplicas, desiredReplicas } from "./scaling.ts";

/** The label that distinguishes the pods of different templates. */
const HASH_LABEL = "pod-template-hash";

/** A template without the hash label. */
export function withoutHash({ metadata, ...rest }: PodTemplateSpec): PodTemplateSpec {
  const { [HASH_LABEL]: _hash, ...labels } = metadata?.labels ?? {};
  return { ...rest, metadata: { ...metadata, labels } };
}

/** Whether two templates create the same pods. */
export function isSameTemplate(a: PodTemplateSpec | undefined, b: PodTemplateSpec | undefined): boolean {
  return isDeepEqual(withoutEmptyValues(withoutHash(a ?? {})), withoutEmptyValues(withoutHash(b ?? {})));
}

/** Kubernetes treats absent and empty values alike. */
function withoutEmptyValues(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmptyValues);
  if (typeof value !== "object" || value === null) return value;
  const parts = Object.entries(value).filter(([, part]) => part !== undefined && part !== null && !isEmptyValue(part));
  return Object.fromEntries(parts.map(([name, part]) => [name, withoutEmptyValues(part)]));
}

function isEmptyValue(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** The sets of a deployment: the one with its current template, if it exists, and all others. */
export function splitSets(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
): { readonly newSet: ReplicaSet | undefined; readonly old: readonly ReplicaSet[] } {
  const newSet = [...sets].sort(byAge).find((set) => isSameTemplate(set.spec?.template, deployment.spec?.template));
  return { newSet, old: sets.filter((set) => set !== newSet) };
}

/** A set before its creation. */
export type NewReplicaSet = Pick<ReplicaSet, "spec"> & {
  readonly metadata: Omit<ReplicaSet["metadata"], "uid" | "resourceVersion" | "creationTimestamp" | "namespace"> & {
    readonly namespace: string;
  };
};

/** The set for the current template of a deployment. */
export function newReplicaSet(deployment: Deployment, old: readonly ReplicaSet[], revision: bigint): NewReplicaSet {
  const { name, namespace = "" } = deployment.metadata;
  const { template = {}, selector, minReadySeconds = 0 } = deployment.spec ?? {};
  const hash = templateHash(template, deployment.status?.collisionCount ?? 0);
  const labels = { ...template.metadata?.labels, [HASH_LABEL]: hash };
  const wanted = desiredReplicas(deployment);
  return {
    metadata: {
      name: `${name.slice(0, 253 - hash.length - 1)}-${hash}`,
      namespace,
      labels,
      annotations: {
        ...newReplicaSetAnnotations(deployment, {}, revision),
        ...replicasAnnotations(wanted, wanted + maxSurge(deployment)),
      },
      ownerReferences: [controllerReference(Deployment, deployment)],
    },
    spec: {
      replicas: newReplicaSetReplicas(deployment, 0, totalReplicas(old)),
      minReadySeconds,
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, [HASH_LABEL]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}
