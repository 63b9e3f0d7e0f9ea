/** What a StatefulSet does next: it creates, updates and deletes pods in order. Pure. */
import type { StatefulSet } from "@capstan/kinds/apps/v1";
import type { Pod } from "@capstan/kinds/v1";
import { isAvailable, isFinished, isReady } from "../pod/state.ts";
import { REVISION_LABEL } from "../controller/revision-history.ts";
import { identityMatches, ordinalOf, startOf } from "./identity.ts";

/** What to do, in this order. */
export type Action =
  | { readonly do: "start"; readonly ordinal: number; readonly revision: "current" | "update" }
  | { readonly do: "end"; readonly pod: Pod }
  /** A pending pod may lack a claim. */
  | { readonly do: "claim"; readonly ordinal: number }
  | { readonly do: "identify"; readonly pod: Pod; readonly ordinal: number };

/** The set, its pods, and the names of its two revisions. */
export interface Observed {
  readonly set: StatefulSet;
  readonly pods: readonly Pod[];
  readonly current: string;
  readonly update: string;
  readonly now: number;
}

/** Decides the next actions. */
export function decide(observed: Observed): readonly Action[] {
  const { set, pods } = observed;
  const start = startOf(set);
  const replicas = set.spec?.replicas ?? 1;
  const members = new Map(pods.map((pod) => [ordinalOf(pod, set), pod]));
  const condemned = [...members]
    .filter(([ordinal]) => ordinal >= 0 && (ordinal < start || ordinal >= start + replicas))
    .sort(([a], [b]) => b - a)
    .map(([, pod]) => pod);
  const isOrdered = set.spec?.podManagementPolicy !== "Parallel";
  const kept = ensureReplicas(observed, members, isOrdered);
  if (kept.wait) return kept.actions;
  const deletion = deleteCondemned(observed, { condemned, members, isOrdered });
  if (deletion.wait) return [...kept.actions, ...deletion.actions];
  return [...kept.actions, ...deletion.actions, ...rollingUpdate(observed, members)];
}

/** Actions, and whether later ones must wait. */
interface Step {
  readonly actions: readonly Action[];
  readonly wait: boolean;
}

/** Creates missing pods in order; each waits for the one before. */
function ensureReplicas(observed: Observed, members: ReadonlyMap<number, Pod>, isOrdered: boolean): Step {
  const { set } = observed;
  const actions: Action[] = [];
  const start = startOf(set);
  for (let ordinal = start; ordinal < start + (set.spec?.replicas ?? 1); ordinal++) {
    const pod = members.get(ordinal);
    const part = processReplica(observed, ordinal, pod);
    actions.push(...part.actions);
    if (part.wait && isOrdered) return { actions, wait: true };
  }
  return { actions, wait: false };
}

function processReplica(observed: Observed, ordinal: number, pod: Pod | undefined): Step {
  const { set, now } = observed;
  if (pod === undefined) {
    return { actions: [{ do: "start", ordinal, revision: revisionFor(observed, ordinal) }], wait: true };
  }
  if (isFinished(pod)) {
    return { actions: pod.metadata.deletionTimestamp === undefined ? [{ do: "end", pod }] : [], wait: true };
  }
  const claims: readonly Action[] = pod.status?.phase === "Pending" ? [{ do: "claim", ordinal }] : [];
  const isTerminating = pod.metadata.deletionTimestamp !== undefined;
  if (isTerminating || !isRunningAndAvailable(pod, set, now)) return { actions: claims, wait: true };
  return { actions: identityMatches(pod, set, ordinal) ? [] : [{ do: "identify", pod, ordinal }], wait: false };
}

function isRunningAndAvailable(pod: Pod, { spec }: StatefulSet, now: number): boolean {
  return pod.status?.phase === "Running" && isAvailable(pod, spec?.minReadySeconds ?? 0, now);
}

/** A lost pod is recreated with its revision: the current one unless the update has reached its ordinal. */
function revisionFor({ set }: Observed, ordinal: number): "current" | "update" {
  const { type, rollingUpdate } = set.spec?.updateStrategy ?? {};
  if (type === "OnDelete") return "update";
  const untouched = rollingUpdate === undefined ? (set.status?.currentReplicas ?? 0) : (rollingUpdate.partition ?? 0);
  return ordinal < startOf(set) + untouched ? "current" : "update";
}

interface Condemned {
  readonly condemned: readonly Pod[];
  readonly members: ReadonlyMap<number, Pod>;
  readonly isOrdered: boolean;
}

/** Deletes pods beyond the replicas, last first; an ordered set waits until the others are available. */
function deleteCondemned(observed: Observed, { condemned, members, isOrdered }: Condemned): Step {
  const { set, now } = observed;
  const notTerminating = condemned.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (!isOrdered) return { actions: notTerminating.map((pod) => ({ do: "end", pod })), wait: false };
  const [first] = condemned;
  if (first === undefined) return { actions: [], wait: false };
  if (first.metadata.deletionTimestamp !== undefined) return { actions: [], wait: true };
  const firstUnhealthy = [...members]
    .sort(([a], [b]) => a - b)
    .find(([, pod]) => !isRunningAndAvailable(pod, set, now))?.[1];
  if (!isRunningAndAvailable(first, set, now) && first !== firstUnhealthy) return { actions: [], wait: true };
  return { actions: [{ do: "end", pod: first }], wait: true };
}

/** Updates one pod at a time, from the last to the partition. */
function rollingUpdate({ set, update, now }: Observed, members: ReadonlyMap<number, Pod>): readonly Action[] {
  const { type, rollingUpdate } = set.spec?.updateStrategy ?? {};
  if (type === "OnDelete") return [];
  const start = startOf(set);
  const lowest = start + (rollingUpdate?.partition ?? 0);
  for (let ordinal = start + (set.spec?.replicas ?? 1) - 1; ordinal >= lowest; ordinal--) {
    const pod = members.get(ordinal);
    if (pod === undefined) return [];
    const isOld = pod.metadata.labels?.[REVISION_LABEL] !== update;
    if (isOld && pod.metadata.deletionTimestamp === undefined) return [{ do: "end", pod }];
    if (!isRunningAndAvailable(pod, set, now)) return [];
  }
  return [];
}

type Status = NonNullable<StatefulSet["status"]>;

/** The status of a set with these pods. */
export function statusOf({ set, pods, current, update, now }: Observed): Status {
  const { minReadySeconds = 0, replicas = 1 } = set.spec ?? {};
  const members = pods.filter((pod) => ordinalOf(pod, set) >= 0);
  const running = members.filter((pod) => pod.status?.phase === "Running" && isReady(pod));
  const counted = members.filter(
    (pod) => (pod.status?.phase ?? "") !== "" && pod.metadata.deletionTimestamp === undefined,
  );
  const ofRevision = (name: string): number =>
    counted.filter(({ metadata }) => metadata.labels?.[REVISION_LABEL] === name).length;
  const status: Status = {
    ...set.status,
    observedGeneration: set.metadata.generation ?? 0,
    replicas: members.length,
    readyReplicas: running.length,
    availableReplicas: running.filter((pod) => isAvailable(pod, minReadySeconds, now)).length,
    currentReplicas: ofRevision(current),
    updatedReplicas: ofRevision(update),
    currentRevision: current,
    updateRevision: update,
    collisionCount: set.status?.collisionCount ?? 0,
  };
  const isRolled =
    set.spec?.updateStrategy?.type !== "OnDelete" &&
    status.updatedReplicas === replicas &&
    status.readyReplicas === replicas &&
    status.replicas === replicas;
  return isRolled ? { ...status, currentReplicas: status.updatedReplicas ?? 0, currentRevision: update } : status;
}
