/** How many pods of a budget may be disrupted now. Pure. */
import type { PodDisruptionBudget } from "@capstan/kinds/policy/v1";
import type { Pod } from "@capstan/kinds/v1";
import { formatTime, scaleIntOrPercent } from "@capstan/model";
import { isReady, millisecondsOf } from "../pod/state.ts";

/** The budget, its pods, and how many of them the workloads expect. */
export interface Observed {
  readonly budget: PodDisruptionBudget;
  readonly pods: readonly Pod[];
  readonly expected: number;
  readonly now: number;
}

type Status = NonNullable<PodDisruptionBudget["status"]>;

/** An eviction without a deletion expires after this many milliseconds. */
const DELETION_TIMEOUT = 120_000;

/** The status of a budget, and when to reconcile it again. */
export function statusOf({ budget, pods, expected, now }: Observed): {
  readonly status: Status;
  readonly wait: number | undefined;
} {
  const disrupted = disruptedPods(budget, pods, now);
  const healthy = pods.filter(
    (pod) =>
      isReady(pod) && pod.metadata.deletionTimestamp === undefined && disrupted.kept[pod.metadata.name] === undefined,
  ).length;
  const desired = desiredHealthy(budget, expected);
  const allowed = expected > 0 ? Math.max(0, healthy - desired) : 0;
  const status = {
    ...budget.status,
    observedGeneration: budget.metadata.generation ?? 0,
    currentHealthy: healthy,
    desiredHealthy: desired,
    expectedPods: expected,
    disruptionsAllowed: allowed,
    disruptedPods: disrupted.kept,
    conditions: conditionsOf(budget, allowed, now),
  };
  return { status, wait: disrupted.wait };
}

function desiredHealthy({ spec }: PodDisruptionBudget, expected: number): number {
  if (spec?.maxUnavailable !== undefined) {
    return Math.max(0, expected - scaleIntOrPercent(spec.maxUnavailable, expected, "up"));
  }
  return spec?.minAvailable === undefined ? 0 : scaleIntOrPercent(spec.minAvailable, expected, "up");
}

function disruptedPods(
  { status }: PodDisruptionBudget,
  pods: readonly Pod[],
  now: number,
): { readonly kept: { readonly [name: string]: string }; readonly wait: number | undefined } {
  const kept: { [name: string]: string } = {};
  let wait: number | undefined;
  for (const [name, time] of Object.entries(status?.disruptedPods ?? {})) {
    const pod = pods.find(({ metadata }) => metadata.name === name);
    const left = millisecondsOf(time) + DELETION_TIMEOUT - now;
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined || left <= 0) continue;
    kept[name] = time;
    wait = Math.min(wait ?? Infinity, left);
  }
  return { kept, wait };
}

function conditionsOf(
  { metadata, status }: PodDisruptionBudget,
  allowed: number,
  now: number,
): NonNullable<Status["conditions"]> {
  const old = status?.conditions ?? [];
  const state = allowed > 0 ? "True" : "False";
  const reason = allowed > 0 ? "SufficientPods" : "InsufficientPods";
  const current = old.find(({ type }) => type === "DisruptionAllowed");
  const observedGeneration = metadata.generation ?? 0;
  if (current?.status === state && current.reason === reason && current.observedGeneration === observedGeneration)
    return old;
  const lastTransitionTime = current?.status === state ? current.lastTransitionTime : formatTime(now);
  const others = old.filter(({ type }) => type !== "DisruptionAllowed");
  return [
    ...others,
    { type: "DisruptionAllowed", status: state, reason, message: "", observedGeneration, lastTransitionTime },
  ];
}
