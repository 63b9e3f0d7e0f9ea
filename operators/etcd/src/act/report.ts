/** Writes the observation and the action to the status: fields, conditions, members, advice. */
import { failureOf, healthOf, quorumConditions, roleOf } from "capstan/stateful/quorum";
import type { QuorumFailure } from "capstan/stateful/quorum";
import { compareVersions, isRecovering, serialOf, targetVersion, viewOf } from "../decide/index.ts";
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
  const conditions = quorumConditions(view, action);
  const set = (type: keyof typeof conditions): void => {
    const { isTrue, ...details } = conditions[type];
    status.condition(type, isTrue, details);
  };
  set("Available");
  set("Progressing");
  const failure = lockoutOf(seen) ?? failureOf(view, action);
  recordFailureEvents(context, failure);
  status.condition("Degraded", failure !== undefined, {
    reason: failure?.reason ?? "AsExpected",
    message: failure?.message ?? "",
  });
  set("QuorumLost");
  set("Upgrading");
  reportBackup(context);
  status.condition("TLSReady", seen.tls.state.ready, {
    reason: seen.tls.state.reason,
    message: seen.tls.state.message,
  });
}

/** A failure that no step has reported becomes an event when it begins and when it ends. */
function recordFailureEvents({ seen, action, event }: ActionContext, failure: QuorumFailure | undefined): void {
  const former = seen.object.status?.conditions?.find(({ type }) => type === "Degraded");
  const before = former?.status === "True" ? former.reason : undefined;
  if (failure === undefined) {
    // A rejection ends when its step succeeds.
    if (before !== undefined && before !== rejectedReason) event("Normal", "Resolved", `no longer: ${former?.message}`);
    return;
  }
  const isTold = action.do === "refuse" || reportedBySteps.has(failure.reason);
  if (!isTold && failure.reason !== before) event("Warning", failure.reason, failure.message);
}

/** Failures for which the step itself records the event. */
const reportedBySteps: ReadonlySet<string> = new Set(["UpdateFailed", "TemplateFailed", "VolumeRejected"]);

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

/** A lag of a few entries counts as none. */
function lagOf(applied: number, leaderIndex: number | undefined): number {
  const lag = Math.max(0, (leaderIndex ?? applied) - applied);
  return lag < 1_000 ? 0 : Math.round(lag / 1_000) * 1_000;
}

function rounded(bytes: number): number {
  return Math.ceil(bytes / MEBIBYTE) * MEBIBYTE;
}

const MEBIBYTE = 2 ** 20;
