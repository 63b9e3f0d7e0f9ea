/** One step from the whole observation. Rules are tried from top to bottom; the first one that returns an action wins. */
import type { Action, Decide, RecordedRecovery, Observation, ObservedPod } from "./contract.ts";
import { bootstrapCluster } from "./bootstrap.ts";
import { recreateMembersWithData, decideWithoutQuorum } from "./quorum-loss.ts";
import {
  changeSize,
  removeLeftovers,
  disarmAlarms,
  growVolumes,
  promoteLearner,
  removeLostMembers,
  startPods,
  waitForUnhealthy,
  clearBootstrapFlags,
  clearSeedFlags,
} from "./members.ts";
import { abandonTemplate, rollBackTemplate } from "./template-rollback.ts";
import { refuseName } from "./name.ts";
import { decideRecovery, isRecovering } from "./recovery.ts";
import { hasTemplateFailed, isTemplateRejected } from "./target-version.ts";
import { advanceLog, abandonUpdate, replanUpdate, rollUpdate } from "./update.ts";
import { viewOf } from "./view.ts";
import { applyOverride } from "./override.ts";
import type { View } from "./view.ts";

/** A rule returns an action if it applies. */
export type Rule = (view: View) => Action | undefined;

/** Rules for a cluster with quorum, the most urgent first. */
const WITH_QUORUM: readonly Rule[] = [
  clearBootstrapFlags,
  disarmAlarms,
  removeLeftovers,
  growVolumes,
  replanUpdate,
  abandonUpdate,
  clearSeedFlags,
  startPods,
  rollBackTemplate,
  removeLostMembers,
  applyOverride,
  promoteLearner,
  waitForUnhealthy,
  advanceLog,
  changeSizeOrRoll,
  rollUpdate,
];

/** While no member may be added or removed, members are restarted all the same: that loses no data and may fix the cause. */
function changeSizeOrRoll(view: View): Action | undefined {
  const action = changeSize(view);
  return action?.do === "refuse" ? (rollUpdate(view) ?? action) : action;
}

/** Rules for a cluster without quorum, or without one that the operator can observe. */
const WITHOUT_QUORUM: readonly Rule[] = [
  growVolumes,
  replanUpdate,
  abandonUpdate,
  recreateMembersWithData,
  decideWithoutQuorum,
];

/**
 * The decision: one step from the whole observation.
 *
 * @example
 * const isDone = (seen: QuorumObservation) => decideQuorum(seen).do === "rest";
 */
export const decide: Decide = (seen) => {
  const action = firstRule(seen);
  const isBlocked = action.do === "create-pod" && seen.missing.length > 0;
  if (isBlocked) return { do: "wait", for: seen.missing.join(", ") };
  if (action.do === "create-pod" && needsLastGoodTemplate(seen, action)) return { ...action, form: "last good" };
  return action.do === "note-recovery" && isRestoreUnacknowledged(seen)
    ? { do: "wait", for: `the ${seen.application.kinds.restore} to be told` }
    : action;
};

/** Existing members are recreated with the last good template if the desired one was rejected. New members wait until the spec is fixed. */
function needsLastGoodTemplate(seen: Observation, { boot, version }: Extract<Action, { do: "create-pod" }>): boolean {
  if (hasTemplateFailed(seen)) return true;
  return (boot === "live" || boot === "survive") && seen.lastGood !== undefined && isTemplateRejected(seen, version);
}

/** A cancelled restore must see the cancellation before another recovery replaces it in the status, or it would be retried forever. */
function isRestoreUnacknowledged({ restore, recordedState: { recovery } }: Observation): boolean {
  return restore !== undefined && recovery?.phase === "Refused" && recovery.restore === restore.uid;
}

function firstRule(seen: Observation): Action {
  const urgent = refuseToManage(seen) ?? abandonTemplate(viewOf(seen)) ?? recoverIfNeeded(seen);
  if (urgent !== undefined) return urgent;
  if (seen.desired.size === 0) return hibernate(seen);
  if (seen.otherAuthority.length > 0) return refuseTrust(seen.otherAuthority);
  if (seen.recordedState.clusterId === undefined) return bootstrapCluster(seen);
  const view = viewOf(seen);
  const stranger = refuseForeignMembers(view);
  if (stranger !== undefined) return stranger;
  for (const rule of view.hasQuorum ? WITH_QUORUM : WITHOUT_QUORUM) {
    const action = rule(view);
    if (action !== undefined) return action;
  }
  return { do: "rest" };
}

/** Objects that this operator must not manage. */
function refuseToManage({ name, desired, foreign }: Observation): Action | undefined {
  if (desired.isPaused) return { do: "refuse", reason: "Paused", why: "spec.paused is set" };
  if (foreign.length > 0) return { do: "refuse", reason: "NameTaken", why: describeForeignObjects(foreign) };
  return refuseName(name);
}

/** Continues a recovery in progress, or begins one that was requested. */
function recoverIfNeeded(seen: Observation): Action | undefined {
  const { restore, recordedState } = seen;
  const { recovery } = recordedState;
  if (recovery !== undefined && isRecovering(recovery) && !isSuperseded(seen, recovery))
    return decideRecovery(seen, recovery);
  if (restore === undefined || recovery?.restore === restore.uid) return undefined;
  // All members have to stop for a restore. While a pod on a lost node cannot be stopped, the restore waits and the others serve.
  return seen.pods.some(({ isNodeLost }) => isNodeLost) ? undefined : beginRestore(restore);
}

/** A requested restore replaces an automatic recovery that does not serve yet, because that may be stuck. */
function isSuperseded({ restore }: Observation, recovery: RecordedRecovery): boolean {
  return restore !== undefined && recovery.restore === undefined && recovery.phase !== "Rejoining";
}

/** A restore in place is a recovery requested by the user. */
function beginRestore({ uid, name }: NonNullable<Observation["restore"]>): Action {
  const reason = `${name} asks for a backup in the place of all data`;
  const recovery = {
    phase: "Stopping",
    source: "Backup",
    restore: uid,
    mayBeLost: "everything written since the backup",
    reason,
  } as const;
  return { do: "note-recovery", recovery };
}

function describeForeignObjects(foreign: readonly string[]): string {
  return `${foreign.join(", ")} exist and belong to somebody else: rename the cluster or remove them`;
}

/** In a rolling update, members with a new authority would not be trusted by the others. The change needs all members to stop. */
function refuseTrust(members: readonly string[]): Action {
  const why = `${members.join(", ")} run with certificates of another authority, whom members with the new ones would not trust: put spec.tls.mode back, or let the cluster sleep (size 0) and wake it with the new mode`;
  return { do: "refuse", reason: "TrustRefused", why };
}

/**
 * The member list must be of this cluster and contain the known members. A member that reports an impossible list must not stop the
 * others from being recreated.
 */
function refuseForeignMembers(view: View): Action | undefined {
  const { membership, recordedState, rejectedMemberList } = view.seen;
  if (rejectedMemberList !== undefined)
    return recreateMembersWithData(view) ?? { do: "refuse", reason: "DataDiffers", why: rejectedMemberList };
  if (membership.by !== "quorum" || membership.clusterId === recordedState.clusterId) return undefined;
  const why = `the members serve the cluster ${membership.clusterId}, which is not the one that this operator made: their volumes were exchanged`;
  return { do: "refuse", reason: "DataDiffers", why };
}

/**
 * The data of the member would be lost with its pod: its volume is being deleted, or is gone under a running process. A member that never
 * ran has no data.
 */
function isVolumeStopping(
  { volumes, memberStatuses }: Observation,
  { member, state, isContainerDown: isDown }: ObservedPod,
): boolean {
  const volume = volumes.find((one) => one.member === member);
  if (volume !== undefined && volume.state !== "lost") return volume.state === "stopping";
  return memberStatuses[member]?.is === "talking" || (state === "running" && !isDown);
}

/** Refuses to hibernate a cluster if that would lose data. */
function refuseHibernation({ application }: Observation, members: readonly string[]): Action {
  const names = members.join(", ");
  const why = `the volumes of ${names} are gone or are being deleted, and their data would be gone as soon as their pods end: put spec.size back, and the members are exchanged for others first; or make a backup and delete the ${application.kinds.cluster}`;
  return { do: "refuse", reason: "VolumesLeaving", why };
}

/** Stops followers first, so that the leader stops last with all writes. */
function hibernate(seen: Observation): Action {
  const { members } = viewOf(seen);
  const leader = members.find(({ isLeader }) => isLeader)?.name;
  const running = seen.pods.filter(({ state }) => state !== "stopping");
  const leaving = running.filter((pod) => isVolumeStopping(seen, pod)).map(({ member }) => member);
  if (leaving.length > 0) return refuseHibernation(seen, leaving);
  const next = running.find(({ member }) => member !== leader) ?? running[0];
  if (next !== undefined) return { do: "delete-pod", member: next.member, why: "the cluster goes to sleep" };
  return seen.pods.length > 0 ? { do: "wait", for: "the last members to stop" } : { do: "rest" };
}
