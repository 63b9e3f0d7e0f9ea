/** What a Deployment says about itself. Pure. */
import type { Deployment, ReplicaSet } from "@capstan/kinds/apps/v1";
import { formatTime } from "@capstan/model";
import { millisecondsOf } from "../pod/state.ts";
import { maxUnavailable, totalSize, wantedBy } from "./sizes.ts";

type Status = NonNullable<Deployment["status"]>;
export type Condition = NonNullable<Status["conditions"]>[number];

/** A condition without its times. */
export type Claim = Pick<Condition, "type" | "status" | "reason" | "message">;

/** The deployment with its sets. */
export interface Seen {
  readonly deployment: Deployment;
  readonly fresh: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Sets a condition; one that says the same as before stays as it is. */
export function withCondition(conditions: readonly Condition[], claim: Claim, now: number): readonly Condition[] {
  const current = conditions.find(({ type }) => type === claim.type);
  if (current?.status === claim.status && current.reason === claim.reason) return conditions;
  const time = formatTime(now);
  const since = current?.status === claim.status ? current.lastTransitionTime : undefined;
  const others = conditions.filter(({ type }) => type !== claim.type);
  return [...others, { ...claim, lastUpdateTime: time, lastTransitionTime: since ?? time }];
}

/** Numbers and availability, as every turn tells them. */
export function countsOf({ deployment, fresh, old, now }: Seen): Status {
  const all = [...old, ...(fresh === undefined ? [] : [fresh])];
  const sum = (read: (set: ReplicaSet) => number | undefined): number =>
    all.reduce((total, set) => total + (read(set) ?? 0), 0);
  const available = sum(({ status }) => status?.availableReplicas);
  const { collisionCount } = deployment.status ?? {};
  const isAvailable = available >= wantedBy(deployment) - maxUnavailable(deployment);
  const claim: Claim = {
    type: "Available",
    status: isAvailable ? "True" : "False",
    reason: isAvailable ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
    message: `Deployment ${isAvailable ? "has" : "does not have"} minimum availability.`,
  };
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: sum(({ status }) => status?.replicas),
    updatedReplicas: fresh?.status?.replicas ?? 0,
    readyReplicas: sum(({ status }) => status?.readyReplicas),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, totalSize(all) - available),
    terminatingReplicas: sum(({ status }) => status?.terminatingReplicas),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    conditions: withCondition(deployment.status?.conditions ?? [], claim, now),
  };
}

/** Whether the progress of a deployment has a limit in time. */
export function hasDeadline({ spec }: Deployment): boolean {
  return spec?.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== 2 ** 31 - 1;
}

/** Whether every pod is of the newest template and serves. */
export function isComplete(deployment: Deployment, status: Status | undefined): boolean {
  const wanted = wantedBy(deployment);
  return (
    (status?.updatedReplicas ?? 0) === wanted &&
    (status?.replicas ?? 0) === wanted &&
    (status?.availableReplicas ?? 0) === wanted &&
    (status?.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

/** The status of a deployment that rolls out: numbers, progress, failures. */
export function rolloutStatus(seen: Seen): Status {
  const counts = countsOf(seen);
  const progressed = withProgress(seen, counts);
  return { ...counts, conditions: withFailures(seen, progressed) };
}

function withProgress({ deployment, fresh, now }: Seen, counts: Status): readonly Condition[] {
  const conditions = counts.conditions ?? [];
  if (!hasDeadline(deployment)) return conditions.filter(({ type }) => type !== "Progressing");
  const current = conditions.find(({ type }) => type === "Progressing");
  const isDone = counts.replicas === counts.updatedReplicas && current?.reason === "NewReplicaSetAvailable";
  if (isDone) return conditions;
  const what = fresh === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${fresh.metadata.name}"`;
  const claim = (status: "True" | "False", reason: string, what_: string): Claim => ({
    type: "Progressing",
    status,
    reason,
    message: `${what} ${what_}.`,
  });
  if (isComplete(deployment, counts)) {
    return withCondition(conditions, claim("True", "NewReplicaSetAvailable", "has successfully progressed"), now);
  }
  if (hasProgressed(deployment.status, counts)) {
    return touched(conditions, claim("True", "ReplicaSetUpdated", "is progressing"), now);
  }
  if (isTimedOut(deployment, current, now)) {
    return withCondition(conditions, claim("False", "ProgressDeadlineExceeded", "has timed out progressing"), now);
  }
  return conditions;
}

/** Each step of progress renews the time of the last update. */
function touched(conditions: readonly Condition[], claim: Claim, now: number): readonly Condition[] {
  const current = conditions.find(({ type }) => type === claim.type);
  const time = formatTime(now);
  const since = current?.status === "True" ? current.lastTransitionTime : undefined;
  const others = conditions.filter(({ type }) => type !== claim.type);
  return [...others, { ...claim, lastUpdateTime: time, lastTransitionTime: since ?? time }];
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

/** How long until a rollout without progress has to be called stuck, in milliseconds. */
export function untilDeadline(deployment: Deployment, status: Status, now: number): number | undefined {
  const current = status.conditions?.find(({ type }) => type === "Progressing");
  if (!hasDeadline(deployment) || current === undefined || isComplete(deployment, status)) return undefined;
  if (current.reason === "ProgressDeadlineExceeded" || current.reason === "NewReplicaSetAvailable") return undefined;
  return Math.max(0, deadlineOf(deployment, current) - now) + 1000;
}

/** A set that cannot make pods speaks for its deployment; the newest set is heard first. */
function withFailures({ fresh, old }: Seen, conditions: readonly Condition[]): readonly Condition[] {
  const failed = [fresh, ...old].flatMap(
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

/** A pause stops the clock of the deadline, and so does its end. */
export function pauseClaim({ spec, status, ...deployment }: Deployment): Claim | undefined {
  if (!hasDeadline({ ...deployment, ...(spec && { spec }) })) return undefined;
  const current = status?.conditions?.find(({ type }) => type === "Progressing");
  if (current?.reason === "ProgressDeadlineExceeded") return undefined;
  const isNoted = current?.reason === "DeploymentPaused";
  if ((spec?.paused === true) === isNoted) return undefined;
  const [reason, message] = isNoted
    ? ["DeploymentResumed", "Deployment is resumed"]
    : ["DeploymentPaused", "Deployment is paused"];
  return { type: "Progressing", status: "Unknown", reason, message };
}
