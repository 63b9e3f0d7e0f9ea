/** A recovery in progress: stops all members, continues with one, and lets it serve alone before others join. */
import type { Action, RecordedRecovery, Observation, ObservedPod } from "./contract.ts";
import { newMemberName, viewOf } from "./view.ts";
import { hasOldTemplate, versionFor } from "./target-version.ts";
import { withArticle } from "./with-article.ts";

/**
 * Whether a recovery was begun and is not over.
 *
 * @example
 * const isBusy = isRecovering({ phase: "Seeding" });
 */
export function isRecovering(recovery: Pick<RecordedRecovery, "phase"> | undefined): boolean {
  return recovery !== undefined && recovery.phase !== "Done" && recovery.phase !== "Refused";
}

export function decideRecovery(seen: Observation, recovery: RecordedRecovery): Action {
  switch (recovery.phase) {
    case "Stopping":
      return abandonRestore(seen, recovery) ?? returnToSurvivor(seen, recovery) ?? stopMembers(seen, recovery);
    case "Seeding":
      return recovery.source === "Backup" ? seedFromBackup(seen, recovery) : startSurvivor(seen, recovery);
    case "Rejoining":
      return finishRecovery(seen, recovery);
    case "Returning":
      return returnToOldData(seen, recovery);
    case "Done":
    case "Refused":
      return { do: "rest" };
  }
}

/** No other member may run while one continues alone, or there would be two clusters with the same name. */
function stopMembers(seen: Observation, recovery: RecordedRecovery): Action {
  const running = seen.pods.find(({ state }) => state !== "stopping");
  if (running !== undefined) {
    return { do: "delete-pod", member: running.member, why: "the cluster is recovered from what is left" };
  }
  const away = seen.pods.find(({ isNodeLost }) => isNodeLost);
  if (away !== undefined) return reportLostNode(away);
  if (seen.pods.length > 0) return { do: "wait", for: `${seen.pods.map(({ member }) => member).join(", ")} to stop` };
  const next = { ...recovery, phase: "Seeding", reason: "all members have stopped" } as const;
  return { do: "note-recovery", recovery: next };
}

function startSurvivor(seen: Observation, recovery: RecordedRecovery): Action {
  const { member = "" } = recovery;
  const pod = seen.pods.find((one) => one.member === member);
  const volume = seen.volumes.find((one) => one.member === member);
  if (volume === undefined || volume.state === "lost" || (pod === undefined && volume.state === "stopping")) {
    // No member has served since: the remaining data is examined again.
    const reason = `the volume of ${member}, which was to be recovered from, is gone, too`;
    return { do: "note-recovery", recovery: { ...recovery, phase: "Refused", reason } };
  }
  const version = versionFor(viewOf(seen), member);
  if (pod === undefined) return { do: "create-pod", member, boot: "survive", version };
  if (!isOnlyMember(seen, member))
    return (
      recreatePod(seen, pod, version) ?? reportFailure(seen, pod) ?? { do: "wait", for: `${member} to serve alone` }
    );
  return { do: "note-recovery", recovery: { ...recovery, phase: "Rejoining", reason: `${member} serves alone` } };
}

function seedFromBackup(seen: Observation, recovery: RecordedRecovery): Action {
  const member = recovery.member ?? newMemberName(viewOf(seen));
  if (isOnlyMember(seen, member)) {
    const reason = `${member} serves the backup`;
    return { do: "note-recovery", recovery: { ...recovery, phase: "Rejoining", reason } };
  }
  const end = abandonRestore(seen, recovery) ?? returnToSurvivor(seen, recovery);
  if (end !== undefined) return end;
  if (recovery.member === undefined) {
    return { do: "note-recovery", recovery: { ...recovery, member, reason: `${member} begins with the backup` } };
  }
  if (!seen.volumes.some((one) => one.member === member)) return { do: "create-volume", member };
  const version = versionFor(viewOf(seen), member);
  const pod = seen.pods.find((one) => one.member === member);
  if (pod === undefined) return { do: "create-pod", member, boot: "seed-backup", version };
  const left = recovery.restore === undefined ? otherSurvivors(seen, recovery) : [];
  return (
    recreatePod(seen, pod, version) ??
    reportFailure(seen, pod, left) ?? { do: "wait", for: `${member} to serve the backup` }
  );
}

/** Some old data remains. The recovery returns to it if the backup is unusable or restoring it is no longer allowed. */
function returnToSurvivor(seen: Observation, recovery: RecordedRecovery): Action | undefined {
  if (recovery.source !== "Backup" || recovery.restore !== undefined || isServed(seen, recovery)) return undefined;
  const names = otherSurvivors(seen, recovery).join(", ");
  if (names === "") return undefined;
  const { backup, skipped = [] } = recovery;
  const backupFailure = backupFailureFor(seen, recovery);
  if (backupFailure === undefined && seen.desired.recoversFromBackup) return undefined;
  const why =
    backupFailure === undefined
      ? "spec.recovery.fromBackup is false"
      : `the backup ${backup} cannot be used (${backupFailure})`;
  const given =
    backupFailure === undefined || backup === undefined
      ? {}
      : { skipped: [...skipped, { backup, why: backupFailure }] };
  const reason = `${why}: what is left of ${names} is looked at again`;
  return { do: "note-recovery", recovery: { ...recovery, ...given, phase: "Returning", reason } };
}

/** Other voters that still have their volumes. */
function otherSurvivors(seen: Observation, { member }: RecordedRecovery): readonly string[] {
  const isLeft = (name: string): boolean =>
    seen.volumes.some((one) => one.member === name && (one.state === "bound" || one.state === "pending"));
  return viewOf(seen).voters.flatMap(({ name }) => (name !== member && isLeft(name) ? [name] : []));
}

/** The kubelet reports the restored member ready: clients may have written since, even if the operator is cut off. */
function isServed({ pods }: Observation, { member }: RecordedRecovery): boolean {
  return pods.some((pod) => pod.member === member && pod.isReady);
}

/** The error of the backup itself, after it persisted for a while. */
function backupFailureFor({ pods, now, desired }: Observation, { member }: RecordedRecovery): string | undefined {
  const pod = pods.find((one) => one.member === member);
  return pod === undefined || now - pod.since < desired.replaceAfter ? undefined : pod.backupFailure;
}

/** Recreates a pod that ended, or that does not serve and has an outdated template. */
function recreatePod(seen: Observation, pod: ObservedPod, version: string): Action | undefined {
  if (pod.state === "ended") return { do: "delete-pod", member: pod.member, why: "it ended" };
  if (pod.state === "stopping" || !hasOldTemplate(seen, pod, version)) return undefined;
  const why = "it does not serve and another form is wanted";
  return { do: "delete-pod", member: pod.member, why, next: version };
}

/**
 * The recovery waits for a member that does not start. The refusal explains why, and the options. No other member is used automatically,
 * because this one may have the newest data.
 */
function reportFailure(
  { now, desired, application }: Observation,
  pod: ObservedPod,
  left: readonly string[] = [],
): Action | undefined {
  if (pod.isNodeLost) return reportLostNode(pod);
  if (pod.isReady || !pod.isContainerDown || now - pod.since < desired.replaceAfter) return undefined;
  const { member, startFailure: failure = "see its log" } = pod;
  const otherwise =
    left.length > 0
      ? `set spec.recovery.fromBackup to false, to go on with what is left of ${left.join(", ")}`
      : `only if its data is known to be lost, delete its volume and its pod (data-${member}, ${member}): then what else is left is looked at`;
  const why = `${member}, which the cluster is to go on with, does not start: ${failure}. Mend that, or ask for a backup with ${withArticle(application.kinds.restore)} that says overwrite, or ${otherwise}`;
  return { do: "refuse", reason: "QuorumLost", why };
}

function reportLostNode({ member }: ObservedPod): Action {
  const why = `${member} may still run on a node that does not report, so no member may continue alone: bring the node back, or delete the node and the pod if it is gone for good`;
  return { do: "refuse", reason: "QuorumLost", why };
}

/** Cancels a restore in place that cannot succeed. The old data exists until a member serves the backup. */
function abandonRestore(seen: Observation, recovery: RecordedRecovery): Action | undefined {
  const why = recovery.restore === undefined ? undefined : recoveryFailure(seen, recovery);
  if (why === undefined || isServed(seen, recovery)) return undefined;
  const reason = `the restore is called off: ${why}`;
  return { do: "note-recovery", recovery: { ...recovery, phase: "Returning", reason } };
}

function recoveryFailure(
  { isRestoreDeleted: isWithdrawn, pods, now, desired, application }: Observation,
  { phase, member }: RecordedRecovery,
): string | undefined {
  if (isWithdrawn) return `its ${application.kinds.restore} was deleted`;
  const lost = phase === "Stopping" ? pods.find(({ isNodeLost }) => isNodeLost) : undefined;
  if (lost !== undefined) return `${lost.member} may still run on a node that does not report`;
  const pod = pods.find((one) => one.member === member);
  if (pod?.startFailure === undefined || now - pod.since < desired.replaceAfter) return undefined;
  return `${member} could not begin with the backup: ${pod.startFailure}`;
}

/** Removes the member that should start with the backup, with its volume; then the others are recreated with their old data. */
function returnToOldData(seen: Observation, recovery: RecordedRecovery): Action {
  const pod = seen.pods.find(({ member }) => member === recovery.member);
  if (pod?.state === "stopping") return { do: "wait", for: `${pod.member} to stop` };
  const why = "the restore was called off";
  if (pod !== undefined) return { do: "delete-pod", member: pod.member, why };
  const volume = seen.volumes.find(({ member, state }) => member === recovery.member && state !== "stopping");
  if (volume !== undefined) return { do: "delete-volume", member: volume.member, why };
  const reason = "the members go on with their old data";
  return { do: "note-recovery", recovery: { ...recovery, phase: "Refused", reason } };
}

/** A pod that goes on alone would remove the others at a restart. It is replaced before others join. */
function finishRecovery(seen: Observation, recovery: RecordedRecovery): Action {
  const { member = "" } = recovery;
  const pod = seen.pods.find((one) => one.member === member);
  if (pod !== undefined && pod.boot !== "live" && pod.state !== "stopping") {
    return { do: "delete-pod", member, why: "it is one of many again" };
  }
  if (!seen.volumes.some((one) => one.member === member)) return refuseLoss(seen, member);
  if (pod === undefined) return { do: "create-pod", member, boot: "live", version: versionFor(viewOf(seen), member) };
  if (pod.boot !== "live" || !isOnlyMember(seen, member))
    return reportFailure(seen, pod) ?? { do: "wait", for: `${member} to serve as one of many` };
  return { do: "note-recovery", recovery: { ...recovery, phase: "Done", reason: `${member} serves; others may join` } };
}

/** The member has served alone: the data of the others is older than what clients may have read. */
function refuseLoss({ application }: Observation, member: string): Action {
  const why = `the volume of ${member}, which went on alone, is gone: ask for a backup with ${withArticle(application.kinds.restore)} that says overwrite`;
  return { do: "refuse", reason: "QuorumLost", why };
}

function isOnlyMember({ membership, memberStatuses }: Observation, member: string): boolean {
  if (membership.by !== "quorum" || memberStatuses[member]?.is !== "talking") return false;
  return membership.members.every((one) => one.member === member);
}
