/** Writes the observation and the action to the status: fields, conditions, members, advice. */
import type { Action } from "../contract.ts";
import {
  compareVersions,
  hasTemplateFailed,
  isTemplateRejected,
  isRecovering,
  quorumOf,
  serialOf,
  targetVersion,
  viewOf,
} from "../decide/index.ts";
import type { Member, View } from "../decide/index.ts";
import { EtcdBackup } from "../kinds/index.ts";
import type { ClusterStatus, ClusterObservation } from "../observe/index.ts";
import { CLUSTER_LABEL, serviceUrl } from "../pods/index.ts";
import { formatTimestamp } from "../timestamp.ts";
import { adviceFor } from "./advice.ts";
import { lockoutOf } from "./auth-lockout.ts";
import { rejectedReason } from "./rejected-step.ts";
import type { ActionContext } from "./reconcile-context.ts";

export function report(context: ActionContext): void {
  const { seen, status, action } = context;
  const view = viewOf(seen);
  reportFields(context, view);
  reportIdentity(context);
  reportRecordedState(context);
  const isAvailable = view.hasQuorum;
  status.condition("Available", isAvailable || isServingUnobserved(view), availability(view));
  status.condition("Progressing", isProgress(action), { reason: reasonOf(action), message: describe(action) });
  const failure = lockoutOf(seen) ?? failureOf(view, action);
  recordFailureEvents(context, failure);
  status.condition("Degraded", failure !== undefined, {
    reason: failure?.reason ?? "AllWell",
    message: failure?.message ?? "",
  });
  const isLost =
    seen.recordedState.clusterId !== undefined && seen.desired.size > 0 && !isAvailable && !isServingUnobserved(view);
  status.condition("QuorumLost", isLost, {
    reason: isLost ? "TooFewMembers" : "QuorumHeld",
    message: isLost ? describe(action) : "",
  });
  const { update } = seen.recordedState;
  const isUpgrading = update !== undefined && update.failed === undefined;
  status.condition("Upgrading", isUpgrading, upgradeDetails(update));
  reportBackup(context);
  status.condition("TLSReady", seen.tls.state.ready, {
    reason: seen.tls.state.reason,
    message: seen.tls.state.message,
  });
}

/** A failure that no step has reported becomes an event when it begins and when it ends. */
function recordFailureEvents({ seen, action, event }: ActionContext, failure: Failure | undefined): void {
  const former = seen.object.status?.conditions?.find(({ type }) => type === "Degraded");
  const before = former?.status === "True" ? former.reason : undefined;
  if (failure === undefined) {
    // A rejection ends when its step succeeds.
    if (before !== undefined && before !== rejectedReason) event("Normal", "Mended", `over: ${former?.message}`);
    return;
  }
  const isTold = action.do === "refuse" || reportedBySteps.has(failure.reason);
  if (!isTold && failure.reason !== before) event("Warning", failure.reason, failure.message);
}

/** Failures for which the step itself records the event. */
const reportedBySteps: ReadonlySet<string> = new Set(["UpdateFailed", "FormFailed", "VolumeRefused"]);

/** Copies the status of the EtcdBackup with the name of the cluster. */
function reportBackup({ get, seen, status }: ActionContext): void {
  const policy = seen.object.spec.backup;
  const backup = policy === undefined ? undefined : get(EtcdBackup, seen.name);
  const ready = backup?.status?.conditions?.find(({ type }) => type === "Ready");
  const reason = policy === undefined ? "NoPolicy" : (ready?.reason ?? "NotYet");
  const message =
    policy === undefined
      ? "spec.backup is not set: there are no backups by schedule"
      : (ready?.message ?? "the schedule of spec.backup has made no backup yet");
  status.condition("BackupReady", ready?.status === "True", { reason, message });
  const last = backup?.status?.last;
  status.backup = last && { ...last };
}

/** Identity and origin of the cluster. Recorded once; a recovery from a backup changes the cluster id. */
function reportIdentity({ seen, status }: ActionContext): void {
  const { recordedState, report, object, pods } = seen;
  const isRenamed = recordedState.recovery?.source === "Backup" && isRecovering(recordedState.recovery);
  const identity = report.quorum?.clusterId;
  if (identity !== undefined && (recordedState.clusterId === undefined || isRenamed)) status.clusterId = identity;
  const isBorn = recordedState.recovery === undefined && object.spec.bootstrap !== undefined;
  const source = isBorn ? pods.find(({ restoredBackup }) => restoredBackup !== undefined)?.restoredBackup : undefined;
  status.bornFrom ??= source;
  // Users in the first data belong to the operator. In a cluster that existed before this field, users may have been created by hand.
  if (source !== undefined && recordedState.clusterId === undefined) status.auth ??= { cluster: "", inUse: true };
}

function reportFields({ seen, status }: ActionContext, view: View): void {
  const { recordedState, report, template } = seen;
  const running = view.members.flatMap(({ talk }) => (talk === undefined ? [] : [talk.version]));
  const oldest = running.toSorted(compareVersions)[0];
  status.size = view.members.length;
  status.ready = view.members.filter(({ isWell, pod }) => isWell && pod?.isReady === true).length;
  status.selector = `${CLUSTER_LABEL}=${seen.name}`;
  if (oldest !== undefined) status.version = oldest;
  if (report.clusterVersion !== undefined) status.clusterVersion = report.clusterVersion;
  status.serial = Math.max(
    recordedState.serial,
    ...[...seen.pods, ...seen.volumes].map(({ member }) => serialOf(member)),
    ...view.members.map(({ name }) => serialOf(name)),
  );
  status.endpoints = [serviceUrl(template.place)];
  if (seen.tls.clientSecret !== undefined) status.clientSecret = seen.tls.clientSecret;
  const leader = view.members.find(({ isLeader }) => isLeader)?.name;
  status.leader = leader;
  const former = new Map((seen.object.status?.members ?? []).map((member) => [member.name, member]));
  const leaderIndex = view.members.find(({ isLeader }) => isLeader)?.talk?.raftIndex;
  status.members = view.members.map((member) =>
    memberStatus(member, { former: former.get(member.name), leaderIndex, now: seen.now }),
  );
  status.advice = adviceFor(view, seen.object.spec);
}

/** State that the next observation needs. */
function reportRecordedState({ seen, status }: ActionContext): void {
  const version = targetVersion(viewOf(seen));
  if (status.formRefused?.print !== seen.desired.templateHashFor(version)) status.formRefused = undefined;
  if (status.formFailed?.form !== seen.desired.templateDigest) status.formFailed = undefined;
  const { stopwatch } = seen;
  const { remains } = seen;
  const { comparison, uncompared, missed } = seen.compared;
  const watched = stopwatch.running.map(({ what, since, seen = 0 }) => ({
    what,
    since: formatTimestamp(since),
    ...(seen < 1_000 ? {} : { seen: Math.floor(seen / 1_000) }),
  }));
  status.watched = watched.length === 0 ? undefined : watched;
  status.comparison = comparison && comparisonStatus(comparison);
  status.uncompared = uncompared && {
    at: formatTimestamp(uncompared.at),
    reasons: [...uncompared.reasons],
    members: [...uncompared.members],
    ...(uncompared.unlike && { unlike: [...uncompared.unlike] }),
  };
  status.missed = missed && { at: formatTimestamp(missed.at), members: [...missed.members] };
  status.survivors = remains && {
    at: formatTimestamp(remains.at),
    of: remains.of,
    differing: [...remains.differing],
    unhashed: [...remains.withoutHash],
  };
}

type Comparison = NonNullable<ClusterObservation["compared"]["comparison"]>;

function comparisonStatus({ at, differing, answered = [], accused, agreeing = [], of, since }: Comparison) {
  return {
    at: formatTimestamp(at),
    differing: [...differing],
    answered: [...answered],
    ...(accused && { accused: [...accused], agreeing: [...agreeing] }),
    ...(of !== undefined && { of }),
    ...(since !== undefined && { since: formatTimestamp(since) }),
  };
}

type MemberStatus = NonNullable<ClusterStatus["members"]>[number];

interface MemberStatusContext {
  readonly former: MemberStatus | undefined;
  readonly leaderIndex: number | undefined;
  readonly now: number;
}

function memberStatus(member: Member, { former, leaderIndex, now }: MemberStatusContext): MemberStatus {
  const { name, id, pod, talk } = member;
  const health = healthOf(member);
  const version = talk?.version ?? former?.version;
  const podVersion = pod?.version ?? former?.podVersion;
  const since = former?.health === health ? former.since : undefined;
  return {
    name,
    id,
    role: roleOf(member),
    health,
    since: since ?? formatTimestamp(now),
    ...(version === undefined ? {} : { version }),
    ...(podVersion === undefined ? {} : { podVersion }),
    ...(pod?.node === undefined ? {} : { node: pod.node }),
    // Values that change with every write are rounded, so that the status is not written all the time.
    ...(talk === undefined
      ? {}
      : {
          lag: lagOf(talk.applied, leaderIndex),
          dbBytes: rounded(talk.dbBytes),
          dbBytesInUse: rounded(talk.dbBytesInUse),
        }),
  };
}

function roleOf({ isStarted, isVoter, isLeader }: Member): MemberStatus["role"] {
  if (!isStarted) return "Joining";
  if (!isVoter) return "Learner";
  return isLeader ? "Leader" : "Follower";
}

function healthOf({ isWell, isCorrupt, ruin, pod, talk, isStarted }: Member): MemberStatus["health"] {
  if (isCorrupt) return "Corrupt";
  if (ruin !== undefined) return talk === undefined ? "Down" : "Foreign";
  if (isWell) return "Healthy";
  if (pod === undefined || pod.isContainerDown) return pod !== undefined && pod.restarts === 0 ? "Starting" : "Down";
  return pod.isReady || !isStarted ? "Starting" : "Unreachable";
}

/** A lag of a few entries counts as none. */
function lagOf(applied: number, leaderIndex: number | undefined): number {
  const lag = Math.max(0, (leaderIndex ?? applied) - applied);
  return lag < 1_000 ? 0 : Math.round(lag / 1_000) * 1_000;
}

function rounded(bytes: number): number {
  return Math.ceil(bytes / MEBIBYTE) * MEBIBYTE;
}

const MEBIBYTE = 2 ** 20;

/** The kubelets report a quorum of ready members: the cluster serves, but the operator cannot reach it. */
function isServingUnobserved({ voters }: View): boolean {
  return voters.length > 0 && voters.filter(({ pod }) => pod?.isReady === true).length >= quorumOf(voters.length);
}

function availability(view: View) {
  const { seen, voters, wellVoters, hasQuorum } = view;
  const isAsleep = seen.desired.size === 0 && seen.pods.length === 0;
  if (isAsleep) return { reason: "Asleep", message: `spec.size is 0; ${holdReason(view)}` };
  const goes = seen.desired.size === 0 ? "; spec.size is 0, and not all sleep yet" : "";
  const message = `${wellVoters.length} of ${voters.length} voting members are well${goes}`;
  if (hasQuorum) return { reason: "QuorumHeld", message };
  const isRefused = Object.values(seen.memberStatuses).some((answer) => answer.is === "silent" && answer.isLockedOut);
  const why = isRefused ? "they refuse the operator" : "the operator cannot reach them";
  return isServingUnobserved(view)
    ? { reason: "OutOfReach", message: `the members serve, but ${why}` }
    : { reason: voters.length === 0 ? "NotYetBorn" : "NoQuorum", message };
}

/** Which data is kept while the cluster is hibernated. */
function holdReason({ voters }: View): string {
  const isKept = ({ volume }: Member): boolean => volume?.state === "bound" || volume?.state === "pending";
  const lost = voters.filter((voter) => !isKept(voter)).map(({ name }) => name);
  return lost.length === 0
    ? "the data is kept"
    : `the data is kept but for that of ${lost.join(", ")}, whose volumes are gone`;
}

function isProgress(action: Action): boolean {
  return action.do !== "rest" && action.do !== "refuse";
}

function reasonOf(action: Action): string {
  const words = action.do.split("-").map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`);
  return action.do === "refuse" ? action.reason : words.join("");
}

/** An action as a sentence. */
export function describe(action: Action): string {
  switch (action.do) {
    case "rest":
      return "all is as it should be";
    case "wait":
      return `waiting for ${action.for}`;
    case "refuse":
      return action.why;
    case "note-update":
      return action.note;
    case "note-form":
      return action.why;
    case "note-recovery":
      return action.recovery.reason;
    case "advance-log":
      return `letting the log grow to ${action.upTo}, past what the next version cannot read`;
    case "take-snapshot":
      return `making a backup ${action.why}`;
    case "wean":
      return `${action.member} has begun: what it was told for its beginning is taken back`;
    case "excuse":
      return `${action.member} may start without comparing its data with that of the others: ${action.why}`;
    case "disarm":
      return `disarming the alarm of ${action.id}`;
    case "move-leader":
      return `${action.to} is to lead instead of ${action.from}: ${action.why}`;
    default:
      return `${action.do.replaceAll("-", " ")} of ${action.member}${"why" in action ? `: ${action.why}` : ""}`;
  }
}

interface Failure {
  readonly reason: string;
  readonly message: string;
}

function failureOf(view: View, action: Action): Failure | undefined {
  const { seen, members } = view;
  if (action.do === "refuse" && action.reason !== "Paused") return { reason: action.reason, message: action.why };
  const { update } = seen.recordedState;
  if (update?.failed !== undefined) return { reason: "UpdateFailed", message: update.failed };
  const { templateRejected: formRefused, templateFailed: formFailed } = seen.recordedState;
  if (formFailed !== undefined && hasTemplateFailed(seen)) return { reason: "FormFailed", message: formFailed.why };
  if (formRefused !== undefined && isTemplateRejected(seen, targetVersion(view)))
    return { reason: rejectedReason, message: formRefused.why };
  const troubled = seen.pods.find(({ startFailure: failure }) => failure !== undefined);
  if (troubled !== undefined)
    return { reason: "MemberTrouble", message: `${troubled.member}: ${troubled.startFailure}` };
  const { growthRejected: growthRefused } = seen.recordedState;
  if (growthRefused !== undefined && isAnySmall(seen))
    return { reason: "VolumeRefused", message: `volumes cannot grow: ${growthRefused.why}` };
  const ill = members.filter(({ isWell, isStarted }) => isStarted && !isWell).map(({ name }) => name);
  if (ill.length > 0 && seen.desired.size > 0) return { reason: "MemberIll", message: `${ill.join(", ")} not well` };
  const full = members.find(({ talk }) => talk?.isFull === true);
  return full && { reason: "QuotaUsedUp", message: `the database of ${full.name} is full: writes are refused` };
}

function isAnySmall({ volumes, desired }: View["seen"]): boolean {
  return volumes.some(({ requested }) => requested < desired.volumeBytes);
}

function upgradeDetails(update: View["seen"]["recordedState"]["update"]) {
  if (update === undefined) return { reason: "NoUpdate", message: "" };
  const { from, to, member, failed, snapshot } = update;
  if (failed !== undefined) return { reason: "RolledBack", message: failed };
  const context = member === undefined ? "" : `, now ${member}`;
  const secured = snapshot === undefined ? "no backup was made before" : `the backup before is ${snapshot}`;
  return { reason: "Updating", message: `from ${from} to ${to}${context}; ${secured}` };
}
