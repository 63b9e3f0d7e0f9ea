/** What the members themselves say: who they are, who is in, and whether their data agrees. */
import type { Answer, Listed, Membership } from "../contract.ts";
import type { Alarm, EndpointStatus, Member, Membership as EtcdMembership } from "../etcd/index.ts";
import { EtcdError } from "../etcd/index.ts";
import { memberOfUrl } from "../pods/index.ts";
import type { Reach } from "./reach.ts";

/** Everything that the members said. */
export interface Hearing {
  readonly answers: { readonly [member: string]: Answer };
  /** Undefined when nobody could answer for all. */
  readonly quorum: Extract<Membership, { by: "quorum" }> | undefined;
  /** Somebody answered for all, and nobody in a way that can be believed: why. */
  readonly disbelief: string | undefined;
  readonly alarms: readonly Alarm[];
  readonly clusterVersion: string | undefined;
}

type Silence = Extract<Answer, { is: "silent" }>;

type Statuses = ReadonlyMap<string, EndpointStatus | Silence>;

/** What an answer must fit to count. */
export interface Belief {
  /** The identity that the cluster must have, if it has one. */
  readonly expected: string | undefined;
  /** Why a list of members cannot be true, if it cannot. */
  readonly doubt: (members: readonly Listed[]) => string | undefined;
}

/** Asks everybody at once. */
export async function hear(reach: Reach, { expected, doubt }: Belief): Promise<Hearing> {
  const statuses = new Map(
    await Promise.all(reach.members.map(async (member) => [member, await statusOf(reach, member)] as const)),
  );
  const speakers = [...statuses].filter(([, status]) => isSpeaker(status, expected)).map(([member]) => member);
  const { listed, disbelief } = await listBy(reach, speakers, doubt);
  const spokesman = listed?.member;
  const alarms = spokesman === undefined ? [] : ((await settled(reach.to(spokesman)?.maintenance.alarms())) ?? []);
  const versions = spokesman === undefined ? undefined : await settled(reach.to(spokesman)?.maintenance.versions());
  const cluster = versions?.cluster;
  return {
    answers: answersOf(statuses, alarms),
    quorum: listed?.list,
    disbelief,
    alarms,
    clusterVersion: cluster !== undefined && /^\d+\.\d+\.\d+$/u.test(cluster) ? cluster : undefined,
  };
}

async function statusOf(reach: Reach, member: string): Promise<EndpointStatus | Silence> {
  try {
    return (await reach.to(member)?.maintenance.status()) ?? { is: "silent", why: "it has no address" };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const isRefused = error instanceof EtcdError && (error.code === "Unauthenticated" || error.code === "Denied");
    return { is: "silent", why, ...(isRefused && { isLockedOut: true }) };
  }
}

/** Who may answer for all: not a learner, knows a leader, and is of the right cluster. */
function isSpeaker(status: EndpointStatus | Silence, expected: string | undefined): boolean {
  if ("is" in status || status.isLearner || status.leader === undefined) return false;
  return expected === undefined || status.clusterId === expected;
}

interface Heard {
  readonly member: string;
  readonly list: Extract<Membership, { by: "quorum" }>;
}

/** One after the other until one is to be believed: a linearizable list needs a quorum, so one answer is as good as all. */
async function listBy(
  reach: Reach,
  speakers: readonly string[],
  doubt: Belief["doubt"],
): Promise<{ readonly listed?: Heard; readonly disbelief: string | undefined }> {
  let disbelief: string | undefined;
  for (const member of speakers) {
    const answer = await settled(reach.to(member)?.members.list());
    if (answer === undefined) continue;
    const list = membershipOf(answer);
    const why = doubt(list.members);
    if (why === undefined) return { listed: { member, list }, disbelief: undefined };
    disbelief ??= why;
  }
  return { disbelief };
}

/** A question that may fail: no answer is an answer. */
async function settled<T>(question: Promise<T> | undefined): Promise<T | undefined> {
  try {
    return await question;
  } catch {
    return undefined;
  }
}

function membershipOf({ clusterId, members }: EtcdMembership): Extract<Membership, { by: "quorum" }> {
  return { by: "quorum", clusterId, members: members.map(toListed) };
}

/** A member as the contract knows it. */
export function toListed({ id, name, peerURLs, isLearner }: Member): Listed {
  return { member: memberOfUrl(peerURLs[0] ?? ""), id, isStarted: name !== "", isLearner };
}

function answersOf(statuses: Statuses, alarms: readonly Alarm[]): { readonly [member: string]: Answer } {
  const answers: { [member: string]: Answer } = {};
  for (const [member, status] of statuses) {
    answers[member] = "is" in status ? status : talkOf(status, alarms);
  }
  return answers;
}

function talkOf(status: EndpointStatus, alarms: readonly Alarm[]): Answer {
  const { memberId, clusterId, version, isLearner, leader, revision, raftIndex, raftTerm } = status;
  const has = (kind: Alarm["kind"]): boolean =>
    alarms.some((alarm) => alarm.kind === kind && alarm.memberId === memberId);
  return {
    is: "talking",
    id: memberId,
    clusterId,
    version,
    isLearner,
    ...(leader === undefined ? {} : { leader }),
    revision,
    raftIndex,
    raftTerm,
    applied: status.raftAppliedIndex,
    dbBytes: status.dbSize,
    dbBytesInUse: status.dbSizeInUse,
    ...(status.dbSizeQuota === undefined ? {} : { quota: status.dbSizeQuota }),
    isCorrupt: has("Corrupt"),
    isFull: has("NoSpace"),
  };
}
