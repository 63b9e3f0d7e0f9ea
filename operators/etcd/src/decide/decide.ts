/** The decision: one step from everything that was seen. Read it from top to bottom; the first rule that fits is taken. */
import type { Action, Decide, RecordedRecovery, Observation, ObservedPod } from "../contract.ts";
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

/** A rule: what it wants to be done, if anything. */
export type Rule = (view: View) => Action | undefined;

/** Rules while the members have quorum, the most urgent first. */
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

/** As long as nobody may be let in or taken away, members are restarted all the same: nothing is lost by it, and it may be the cure. */
function changeSizeOrRoll(view: View): Action | undefined {
  const action = changeSize(view);
  return action?.do === "refuse" ? (rollUpdate(view) ?? action) : action;
}

/** Rules while they have none, or none that we can see. */
const WITHOUT_QUORUM: readonly Rule[] = [
  growVolumes,
  replanUpdate,
  abandonUpdate,
  recreateMembersWithData,
  decideWithoutQuorum,
];

export const decide: Decide = (seen) => {
  const action = firstRule(seen);
  const isBlocked = action.do === "create-pod" && seen.missing.length > 0;
  if (isBlocked) return { do: "wait", for: seen.missing.join(", ") };
  if (action.do === "create-pod" && needsLastGoodTemplate(seen, action)) return { ...action, form: "last good" };
  return action.do === "note-recovery" && isRestoreUnacknowledged(seen)
    ? { do: "wait", for: "the EtcdRestore to be told" }
    : action;
};

/** Whoever has lived comes back, whatever has become of the spec; for somebody new there is time until it is mended. */
function needsLastGoodTemplate(seen: Observation, { boot, version }: Extract<Action, { do: "create-pod" }>): boolean {
  if (hasTemplateFailed(seen)) return true;
  return (boot === "live" || boot === "survive") && seen.lastGood !== undefined && isTemplateRejected(seen, version);
}

/** A restore that was called off must know before another recovery takes its place in the status, or it would be tried for ever. */
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

/** What is not ours to touch. */
function refuseToManage({ name, desired, foreign }: Observation): Action | undefined {
  if (desired.isPaused) return { do: "refuse", reason: "Paused", why: "spec.paused is set" };
  if (foreign.length > 0) return { do: "refuse", reason: "NameTaken", why: describeForeignObjects(foreign) };
  return refuseName(name);
}

/** A recovery that was begun goes on; one that somebody asks for is begun. */
function recoverIfNeeded(seen: Observation): Action | undefined {
  const { restore, recordedState } = seen;
  const { recovery } = recordedState;
  if (recovery !== undefined && isRecovering(recovery) && !isSuperseded(seen, recovery))
    return decideRecovery(seen, recovery);
  if (restore === undefined || recovery?.restore === restore.uid) return undefined;
  // Everybody has to stop for it: whoever cannot be stopped is waited for, and the others serve meanwhile.
  return seen.pods.some(({ isNodeLost }) => isNodeLost) ? undefined : beginRestore(restore);
}

/** Nobody serves yet what the operator chose by itself, and somebody says what to take instead: it may be stuck. */
function isSuperseded({ restore }: Observation, recovery: RecordedRecovery): boolean {
  return restore !== undefined && recovery.restore === undefined && recovery.phase !== "Rejoining";
}

/** A restore in place is a recovery that somebody asked for. */
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

/** Started anew one by one, members of one authority would find nobody who trusts them. All at once, none is in doubt. */
function refuseTrust(members: readonly string[]): Action {
  const why = `${members.join(", ")} run with certificates of another authority, whom members with the new ones would not trust: put spec.tls.mode back, or let the cluster sleep (size 0) and wake it with the new mode`;
  return { do: "refuse", reason: "TrustRefused", why };
}

/** Whoever speaks for all must be who it should be, and remember the others: who has forgotten them may not stop them from coming back. */
function refuseForeignMembers(view: View): Action | undefined {
  const { membership, recordedState, rejectedMemberList } = view.seen;
  if (rejectedMemberList !== undefined)
    return recreateMembersWithData(view) ?? { do: "refuse", reason: "DataDiffers", why: rejectedMemberList };
  if (membership.by !== "quorum" || membership.clusterId === recordedState.clusterId) return undefined;
  const why = `the members serve the cluster ${membership.clusterId}, which is not the one that this operator made: their volumes were exchanged`;
  return { do: "refuse", reason: "DataDiffers", why };
}

/** What it has goes with its pod: its volume does, or is gone under a process that runs. One that never ran has nothing. */
function isVolumeStopping(
  { volumes, memberStatuses }: Observation,
  { member, state, isContainerDown: isDown }: ObservedPod,
): boolean {
  const volume = volumes.find((one) => one.member === member);
  if (volume !== undefined && volume.state !== "lost") return volume.state === "stopping";
  return memberStatuses[member]?.is === "talking" || (state === "running" && !isDown);
}

/** Whoever sleeps keeps its data, or does not sleep. */
function refuseHibernation(members: readonly string[]): Action {
  const names = members.join(", ");
  const why = `the volumes of ${names} are gone or are being deleted, and their data would be gone as soon as their pods end: put spec.size back, and the members are exchanged for others first; or make a backup and delete the EtcdCluster`;
  return { do: "refuse", reason: "VolumesLeaving", why };
}

/** Followers first, so that the last to go is the last to have written. */
function hibernate(seen: Observation): Action {
  const { members } = viewOf(seen);
  const leader = members.find(({ isLeader }) => isLeader)?.name;
  const running = seen.pods.filter(({ state }) => state !== "stopping");
  const leaving = running.filter((pod) => isVolumeStopping(seen, pod)).map(({ member }) => member);
  if (leaving.length > 0) return refuseHibernation(leaving);
  const next = running.find(({ member }) => member !== leader) ?? running[0];
  if (next !== undefined) return { do: "delete-pod", member: next.member, why: "the cluster goes to sleep" };
  return seen.pods.length > 0 ? { do: "wait", for: "the last members to stop" } : { do: "rest" };
}
