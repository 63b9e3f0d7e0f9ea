/** Which pods a ReplicaSet creates or deletes, and its status. Pure. */
import type { ReplicaSet } from "@capstan/kinds/apps/v1";
import type { Pod, PodTemplateSpec } from "@capstan/kinds/v1";
import { formatTime, fromLabels, matchesLabels } from "@capstan/model";
import type { ObjectMeta } from "@capstan/model";
import { podsToDelete } from "../pod/deletion-order.ts";
import { isActive, isAvailable, isFinished, isReady } from "../pod/state.ts";

/** The maximum number of pods created or deleted in one reconcile. */
const BURST = 500;

/** What to do next. */
export type Action =
  | { readonly do: "nothing" }
  | { readonly do: "start"; readonly count: number }
  | { readonly do: "end"; readonly pods: readonly Pod[] };

/** The set with its pods. */
export interface Observed {
  readonly replicas: number;
  readonly pods: readonly Pod[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Decides how to reach the desired number of pods. */
export function decide({ replicas, pods, now }: Observed): Action {
  const active = pods.filter(isActive);
  const surplus = active.length - replicas;
  if (surplus < 0) return { do: "start", count: Math.min(-surplus, BURST) };
  if (surplus === 0) return { do: "nothing" };
  const rank = podsPerNode(active);
  return { do: "end", pods: podsToDelete(active, Math.min(surplus, BURST), { rank, now }) };
}

/** Counts the pods on the node of a pod. */
function podsPerNode(pods: readonly Pod[]): (pod: Pod) => number {
  const counts = new Map<string, number>();
  for (const { spec } of pods) counts.set(spec?.nodeName ?? "", (counts.get(spec?.nodeName ?? "") ?? 0) + 1);
  return ({ spec }) => (spec?.nodeName === undefined ? 0 : (counts.get(spec.nodeName) ?? 0));
}

/** The status of replicas. */
export type ReplicaStatus = NonNullable<ReplicaSet["status"]>;
type Condition = NonNullable<ReplicaStatus["conditions"]>[number];

/** The desired state. */
export interface ReplicaSpec {
  readonly replicas?: number;
  readonly minReadySeconds?: number;
  readonly template?: PodTemplateSpec;
}

/** A failed create or delete of pods. */
export interface Failure {
  readonly reason: "FailedCreate" | "FailedDelete";
  readonly message: string;
}

/** What the status is computed from. */
export interface StatusInput extends Omit<Observed, "replicas"> {
  readonly failure: Failure | undefined;
}

/** The status of a set with these pods. */
export function statusOf(
  { metadata, status }: { readonly metadata: ObjectMeta; readonly status?: ReplicaStatus },
  { template, minReadySeconds = 0 }: ReplicaSpec,
  { pods, now, failure }: StatusInput,
): ReplicaStatus {
  const active = pods.filter(isActive);
  const labels = fromLabels(template?.metadata?.labels ?? {});
  return {
    ...status,
    replicas: active.length,
    fullyLabeledReplicas: active.filter((pod) => matchesLabels(labels, pod.metadata.labels)).length,
    readyReplicas: active.filter(isReady).length,
    availableReplicas: active.filter((pod) => isAvailable(pod, minReadySeconds, now)).length,
    terminatingReplicas: pods.filter((pod) => pod.metadata.deletionTimestamp !== undefined && !isFinished(pod)).length,
    observedGeneration: metadata.generation ?? 0,
    conditions: conditionsOf(status?.conditions ?? [], failure, now),
  };
}

/** Sets the ReplicaFailure condition on a failure and removes it afterwards. */
function conditionsOf(old: readonly Condition[], failure: Failure | undefined, now: number): readonly Condition[] {
  const known = old.some(({ type }) => type === "ReplicaFailure");
  if (failure === undefined) return known ? old.filter(({ type }) => type !== "ReplicaFailure") : old;
  if (known) return old;
  return [...old, { type: "ReplicaFailure", status: "True", lastTransitionTime: formatTime(now), ...failure }];
}
