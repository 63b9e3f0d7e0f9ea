/** The status and conditions of a Deployment. Pure. */
import type { Deployment, ReplicaSet } from "@capstan/kinds/apps/v1";
import { formatTime } from "@capstan/model";
import { millisecondsOf } from "../pod/state.ts";
import { maxUnavailable, totalReplicas, desiredReplicas } from "./scaling.ts";

type Status = NonNullable<Deployment["status"]>;
export type Condition = NonNullable<Status["conditions"]>[number];

/** A condition without its times. */
export type ConditionFields = Pick<Condition, "type" | "status" | "reason" | "message">;

/** The deployment with its sets. */
export interface Observed {
  readonly deployment: Deployment;
  readonly newSet: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Sets a condition; an equal one keeps its times. */
export function withCondition(
  conditions: readonly Condition[],
  fields: ConditionFields,
  now: number,
): readonly Condition[] {
  const current = conditions.find(({ type }) => type === fields.type);
  if (current?.status === fields.status && current.reason === fields.reason) return conditions;
  const time = formatTime(now);
  const since = current?.status === fields.status ? current.lastTransitionTime : undefined;
  const others = conditions.filter(({ type }) => type !== fields.type);
  return [...others, { ...fields, lastUpdateTime: time, lastTransitionTime: since ?? time }];
}

/** The counts and the Available condition. */
export function countsOf({ deployment, newSet, old, now }: Observed): Status {
  const all = [...old, ...(newSet === undefined ? [] : [newSet])];
  const sum = (read: (set: ReplicaSet) => number | undefined): number =>
    all.reduce((total, set) => total + (read(set) ?? 0), 0);
  const available = sum(({ status }) => status?.availableReplicas);
  const { collisionCount } = deployment.status ?? {};
  const isAvailable = available >= desiredReplicas(deployment) - maxUnavailable(deployment);
  const fields: ConditionFields = {
    type: "Available",
    status: isAvailable ? "True" : "False",
    reason: isAvailable ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
    message: `Deployment ${isAvailable ? "has" : "does not have"} minimum availability.`,
  };
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: sum(({ status }) => status?.replicas),
    updatedReplicas: newSet?.status?.replicas ?? 0,
    readyReplicas: sum(({ status }) => status?.readyReplicas),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, totalReplicas(all) - available),
    terminatingReplicas: sum(({ status }) => status?.terminatingReplicas),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    conditions: withCondition(deployment.status?.conditions ?? [], fields, now),
  };
}

/** Whether the deployment has a progress deadline. */
export function hasDeadline({ spec }: Deployment): boolean {
  return spec?.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== 2 ** 31 - 1;
}

/** Whether all pods have the new template and are available. */
export function isComplete(deployment: Deployment, status: Status | undefined): boolean {
  const wanted = desiredReplicas(deployment);
  return (
    (status?.updatedReplicas ?? 0) === wanted &&
    (status?.replicas ?? 0) === wanted &&
    (status?.availableReplicas ?? 0) === wanted &&
    (status?.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

/** The status during a rollout: counts, progress and failures. */
export function rolloutStatus(observed: Observed): Status {
  const counts = countsOf(observed);
  const progressed = progressConditions(observed, counts);
  return { ...counts, conditions: failureConditions(observed, progressed) };
}

function progressConditions({ deployment, newSet, now }: Observed, counts: Status): readonly Condition[] {
  const conditions = counts.conditions ?? [];
  if (!hasDeadline(deployment)) return conditions.filter(({ type }) => type !== "Progressing");
  const current = conditions.find(({ type }) => type === "Progressing");
  const isDone = counts.replicas === counts.updatedReplicas && current?.reason === "NewReplicaSetAvailable";
  if (isDone) return conditions;
  const what =
    newSet === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${newSet.metadata.name}"`;
  const fields = (status: "True" | "False", reason: string, what_: string): ConditionFields => ({
    type: "Progressing",
    status,
    reason,
    message: `${what} ${what_}.`,
  });
  if (isComplete(deployment, counts)) {
    return withCondition(conditions, fields("True", "NewReplicaSetAvailable", "has successfully progressed"), now);
  }
  if (hasProgressed(deployment.status, counts)) {
    return refreshCondition(conditions, fields("True", "ReplicaSetUpdated", "is progressing"), now);
  }
  if (isTimedOut(deployment, current, now)) {
    return withCondition(conditions, fields("False", "ProgressDeadlineExceeded", "has timed out progressing"), now);
  }
  return conditions;
}

/** Progress refreshes `lastUpdateTime`. */
function refreshCondition(
  conditions: readonly Condition[],
  fields: ConditionFields,
  now: number,
): readonly Condition[] {
  const current = conditions.find(({ type }) => type === fields.type);
  const time = formatTime(now);
  const since = current?.status === "True" ? current.lastTransitionTime : undefined;
  const others = conditions.filter(({ type }) => type !== fields.type);
  return [...others, { ...fields, lastUpdateTime: time, lastTransitionTime: since ?? time }];
}

function hasProgressed(before: Status | undefined, after: Status): boolean {
  const updated = (status: Status | undefined): number => status?.updatedReplicas ?? 0;
  const outdated = (status: Status | undefined): number => (status?.replicas ?? 0) - updated(status);
  return (
    updated(after) > updated(before) ||
    outdated(after) < outdated(before) ||
    (after.readyReplicas ?? 0) > (before?.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before?.availableReplicas ?? 0)
  );
}

function isTimedOut(deployment: Deployment, current: Condition | undefined, now: number): boolean {
  if (current === undefined || current.reason === "NewReplicaSetAvailable") return false;
  if (current.reason === "ProgressDeadlineExceeded") return true;
  return deadlineOf(deployment, current) < now;
}

function deadlineOf({ spec }: Deployment, { lastUpdateTime }: Condition): number {
  return millisecondsOf(lastUpdateTime ?? "") + (spec?.progressDeadlineSeconds ?? 0) * 1000;
}

/** The time until the progress deadline, in milliseconds. */
export function untilDeadline(deployment: Deployment, status: Status, now: number): number | undefined {
  const current = status.conditions?.find(({ type }) => type === "Progressing");
  if (!hasDeadline(deployment) || current === undefined || isComplete(deployment, status)) return undefined;
  if (current.reason === "ProgressDeadlineExceeded" || current.reason === "NewReplicaSetAvailable") return undefined;
  return Math.max(0, deadlineOf(deployment, current) - now) + 1000;
}

/** A ReplicaFailure condition of a set becomes one of its deployment. The new set takes precedence. */
function failureConditions({ newSet, old }: Observed, conditions: readonly Condition[]): readonly Condition[] {
  const failed = [newSet, ...old].flatMap(
    (set) => set?.status?.conditions?.filter(({ type }) => type === "ReplicaFailure") ?? [],
  )[0];
  const current = conditions.find(({ type }) => type === "ReplicaFailure");
  if (failed === undefined) {
    return current === undefined ? conditions : conditions.filter((condition) => condition !== current);
  }
  if (current?.status === failed.status && current.reason === failed.reason) return conditions;
  const { lastTransitionTime } = failed;
  const times = lastTransitionTime === undefined ? {} : { lastTransitionTime, lastUpdateTime: lastTransitionTime };
  return [...conditions.filter((condition) => condition !== current), { ...failed, ...times }];
}

/** Pausing and resuming both reset the progress deadline. */
export function pauseCondition({ spec, status, ...deployment }: Deployment): ConditionFields | undefined {
  if (!hasDeadline({ ...deployment, ...(spec && { spec }) })) return undefined;
  const current = status?.conditions?.find(({ type }) => type === "Progressing");
  if (current?.reason === "ProgressDeadlineExceeded") return undefined;
  const isPausedCondition = current?.reason === "DeploymentPaused";
  if ((spec?.paused === true) === isPausedCondition) return undefined;
  const [reason, message] = isPausedCondition
    ? ["DeploymentResumed", "Deployment is resumed"]
    : ["DeploymentPaused", "Deployment is paused"];
  return { type: "Progressing", status: "Unknown", reason, message };
}
