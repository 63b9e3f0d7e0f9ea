/** Members as decisions see them: record, pod, volume and report of each in one place. */
import type { MemberReport } from "../application.ts";
import type { MemberStatus, Observation, ObservedPod, ObservedVolume, RecordedMember } from "../cluster/observation.ts";

/** One member with all that is known of it. */
export interface Member<P> {
  readonly name: string;
  readonly recorded: RecordedMember;
  readonly pod: ObservedPod | undefined;
  readonly volume: ObservedVolume | undefined;
  readonly report: MemberReport<P> | undefined;
  readonly silentForMs: number;
  readonly isPrimary: boolean;
  /** It responds with data of this cluster. */
  readonly isOurs: boolean;
}

/** The members of an observation, and the primary of this epoch among them. */
export interface View<P> {
  readonly seen: Observation<P>;
  readonly members: readonly Member<P>[];
  readonly primary: Member<P> | undefined;
  /** Members that may hold acknowledged writes, but for the primary. */
  readonly followers: readonly Member<P>[];
}

/** Combines the parts of an observation. */
export function viewOf<P>(seen: Observation<P>): View<P> {
  const members = seen.recorded.members.map((recorded) => memberOf(seen, recorded));
  return {
    seen,
    members,
    primary: members.find(({ isPrimary }) => isPrimary),
    followers: members.filter(({ isPrimary, recorded }) => !isPrimary && recorded.state !== "Joining"),
  };
}

function memberOf<P>(seen: Observation<P>, recorded: RecordedMember): Member<P> {
  const { name } = recorded;
  const status: MemberStatus<P> | undefined = seen.statuses[name];
  const report = status?.is === "responding" ? status.report : undefined;
  return {
    name,
    recorded,
    pod: seen.pods.find(({ member }) => member === name),
    volume: seen.volumes.find(({ member }) => member === name),
    report,
    silentForMs: status?.is === "silent" ? status.forMs : 0,
    isPrimary: seen.recorded.primary === name,
    isOurs: report !== undefined && report.lineage === seen.recorded.lineage,
  };
}

/** It replicates from the primary of this epoch. */
export function isFollowing<P>({ report }: Member<P>, primary: string): boolean {
  return report?.role === "replica" && report.isReceiving && hostIs(report.upstream, primary);
}

/** Whether a host name is that of a member: its first label. */
export function hostIs(host: string | undefined, member: string): boolean {
  return host !== undefined && host.split(".")[0] === member;
}

/** It is ready and responds. */
export function isServing<P>({ pod, isOurs }: Member<P>): boolean {
  return pod?.state === "running" && isOurs;
}

/** A replica that follows the primary and was seen in sync in this run: it has what it acknowledged. */
export function isWitness<P>({ pod, recorded, isOurs }: Member<P>): boolean {
  return isOurs && pod?.run !== undefined && recorded.syncedRun === pod.run;
}
