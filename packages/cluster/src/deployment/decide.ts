/** The next step of a Deployment. Pure. */
import type { Deployment, ReplicaSet } from "@capstan/kinds/apps/v1";
import { DESIRED_REPLICAS, highestRevision, readCount, revisionOf } from "./annotations.ts";
import { newReplicaSet } from "./replica-set.ts";
import type { NewReplicaSet } from "./replica-set.ts";
import {
  byAge,
  scaleDeployment,
  reconcileNewReplicaSet,
  reconcileOldReplicaSets,
  replicasOf,
  desiredReplicas,
} from "./scaling.ts";
import type { Scale } from "./scaling.ts";
import { isComplete } from "./status.ts";

/** What to do next. */
export type Action =
  /** Scale the sets to a changed number of replicas; the rollout waits. */
  | { readonly do: "scale"; readonly resizes: readonly Scale[]; readonly remove: readonly ReplicaSet[] }
  /** Create the ReplicaSet for a new template. */
  | { readonly do: "create"; readonly set: NewReplicaSet }
  /** One step of a rollout. */
  | { readonly do: "roll"; readonly resizes: readonly Scale[] }
  /** Only remove old sets beyond the history limit. */
  | { readonly do: "rest"; readonly remove: readonly ReplicaSet[] };

/** The deployment with its sets. */
export interface Observed {
  readonly deployment: Deployment;
  readonly newSet: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
  /** Whether a pod of an older set still runs. */
  readonly oldPodsRunning: boolean;
}

/** Decides the next step. */
export function decide(observed: Observed): Action {
  const { deployment, newSet, old } = observed;
  const isPaused = deployment.spec?.paused === true;
  if (isPaused || isScaled(observed)) {
    const remove = isPaused ? setsToRemove(deployment, old) : [];
    return { do: "scale", resizes: scaleDeployment(deployment, newSet, old), remove };
  }
  if (deployment.spec?.strategy?.type === "Recreate") return recreate(observed);
  if (newSet === undefined) return create(observed);
  const scaledUp = reconcileNewReplicaSet(deployment, newSet, old);
  if (scaledUp !== undefined) return { do: "roll", resizes: [scaledUp] };
  const scaledDown = reconcileOldReplicaSets(deployment, newSet, old);
  return scaledDown.length > 0 ? { do: "roll", resizes: scaledDown } : cleanUp(observed);
}

/** Whether the number of replicas changed since the sets were scaled. */
function isScaled({ deployment, newSet, old }: Observed): boolean {
  return [...old, ...(newSet === undefined ? [] : [newSet])].some((set) => {
    const desired = replicasOf(set) > 0 ? readCount(set, DESIRED_REPLICAS) : undefined;
    return desired !== undefined && desired !== desiredReplicas(deployment);
  });
}

/** All old pods must be gone before the first new one starts. */
function recreate(observed: Observed): Action {
  const { deployment, newSet, old, oldPodsRunning } = observed;
  const active = old.filter((set) => replicasOf(set) > 0);
  if (active.length > 0) return { do: "roll", resizes: active.map((set) => ({ set, to: 0 })) };
  if (oldPodsRunning) return { do: "rest", remove: [] };
  if (newSet === undefined) return create(observed);
  const wanted = desiredReplicas(deployment);
  return replicasOf(newSet) === wanted ? cleanUp(observed) : { do: "roll", resizes: [{ set: newSet, to: wanted }] };
}

function create({ deployment, old }: Observed): Action {
  return { do: "create", set: newReplicaSet(deployment, old, highestRevision(old) + 1n) };
}

function cleanUp({ deployment, old }: Observed): Action {
  return { do: "rest", remove: isComplete(deployment, deployment.status) ? setsToRemove(deployment, old) : [] };
}

/** The oldest revisions beyond the history limit that have no pods. */
function setsToRemove({ spec }: Deployment, old: readonly ReplicaSet[]): readonly ReplicaSet[] {
  const limit = spec?.revisionHistoryLimit;
  if (limit === undefined || limit === 2 ** 31 - 1) return [];
  const alive = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (alive.length <= limit) return [];
  return alive
    .sort((a, b) => Number(revisionOf(a) - revisionOf(b)) || byAge(a, b))
    .slice(0, alive.length - limit)
    .filter(
      (set) =>
        replicasOf(set) === 0 &&
        (set.status?.replicas ?? 0) === 0 &&
        (set.metadata.generation ?? 0) <= (set.status?.observedGeneration ?? 0),
    );
}
