/** How many replicas each ReplicaSet of a Deployment gets. Pure. */
import type { Deployment, ReplicaSet } from "@capstan/kinds/apps/v1";
import { scaleIntOrPercent } from "@capstan/model";
import { MAX_REPLICAS, readCount } from "./annotations.ts";

/** A set and its new number of replicas. */
export interface Scale {
  readonly set: ReplicaSet;
  readonly to: number;
}

/** The desired replicas of a set. */
export function replicasOf({ spec }: ReplicaSet): number {
  return spec?.replicas ?? 1;
}

/** The desired replicas of a deployment. */
export function desiredReplicas({ spec }: Deployment): number {
  return spec?.replicas ?? 1;
}

/** The desired replicas of all sets. */
export function totalReplicas(sets: readonly ReplicaSet[]): number {
  return sets.reduce((sum, set) => sum + replicasOf(set), 0);
}

function isRolling({ spec }: Deployment): boolean {
  return spec?.strategy?.type !== "Recreate";
}

/** How many pods above the desired number a rollout may create. */
export function maxSurge(deployment: Deployment): number {
  return isRolling(deployment) ? resolveFenceposts(deployment).surge : 0;
}

/** How many pods below the desired number a rollout may go. */
export function maxUnavailable(deployment: Deployment): number {
  const wanted = desiredReplicas(deployment);
  if (!isRolling(deployment) || wanted === 0) return 0;
  return Math.min(resolveFenceposts(deployment).unavailable, wanted);
}

/** If both limits are 0, one pod may be unavailable; otherwise the rollout could not start. */
function resolveFenceposts(deployment: Deployment): { readonly surge: number; readonly unavailable: number } {
  const wanted = desiredReplicas(deployment);
  const { maxSurge: over = "25%", maxUnavailable: under = "25%" } = deployment.spec?.strategy?.rollingUpdate ?? {};
  const surge = scaleIntOrPercent(over, wanted, "up");
  const unavailable = scaleIntOrPercent(under, wanted, "down");
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/** The next number of replicas of the new set. */
export function newReplicaSetReplicas(deployment: Deployment, current: number, all: number): number {
  const wanted = desiredReplicas(deployment);
  if (!isRolling(deployment)) return wanted;
  const room = wanted + maxSurge(deployment) - all;
  return room <= 0 ? current : current + Math.min(room, wanted - current);
}

/** The next step of the new set; undefined when it has its size. */
export function reconcileNewReplicaSet(
  deployment: Deployment,
  newSet: ReplicaSet,
  old: readonly ReplicaSet[],
): Scale | undefined {
  const size = replicasOf(newSet);
  const wanted = desiredReplicas(deployment);
  if (size === wanted) return undefined;
  const to = size > wanted ? wanted : newReplicaSetReplicas(deployment, size, size + totalReplicas(old));
  return to === size ? undefined : { set: newSet, to };
}

/** The next step of the old sets: unhealthy pods go first, then as many as can be spared. */
export function reconcileOldReplicaSets(
  deployment: Deployment,
  newSet: ReplicaSet,
  old: readonly ReplicaSet[],
): readonly Scale[] {
  const active = old.filter((set) => replicasOf(set) > 0).sort(byAge);
  if (active.length === 0) return [];
  const least = desiredReplicas(deployment) - maxUnavailable(deployment);
  const missing = replicasOf(newSet) - (newSet.status?.availableReplicas ?? 0);
  let spare = totalReplicas([...active, newSet]) - least - missing;
  if (spare <= 0) return [];
  const sizes = new Map(active.map((set) => [set, replicasOf(set)]));
  const shrink = (set: ReplicaSet, by: number): void => void sizes.set(set, (sizes.get(set) ?? 0) - by);
  for (const set of active) {
    const unhealthy = Math.min(spare, replicasOf(set) - (set.status?.availableReplicas ?? 0));
    if (unhealthy <= 0) continue;
    shrink(set, unhealthy);
    spare -= unhealthy;
  }
  const available = [...active, newSet].reduce((sum, { status }) => sum + (status?.availableReplicas ?? 0), 0);
  let healthy = available - least;
  for (const set of active) {
    if (healthy <= 0) break;
    const by = Math.min(sizes.get(set) ?? 0, healthy);
    shrink(set, by);
    healthy -= by;
  }
  return [...sizes].flatMap(([set, to]) => (to === replicasOf(set) ? [] : [{ set, to }]));
}

/** The oldest first. */
export function byAge(a: ReplicaSet, b: ReplicaSet): number {
  const [first, second] = [a.metadata, b.metadata];
  if (first.creationTimestamp !== second.creationTimestamp) {
    return first.creationTimestamp < second.creationTimestamp ? -1 : 1;
  }
  return first.name < second.name ? -1 : 1;
}

/** How a changed number of replicas is distributed over the sets. */
export function scaleDeployment(
  deployment: Deployment,
  newSet: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
): readonly Scale[] {
  const wanted = desiredReplicas(deployment);
  const only = findActiveOrLatest(newSet, old);
  if (only !== undefined) return replicasOf(only) === wanted ? [] : [{ set: only, to: wanted }];
  if (newSet !== undefined && isSaturated(newSet, wanted)) {
    return old.filter((set) => replicasOf(set) > 0).map((set) => ({ set, to: 0 }));
  }
  if (!isRolling(deployment)) return [];
  const active = [...old, ...(newSet === undefined ? [] : [newSet])].filter((set) => replicasOf(set) > 0);
  return scaleProportionally(deployment, active);
}

/** The only set with pods, or the newest set if none has pods. */
function findActiveOrLatest(newSet: ReplicaSet | undefined, old: readonly ReplicaSet[]): ReplicaSet | undefined {
  const all = [...old, ...(newSet === undefined ? [] : [newSet])];
  const active = all.filter((set) => replicasOf(set) > 0);
  if (active.length > 1) return undefined;
  return active[0] ?? newSet ?? [...old].sort(byAge).at(-1);
}

function isSaturated(set: ReplicaSet, wanted: number): boolean {
  return (
    replicasOf(set) === wanted &&
    readCount(set, "deployment.kubernetes.io/desired-replicas") === wanted &&
    (set.status?.availableReplicas ?? 0) === wanted
  );
}

/** Each set scales in proportion to its size; the largest takes the remainder. */
function scaleProportionally(deployment: Deployment, active: readonly ReplicaSet[]): readonly Scale[] {
  const wanted = desiredReplicas(deployment);
  const allowed = wanted > 0 ? wanted + maxSurge(deployment) : 0;
  const toAdd = allowed - totalReplicas(active);
  const age = toAdd > 0 ? -1 : 1;
  const sorted = [...active].sort((a, b) => replicasOf(b) - replicasOf(a) || age * byAge(a, b));
  let added = 0;
  const resizes = sorted.map((set) => {
    const share = proportionOf(deployment, set, { toAdd, added });
    added += share;
    return { set, to: replicasOf(set) + share };
  });
  return resizes.map(({ set, to }, index) => ({ set, to: index === 0 ? Math.max(0, to + toAdd - added) : to }));
}

function proportionOf(
  deployment: Deployment,
  set: ReplicaSet,
  { toAdd, added }: { readonly toAdd: number; readonly added: number },
): number {
  if (toAdd === 0 || toAdd === added) return 0;
  const fraction = replicaSetFraction(deployment, set);
  return toAdd > 0 ? Math.min(fraction, toAdd - added) : Math.max(fraction, toAdd - added);
}

function replicaSetFraction(deployment: Deployment, set: ReplicaSet): number {
  const wanted = desiredReplicas(deployment);
  if (wanted === 0) return -replicasOf(set);
  const before = readCount(set, MAX_REPLICAS) || (deployment.status?.replicas ?? 0);
  if (before === 0) return 0;
  return Math.round((replicasOf(set) * (wanted + maxSurge(deployment))) / before) - replicasOf(set);
}
