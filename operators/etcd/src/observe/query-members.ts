/** Queries the members: their status, the member list, and alarms. */
import type { MemberStatus, ListedMember, Membership } from "../contract.ts";
import type { MemberReports } from "capstan/stateful/quorum";
import type { Alarm, EndpointStatus, Member, Membership as EtcdMembership } from "../etcd/index.ts";
import { EtcdError } from "../etcd/index.ts";
import { memberOfUrl } from "../pods/index.ts";
import type { MemberClients } from "./member-clients.ts";

/** All responses of the members. */
export interface MemberReport extends MemberReports {
  /** Why all returned lists were rejected. */
  readonly disbelief: string | undefined;
  readonly alarms: readonly Alarm[];
  readonly clusterVersion: string | undefined;
}

type Unreachable = Extract<MemberStatus, { is: "silent" }>;

type Statuses = ReadonlyMap<string, EndpointStatus | Unreachable>;

/** Requirements of an accepted list. */
export interface MemberListCheck {
  /** The expected cluster id, if recorded. */
  readonly expected: string | undefined;
  /** Why a member list is not plausible; undefined if it is. */
  readonly doubt: (members: readonly ListedMember[]) => string | undefined;
}

/** Queries all members concurrently. */
export async function queryMembers(
  clients: MemberClients,
  { expected, doubt }: MemberListCheck,
): Promise<MemberReport> {
  const statuses = new Map(
    await Promise.all(clients.members.map(async (member) => [member, await statusOf(clients, member)] as const)),
  );
  const speakers = [...statuses].filter(([, status]) => isOfThisCluster(status, expected)).map(([member]) => member);
  const { listed, disbelief } = await listMembers(clients, speakers, doubt);
  const spokesman = listed?.member;
  const alarms =
    spokesman === undefined ? [] : ((await resultOrUndefined(clients.to(spokesman)?.maintenance.alarms())) ?? []);
  const versions =
    spokesman === undefined ? undefined : await resultOrUndefined(clients.to(spokesman)?.maintenance.versions());
  const cluster = versions?.cluster;
  return {
    answers: memberStatusesOf(statuses, alarms),
    quorum: listed?.list,
    disbelief,
    alarms,
    clusterVersion: cluster !== undefined && /^\d+\.\d+\.\d+$/u.test(cluster) ? cluster : undefined,
  };
}

async function statusOf(clients: MemberClients, member: string): Promise<EndpointStatus | Unreachable> {
  try {
    return (await clients.to(member)?.maintenance.status()) ?? { is: "silent", why: "it has no address" };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const isRefused = error instanceof EtcdError && (error.code === "Unauthenticated" || error.code === "Denied");
    return { is: "silent", why, ...(isRefused && { isLockedOut: true }) };
  }
}

/** Which members are asked for the list: not a learner, with a leader, and of the right cluster. */
function isOfThisCluster(status: EndpointStatus | Unreachable, expected: string | undefined): boolean {
  if ("is" in status || status.isLearner || status.leader === undefined) return false;
  return expected === undefined || status.clusterId === expected;
}

interface QueriedMembers {
  readonly member: string;
  readonly list: Extract<Membership, { by: "quorum" }>;
}

/** Asks one member after the other until a list is plausible. A linearizable list needs a quorum, so one is enough. */
async function listMembers(
  clients: MemberClients,
  speakers: readonly string[],
  doubt: MemberListCheck["doubt"],
): Promise<{ readonly listed?: QueriedMembers; readonly disbelief: string | undefined }> {
  let rejectedMemberList: string | undefined;
  for (const member of speakers) {
    const answer = await resultOrUndefined(clients.to(member)?.members.list());
    if (answer === undefined) continue;
    const list = membershipOf(answer);
    const why = doubt(list.members);
    if (why === undefined) return { listed: { member, list }, disbelief: undefined };
    rejectedMemberList ??= why;
  }
  return { disbelief: rejectedMemberList };
}

/** A failed request returns undefined. */
async function resultOrUndefined<T>(question: Promise<T> | undefined): Promise<T | undefined> {
  try {
    return await question;
  } catch {
    return undefined;
  }
}

function membershipOf({ clusterId, members }: EtcdMembership): Extract<Membership, { by: "quorum" }> {
  return { by: "quorum", clusterId, members: members.map(toListed) };
}

/** Converts a member to the type of the contract. */
export function toListed({ id, name, peerURLs, isLearner }: Member): ListedMember {
  return { member: memberOfUrl(peerURLs[0] ?? ""), id, isStarted: name !== "", isLearner };
}

function memberStatusesOf(statuses: Statuses, alarms: readonly Alarm[]): { readonly [member: string]: MemberStatus } {
  const memberStatuses: { [member: string]: MemberStatus } = {};
  for (const [member, status] of statuses) {
    memberStatuses[member] = "is" in status ? status : respondingStatus(status, alarms);
  }
  return memberStatuses;
}

function respondingStatus(status: EndpointStatus, alarms: readonly Alarm[]): MemberStatus {
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
