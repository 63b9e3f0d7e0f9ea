/** Membership rules while there is quorum: start, replace, promote, add, remove. */
import type { Action } from "./contract.ts";
import { isTemplateTrial } from "./template-rollback.ts";
import {
  hasTemplateFailed,
  isDrifted,
  isTemplateRejected,
  hasOldTemplate,
  rejectionRetryAfter,
  targetVersion,
  versionFor,
} from "./target-version.ts";
import {
  canStopMember,
  newMemberName,
  hasLostVolume,
  isOnLostNode,
  quorumOf,
  serialOf,
  leaderCandidate,
} from "./view.ts";
import { holdUntilCompared } from "./hold-until-compared.ts";
import { skipInitialCheck } from "./skip-initial-check.ts";
import { overriddenMembers } from "./override.ts";
import type { Member, View } from "./view.ts";

/** Deletes pods and volumes of removed members. */
export function removeLeftovers({ seen, members }: View): Action | undefined {
  const isListed = (name: string): boolean => members.some((member) => member.name === name);
  const pod = seen.pods.find(({ member, state }) => !isListed(member) && state !== "stopping");
  if (pod !== undefined) return { do: "delete-pod", member: pod.member, why: "it is no member any more" };
  const volume = seen.volumes.find(({ member, state }) => !isListed(member) && state !== "stopping");
  return volume && { do: "delete-volume", member: volume.member, why: "it is no member any more" };
}

/** An alarm outlives its member and stops all others. */
export function disarmAlarms({ seen }: View): Action | undefined {
  const [id] = seen.staleAlarms;
  return id === undefined ? undefined : { do: "disarm", id };
}

/**
 * A member that has started must not bootstrap again: neither as a second cluster with the same identity, nor as a voter without its
 * data. A member that skipped the initial check and has good data performs it again from now on.
 */
export function clearBootstrapFlags({ members }: View): Action | undefined {
  const isToldTooMuch = ({ isWell, pod }: Member): boolean =>
    isWell && (pod?.hasBootstrapFlags === true || pod?.initialCheck === "off");
  const member = members.find(isToldTooMuch);
  return member && { do: "wean", member: member.name };
}

/**
 * A first member that was restored from a backup would download it again whenever it is rescheduled. Its pod is recreated without the
 * restore before others join.
 */
export function clearSeedFlags({ members }: View): Action | undefined {
  const [only, ...others] = members;
  const isWeaned = only === undefined || others.length > 0 || !only.isWell || only.pod?.boot !== "seed-backup";
  return isWeaned ? undefined : { do: "delete-pod", member: only.name, why: "it has taken over the backup" };
}

/** Every member has a volume and the right pod. A member that has started never bootstraps again. */
export function startPods(view: View): Action | undefined {
  for (const member of view.members) {
    const action = startPod(view, member);
    if (action !== undefined) return action;
  }
  return undefined;
}

function startPod(view: View, member: Member): Action | undefined {
  const { name, isStarted, isWell, pod, volume, ruin } = member;
  if (ruin !== undefined) return undefined;
  // Its data exists only under the running process: the member is replaced.
  if (isStarted && hasLostVolume({ volume })) return undefined;
  if (volume === undefined) return { do: "create-volume", member: name };
  const boot = isStarted ? "live" : "join";
  const version = versionFor(view, name);
  if (pod === undefined && volume.state === "stopping") return undefined;
  if (pod === undefined) return { do: "create-pod", member: name, boot, version };
  if (pod.state === "stopping") return undefined;
  if (pod.state === "ended") return { do: "delete-pod", member: name, why: "it ended" };
  if (!isStarted && pod.boot !== "join") return { do: "delete-pod", member: name, why: "it has yet to join" };
  return isWell ? undefined : recreatePod(view, member, version);
}

function recreatePod(view: View, member: Member, version: string): Action | undefined {
  const { pod, name } = member;
  const isWrong = pod !== undefined && hasOldTemplate(view.seen, pod, version);
  const why = "it does not serve and another form is wanted";
  if (!isWrong && !isUnreachableWithOldTemplate(view, member, version)) return undefined;
  return { do: "delete-pod", member: name, why, next: version };
}

/** The kubelet reports it ready, but the operator cannot reach it, maybe because of its template. The others have quorum without it. */
function isUnreachableWithOldTemplate(view: View, member: Member, version: string): boolean {
  const { pod, talk } = member;
  if (pod?.isReady !== true || talk !== undefined || isTemplateRejected(view.seen, version)) return false;
  return isDrifted(view, member, version) && canStopMember(view, member, "restart");
}

/** Removes members that can never become healthy again or were away for too long. Later reconciles add others. */
export function removeLostMembers(view: View): Action | undefined {
  const disagreement = refuseDisagreement(view);
  if (disagreement !== undefined) return disagreement;
  const ruined = view.members.filter((member) => lossReason(view, member) !== undefined);
  for (const member of ruined.toSorted((one, other) => removalPriority(one) - removalPriority(other))) {
    const action = removeMember(view, member, lossReason(view, member) ?? "");
    // A member with an override takes precedence over a refusal.
    if (action !== undefined && !(action.do === "refuse" && overriddenMembers(view).length > 0)) return action;
  }
  return undefined;
}

/** Corrupt members are known only if the good ones are a majority. A voter that lost its data and does not respond is not counted. */
function refuseDisagreement(view: View): Action | undefined {
  const { voters, wellVoters } = view;
  const corrupt = voters.filter(({ isCorrupt }) => isCorrupt).map(({ name }) => name);
  const hasLost = voters.some(({ ruin, talk }) => ruin !== undefined && talk === undefined);
  if (corrupt.length === 0 || wellVoters.length >= quorumOf(voters.length - Number(hasLost))) return undefined;
  const witness = skipInitialCheck(voters, "the data of the others differs, and it may tell who is right");
  if (witness !== undefined) return witness;
  return { do: "refuse", reason: "DataDiffers", why: describeDisagreement(view, corrupt) };
}

/** If more than half of all members agree, the corrupt ones are known, but too few good ones serve. */
function describeDisagreement({ voters }: View, corrupt: readonly string[]): string {
  const who = corrupt.join(", ");
  const rest = voters.filter(({ name }) => !corrupt.includes(name));
  const others = rest.filter(({ talk }) => talk !== undefined);
  if (others.length === 0 || rest.length < quorumOf(voters.length))
    return `the data of ${who} differs, and no more than half of the ${voters.length} members agree, so it is unknown which is right: restore a backup, or delete the volumes of those whose data is wrong`;
  const lastGood = others.map(({ name }) => name).join(", ");
  return `${who} has other data than ${lastGood}, and too few of the ${voters.length} members are well for it to be replaced: mend what keeps the others from serving, or restore a backup`;
}

/** Learners first, because they do not count for the quorum; then corrupt members, which may spread bad data; then absent ones. */
function removalPriority({ isVoter, isCorrupt }: Member): number {
  return Number(isVoter) * 2 + Number(!isCorrupt);
}

function lossReason(view: View, member: Member): string | undefined {
  return member.ruin ?? absenceOf(view, member);
}

function absenceOf(view: View, member: Member): string | undefined {
  const { isWell, pod } = member;
  if (isWell || pod === undefined || pod.isReady) return undefined;
  const { now, desired } = view.seen;
  const away = now - pod.since;
  if (isTemplateTrial(view, member, pod) && away < trialCrashLimit * desired.replaceAfter) return undefined;
  return away >= desired.replaceAfter ? `it has been away since ${new Date(pod.since).toISOString()}` : undefined;
}

/** Factor for the first member with a new template: the user may still fix the spec. */
const trialCrashLimit = 12;

/** Removes a member if the others have quorum without it. A leader transfers leadership first. */
function removeMember(view: View, member: Member, why: string): Action | undefined {
  if (!canStopMember(view, member, "remove")) return undefined;
  // A corrupt member is known by comparison. Any other member may have the right data.
  const hold = member.isVoter && !member.isCorrupt ? holdUntilCompared(view) : undefined;
  if (hold !== undefined) return hold;
  const successor = member.isLeader ? leaderCandidate(view, member) : undefined;
  if (successor !== undefined) return { do: "move-leader", from: member.name, to: successor.name, why };
  return { do: "remove-member", member: member.name, id: member.id, why };
}

/** Promotes a learner that has caught up, and removes one that is not needed. */
export function promoteLearner(view: View): Action | undefined {
  const [learner] = view.learners;
  if (learner === undefined) return undefined;
  if (view.voters.length >= targetSize(view)) return removeMember(view, learner, "it is not needed any more");
  if (!learner.isWell) return { do: "wait", for: `${learner.name} to join` };
  if (!hasCaughtUp(view, learner)) return { do: "wait", for: `${learner.name} to catch up` };
  // The learner has the data of the members that were present when it joined.
  const hold = overriddenMembers(view).length > 0 ? undefined : holdUntilCompared(view);
  return hold ?? { do: "promote", member: learner.name, id: learner.id };
}

function hasCaughtUp({ members }: View, learner: Member): boolean {
  const leader = members.find(({ isLeader }) => isLeader)?.talk;
  return leader !== undefined && (learner.talk?.applied ?? 0) >= leader.raftIndex * 0.9;
}

/** Nothing else begins while a member is unhealthy. */
export function waitForUnhealthy(view: View): Action | undefined {
  const ill = view.members.find(({ isWell, pod }) => !isWell || pod?.isReady !== true);
  if (ill === undefined) return undefined;
  const isOfNoUse = !ill.isWell || hasTemplateFailed(view.seen);
  const isSpare = view.voters.length > view.seen.desired.size && ill.isVoter && isOfNoUse;
  const removal = isSpare ? removeMember(view, ill, "the cluster is to be smaller, and it is ill") : undefined;
  return removal ?? { do: "wait", for: `${ill.name} to be well` };
}

/** Expands volumes even if members are unhealthy, because a full volume may be the cause. After a rejection, the other rules continue. */
export function growVolumes({ seen }: View): Action | undefined {
  const { growthRejected: growthRefused } = seen.recordedState;
  if (growthRefused !== undefined && seen.now - growthRefused.at < rejectionRetryAfter) return undefined;
  const small = seen.volumes.find(({ state, requested }) => state === "bound" && requested < seen.desired.volumeBytes);
  return small && { do: "grow-volume", member: small.member };
}

/** Adds or removes one member. */
export function changeSize(view: View): Action | undefined {
  const { voters } = view;
  const room = targetSize(view);
  if (voters.length < room) return holdUntilCompared(view) ?? { do: "add-learner", member: newMemberName(view) };
  if (voters.length <= view.seen.desired.size) return undefined;
  const [victim] = voters.toSorted((one, other) => scaleDownPriority(view, other) - scaleDownPriority(view, one));
  return victim && removeMember(view, victim, "the cluster is to be smaller");
}

/** Desired number of voters: one more while members are replaced that cannot be stopped safely. */
function targetSize(view: View): number {
  const { seen, voters } = view;
  const { size } = seen.desired;
  const exchanged = voters.filter((voter) => mustBeReplaced(view, voter));
  return exchanged.length > 0 && voters.length <= size + 1 ? size + 1 : size;
}

/** A member is replaced if an operation requests it, if its volume is gone or being deleted, or if it cannot be restarted safely. */
function mustBeReplaced(view: View, member: Member): boolean {
  if (view.seen.desired.replace.includes(member.name) || isOnLostNode(member)) return true;
  return isSmall(view) && isDrifted(view, member, targetVersion(view));
}

/** One or two voters keep no quorum while one restarts. */
function isSmall({ seen }: View): boolean {
  return seen.desired.size <= 2;
}

/** Order of removal: members to be replaced, then the newest ones; the leader last. */
function scaleDownPriority(view: View, member: Member): number {
  const exchange = mustBeReplaced(view, member) ? 10_000_000 : 0;
  return exchange + (member.isLeader ? 0 : 1_000_000) + serialOf(member.name);
}
