/** The next step of a Deployment. Pure: everything it looks at is handed in. */
import type { Deployment, ReplicaSet } from "@capstan/kinds/apps/v1";
import { DESIRED_REPLICAS, highestRevision, readCount, revisionOf } from "./annotations.ts";
import { newReplicaSet } from "./replica-set.ts";
import type { NewReplicaSet } from "./replica-set.ts";
import { byAge, resizeAll, resizeNew, resizeOld, sizeOf, wantedBy } from "./sizes.ts";
import type { Resize } from "./sizes.ts";
import { isComplete } from "./status.ts";

/** What is to be done. */
export type Action =
  /** Sets get the sizes that a new wanted number gives them; nothing is rolled out meanwhile. */
  | { readonly do: "scale"; readonly resizes: readonly Resize[]; readonly remove: readonly ReplicaSet[] }
  /** There is a new template: its set is made. */
  | { readonly do: "create"; readonly set: NewReplicaSet }
  /** One step of a rollout. */
  | { readonly do: "roll"; readonly resizes: readonly Resize[] }
  /** Nothing moves; sets of the past that nobody needs go. */
  | { readonly do: "rest"; readonly remove: readonly ReplicaSet[] };

/** The deployment with its sets. */
export interface Seen {
  readonly deployment: Deployment;
  readonly fresh: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
  /** Whether a pod of an older set still runs. */
  readonly oldPodsRun: boolean;
}

/** Decides the next step. */
export function decide(seen: Seen): Action {
  const { deployment, fresh, old } = seen;
  const isPaused = deployment.spec?.paused === true;
  if (isPaused || isScaled(seen)) {
    const remove = isPaused ? superfluous(deployment, old) : [];
    return { do: "scale", resizes: resizeAll(deployment, fresh, old), remove };
  }
  if (deployment.spec?.strategy?.type === "Recreate") return recreate(seen);
  if (fresh === undefined) return create(seen);
  const growth = resizeNew(deployment, fresh, old);
  if (growth !== undefined) return { do: "roll", resizes: [growth] };
  const shrinking = resizeOld(deployment, fresh, old);
  return shrinking.length > 0 ? { do: "roll", resizes: shrinking } : rest(seen);
}

/** Whether the wanted number is not the one that the sets were made for. */
function isScaled({ deployment, fresh, old }: Seen): boolean {
  return [...old, ...(fresh === undefined ? [] : [fresh])].some((set) => {
    const desired = sizeOf(set) > 0 ? readCount(set, DESIRED_REPLICAS) : undefined;
    return desired !== undefined && desired !== wantedBy(deployment);
  });
}

/** All old pods end before the first new one starts. */
function recreate(seen: Seen): Action {
  const { deployment, fresh, old, oldPodsRun } = seen;
  const active = old.filter((set) => sizeOf(set) > 0);
  if (active.length > 0) return { do: "roll", resizes: active.map((set) => ({ set, to: 0 })) };
  if (oldPodsRun) return { do: "rest", remove: [] };
  if (fresh === undefined) return create(seen);
  const wanted = wantedBy(deployment);
  return sizeOf(fresh) === wanted ? rest(seen) : { do: "roll", resizes: [{ set: fresh, to: wanted }] };
}

function create({ deployment, old }: Seen): Action {
  return { do: "create", set: newReplicaSet(deployment, old, highestRevision(old) + 1n) };
}

function rest({ deployment, old }: Seen): Action {
  return { do: "rest", remove: isComplete(deployment, deployment.status) ? superfluous(deployment, old) : [] };
}

/** The oldest revisions beyond those that are kept, as far as they have come to rest. */
function superfluous({ spec }: Deployment, old: readonly ReplicaSet[]): readonly ReplicaSet[] {
  const limit = spec?.revisionHistoryLimit;
  if (limit === undefined || limit === 2 ** 31 - 1) return [];
  const alive = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (alive.length <= limit) return [];
  return alive
    .sort((a, b) => Number(revisionOf(a) - revisionOf(b)) || byAge(a, b))
    .slice(0, alive.length - limit)
    .filter(
      (set) =>
        sizeOf(set) === 0 &&
        (set.status?.replicas ?? 0) === 0 &&
        (set.metadata.generation ?? 0) <= (set.status?.observedGeneration ?? 0),
    );
}
