/** How many pods each ReplicaSet of a Deployment may have. Pure. */
import type { Deployment, ReplicaSet } from "@capstan/kinds/apps/v1";
import { scaleIntOrPercent } from "@capstan/model";
import { MAX_REPLICAS, readCount } from "./annotations.ts";

/** A set and the size that it shall have. */
export interface Resize {
  readonly set: ReplicaSet;
  readonly to: number;
}

/** How many pods a set shall have. */
export function sizeOf({ spec }: ReplicaSet): number {
  return spec?.replicas ?? 1;
}

/** How many pods a deployment shall have. */
export function wantedBy({ spec }: Deployment): number {
  return spec?.replicas ?? 1;
}

/** How many pods sets shall have together. */
export function totalSize(sets: readonly ReplicaSet[]): number {
  return sets.reduce((sum, set) => sum + sizeOf(set), 0);
}

function isRolling({ spec }: Deployment): boolean {
  return spec?.strategy?.type !== "Recreate";
}

/** How far above the wanted number a rollout may go. */
export function maxSurge(deployment: Deployment): number {
  return isRolling(deployment) ? fenceposts(deployment).surge : 0;
}

/** How far below the wanted number a rollout may go. */
export function maxUnavailable(deployment: Deployment): number {
  const wanted = wantedBy(deployment);
  if (!isRolling(deployment) || wanted === 0) return 0;
  return Math.min(fenceposts(deployment).unavailable, wanted);
}

/** Without any room a rollout could not begin: then one pod may be missing. */
function fenceposts(deployment: Deployment): { readonly surge: number; readonly unavailable: number } {
  const wanted = wantedBy(deployment);
  const { maxSurge: over = "25%", maxUnavailable: under = "25%" } = deployment.spec?.strategy?.rollingUpdate ?? {};
  const surge = scaleIntOrPercent(over, wanted, "up");
  const unavailable = scaleIntOrPercent(under, wanted, "down");
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/** The size of the newest set in its next step, given the size it has. */
export function nextSizeOfNew(deployment: Deployment, current: number, all: number): number {
  const wanted = wantedBy(deployment);
  if (!isRolling(deployment)) return wanted;
  const room = wanted + maxSurge(deployment) - all;
  return room <= 0 ? current : current + Math.min(room, wanted - current);
}

/** The next step of the newest set: undefined when it has its size. */
export function resizeNew(deployment: Deployment, fresh: ReplicaSet, old: readonly ReplicaSet[]): Resize | undefined {
  const size = sizeOf(fresh);
  const wanted = wantedBy(deployment);
  if (size === wanted) return undefined;
  const to = size > wanted ? wanted : nextSizeOfNew(deployment, size, size + totalSize(old));
  return to === size ? undefined : { set: fresh, to };
}

/** The next step of the older sets: pods that do not serve go first, then as many as can be spared. */
export function resizeOld(deployment: Deployment, fresh: ReplicaSet, old: readonly ReplicaSet[]): readonly Resize[] {
  const active = old.filter((set) => sizeOf(set) > 0).sort(byAge);
  if (active.length === 0) return [];
  const least = wantedBy(deployment) - maxUnavailable(deployment);
  const missing = sizeOf(fresh) - (fresh.status?.availableReplicas ?? 0);
  let spare = totalSize([...active, fresh]) - least - missing;
  if (spare <= 0) return [];
  const sizes = new Map(active.map((set) => [set, sizeOf(set)]));
  const shrink = (set: ReplicaSet, by: number): void => void sizes.set(set, (sizes.get(set) ?? 0) - by);
  for (const set of active) {
    const unhealthy = Math.min(spare, sizeOf(set) - (set.status?.availableReplicas ?? 0));
    if (unhealthy <= 0) continue;
    shrink(set, unhealthy);
    spare -= unhealthy;
  }
  const available = [...active, fresh].reduce((sum, { status }) => sum + (status?.availableReplicas ?? 0), 0);
  let healthy = available - least;
  for (const set of active) {
    if (healthy <= 0) break;
    const by = Math.min(sizes.get(set) ?? 0, healthy);
    shrink(set, by);
    healthy -= by;
  }
  return [...sizes].flatMap(([set, to]) => (to === sizeOf(set) ? [] : [{ set, to }]));
}

/** The oldest first. */
export function byAge(a: ReplicaSet, b: ReplicaSet): number {
  const [first, second] = [a.metadata, b.metadata];
  if (first.creationTimestamp !== second.creationTimestamp) {
    return first.creationTimestamp < second.creationTimestamp ? -1 : 1;
  }
  return first.name < second.name ? -1 : 1;
}

/** How sets share a change of the wanted number when several of them have pods. */
export function resizeAll(
  deployment: Deployment,
  fresh: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
): readonly Resize[] {
  const wanted = wantedBy(deployment);
  const only = activeOrLatest(fresh, old);
  if (only !== undefined) return sizeOf(only) === wanted ? [] : [{ set: only, to: wanted }];
  if (fresh !== undefined && isSaturated(fresh, wanted)) {
    return old.filter((set) => sizeOf(set) > 0).map((set) => ({ set, to: 0 }));
  }
  if (!isRolling(deployment)) return [];
  const active = [...old, ...(fresh === undefined ? [] : [fresh])].filter((set) => sizeOf(set) > 0);
  return shareOut(deployment, active);
}

/** The only set with pods, or the newest when none has any. */
function activeOrLatest(fresh: ReplicaSet | undefined, old: readonly ReplicaSet[]): ReplicaSet | undefined {
  const all = [...old, ...(fresh === undefined ? [] : [fresh])];
  const active = all.filter((set) => sizeOf(set) > 0);
  if (active.length > 1) return undefined;
  return active[0] ?? fresh ?? [...old].sort(byAge).at(-1);
}

function isSaturated(set: ReplicaSet, wanted: number): boolean {
  return (
    sizeOf(set) === wanted &&
    readCount(set, "deployment.kubernetes.io/desired-replicas") === wanted &&
    (set.status?.availableReplicas ?? 0) === wanted
  );
}

/** Each set grows or shrinks by its share; the largest takes what is left over. */
function shareOut(deployment: Deployment, active: readonly ReplicaSet[]): readonly Resize[] {
  const wanted = wantedBy(deployment);
  const allowed = wanted > 0 ? wanted + maxSurge(deployment) : 0;
  const toAdd = allowed - totalSize(active);
  const age = toAdd > 0 ? -1 : 1;
  const sorted = [...active].sort((a, b) => sizeOf(b) - sizeOf(a) || age * byAge(a, b));
  let added = 0;
  const resizes = sorted.map((set) => {
    const share = shareOf(deployment, set, { toAdd, added });
    added += share;
    return { set, to: sizeOf(set) + share };
  });
  return resizes.map(({ set, to }, index) => ({ set, to: index === 0 ? Math.max(0, to + toAdd - added) : to }));
}

function shareOf(
  deployment: Deployment,
  set: ReplicaSet,
  { toAdd, added }: { readonly toAdd: number; readonly added: number },
): number {
  if (toAdd === 0 || toAdd === added) return 0;
  const fraction = fractionOf(deployment, set);
  return toAdd > 0 ? Math.min(fraction, toAdd - added) : Math.max(fraction, toAdd - added);
}

function fractionOf(deployment: Deployment, set: ReplicaSet): number {
  const wanted = wantedBy(deployment);
  if (wanted === 0) return -sizeOf(set);
  const before = readCount(set, MAX_REPLICAS) || (deployment.status?.replicas ?? 0);
  if (before === 0) return 0;
  return Math.round((sizeOf(set) * (wanted + maxSurge(deployment))) / before) - sizeOf(set);
}
