/** What a ReplicaSet does about its pods, and what it says about itself. Pure. */
import type { ReplicaSet } from "@capstan/kinds/apps/v1";
import type { Pod } from "@capstan/kinds/v1";
import { formatTime, fromLabels, matchesLabels } from "@capstan/model";
import { firstToGo } from "../pod/rank.ts";
import { isActive, isAvailable, isFinished, isReady } from "../pod/state.ts";

/** At most so many pods are started or ended in one turn. */
const BURST = 500;

/** What is to be done. */
export type Action =
  | { readonly do: "nothing" }
  | { readonly do: "start"; readonly count: number }
  | { readonly do: "end"; readonly pods: readonly Pod[] };

/** The set with its pods. */
export interface Seen {
  readonly replicas: number;
  readonly pods: readonly Pod[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Decides how to come to as many pods as wanted. */
export function decide({ replicas, pods, now }: Seen): Action {
  const active = pods.filter(isActive);
  const surplus = active.length - replicas;
  if (surplus < 0) return { do: "start", count: Math.min(-surplus, BURST) };
  if (surplus === 0) return { do: "nothing" };
  const crowd = crowdOf(active);
  return { do: "end", pods: firstToGo(active, Math.min(surplus, BURST), { crowd, now }) };
}

/** Counts the pods that run on the same node. */
function crowdOf(pods: readonly Pod[]): (pod: Pod) => number {
  const counts = new Map<string, number>();
  for (const { spec } of pods) counts.set(spec?.nodeName ?? "", (counts.get(spec?.nodeName ?? "") ?? 0) + 1);
  return ({ spec }) => (spec?.nodeName === undefined ? 0 : (counts.get(spec.nodeName) ?? 0));
}

type Status = NonNullable<ReplicaSet["status"]>;
type Condition = NonNullable<Status["conditions"]>[number];

/** A turn that failed to start or end pods. */
export interface Failure {
  readonly reason: "FailedCreate" | "FailedDelete";
  readonly message: string;
}

/** The status of a set with these pods. */
export function statusOf(set: ReplicaSet, { pods, now }: Omit<Seen, "replicas">, failure: Failure | undefined): Status {
  const active = pods.filter(isActive);
  const template = fromLabels(set.spec?.template?.metadata?.labels ?? {});
  const minReadySeconds = set.spec?.minReadySeconds ?? 0;
  return {
    ...set.status,
    replicas: active.length,
    fullyLabeledReplicas: active.filter(({ metadata }) => matchesLabels(template, metadata.labels)).length,
    readyReplicas: active.filter(isReady).length,
    availableReplicas: active.filter((pod) => isAvailable(pod, minReadySeconds, now)).length,
    terminatingReplicas: pods.filter((pod) => pod.metadata.deletionTimestamp !== undefined && !isFinished(pod)).length,
    observedGeneration: set.metadata.generation ?? 0,
    conditions: conditionsOf(set.status?.conditions ?? [], failure, now),
  };
}

/** A failure is noted when it begins and forgotten when it is over. */
function conditionsOf(old: readonly Condition[], failure: Failure | undefined, now: number): readonly Condition[] {
  const known = old.some(({ type }) => type === "ReplicaFailure");
  if (failure === undefined) return known ? old.filter(({ type }) => type !== "ReplicaFailure") : old;
  if (known) return old;
  return [...old, { type: "ReplicaFailure", status: "True", lastTransitionTime: formatTime(now), ...failure }];
}
