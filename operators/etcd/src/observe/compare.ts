/** Compares the data of members that have quorum, now and then: etcd's own checks raise alarms, this one finds who is wrong without them. */
import type { MemberStatus, ListedMember, ObservedVolume } from "../contract.ts";
import { alarmedMembers, compareAfterAlarm, compareBeforeChange, withData } from "./corruption.ts";
import type { HashComparison } from "./corruption.ts";
import { isStillValid, withSince } from "./compare-interval.ts";
import { differingAmong, hashAll } from "./hashes.ts";
import type { MemberReport } from "./query-members.ts";
import { reuseInterval, isOlder, nextInterval, hourlyInterval } from "./intervals.ts";
import type { MemberClients } from "./member-clients.ts";
import { doesNotStart } from "./compare-reasons.ts";

/** When data was last compared, and who had other data than the majority. */
export interface Comparison {
  readonly at: number;
  readonly differing: readonly string[];
  /** Who was found to be right just now, where somebody was accused: an alarm about one of them is wrong. */
  readonly agreeing?: readonly string[];
  /** Who was accused then. */
  readonly accused?: readonly string[];
  /** Where somebody differs or was accused: of whom that was found, and since when it has been. */
  readonly of?: string;
  readonly since?: number;
  /** The reasons to compare that it was an answer to. No clock says so: one that is put back would make it answer what came later. */
  readonly answered?: readonly string[];
}

/** Reasons to compare that nothing has answered yet, and when an answer was last tried to be had. */
export interface Uncompared {
  readonly at: number;
  readonly reasons: readonly string[];
  /** Who could not be compared. */
  readonly members: readonly string[];
  /** Those of them that gave a hash, of another version or compaction than others. */
  readonly unlike?: readonly string[];
}

/** A comparison by the hour that not everybody gave a hash for. */
export interface MissedComparison {
  readonly at: number;
  readonly members: readonly string[];
}

/** What is known of the members' data. */
export interface ComparisonResult {
  readonly missed?: MissedComparison | undefined;
  readonly comparison?: Comparison | undefined;
  readonly uncompared?: Uncompared | undefined;
}

/** What a comparison depends on. */
export interface CompareFacts {
  readonly hearing: MemberReport;
  readonly volumes: readonly ObservedVolume[];
  readonly now: number;
  readonly former: ComparisonResult;
  /** Who could be compared: what was found of others says nothing. */
  readonly subject: string;
  /** Why not to wait until it is due. */
  readonly reasons: readonly string[];
  /** Since when there has been no answer, if there is none. */
  readonly unansweredSince?: number | undefined;
  /** Since when comparisons by the hour have been missed. */
  readonly missedSince?: number | undefined;
}

/** The comparison that counts, and what it does not answer. */
export async function compareData(clients: MemberClients, facts: CompareFacts): Promise<ComparisonResult> {
  const { former, now, reasons, unansweredSince, subject } = facts;
  const answered = answeredBy(former.comparison, now);
  const open = reasons.filter((reason) => !answered.includes(reason));
  const isTried = wasAttempted(former.uncompared, { open, now, since: unansweredSince });
  const {
    comparison: found,
    missing,
    unlike = [],
    missed,
  } = await compare(clients, {
    ...facts,
    isUrgent: open.length > 0 && !isTried,
    isWaiting: open.length > 0 && isTried,
  });
  const left = missing?.length === 0 && found !== undefined ? [] : open;
  const failed = { at: now, members: missing ?? [], ...(unlike.length > 0 && { unlike }) };
  const tried = isTried ? former.uncompared : failed;
  return {
    ...(found && {
      comparison: {
        ...withSince(found, { former: former.comparison, subject, now }),
        answered: answeredNow(facts, { answered, left }),
      },
    }),
    ...(left.length > 0 && tried && { uncompared: { ...tried, reasons: left } }),
    ...(missed && { missed }),
  };
}

/** Which reasons need not be asked about again: those that this comparison answers, and those that come and go. */
function answeredNow({ former, now, reasons }: CompareFacts, { answered, left }: ComparisonState): readonly string[] {
  const lasting = reasons.filter((reason) => !left.includes(reason));
  const over = isOlder(former.comparison, { now, than: reuseInterval }) ? [] : answered.filter(isRepeated);
  return [...new Set([...lasting, ...over])].slice(0, maxHashAttempts);
}

interface ComparisonState {
  readonly answered: readonly string[];
  readonly left: readonly string[];
}

/** What was answered long ago is asked again: somebody may have gone bad since. */
function answeredBy(comparison: Comparison | undefined, now: number): readonly string[] {
  return isOlder(comparison, { now, than: hourlyInterval }) ? [] : (comparison?.answered ?? []);
}

/** Whoever ends again and again talks in between: nobody is given up for it, so what was found a moment ago will do. */
function isRepeated(reason: string): boolean {
  return reason.endsWith(doesNotStart);
}

/** All data of all members is read for it: what could not be had a moment ago is not asked for again at once. */
function wasAttempted(former: Uncompared | undefined, { open, now, since = now }: ComparisonAttempt): boolean {
  if (former === undefined || isOlder(former, { now, than: nextInterval(former, since) })) return false;
  return open.every((reason) => former.reasons.includes(reason));
}

interface ComparisonAttempt {
  readonly open: readonly string[];
  readonly now: number;
  readonly since: number | undefined;
}

/** What was found; without `missing` nobody was asked because of a reason. */
type Finding = Pick<HashComparison, "comparison"> & Partial<HashComparison> & Pick<ComparisonResult, "missed">;

interface ComparisonReasons {
  /** Something is to be known that nobody has tried to find out yet. */
  readonly isUrgent: boolean;
  /** It was tried a moment ago: nobody is asked by the hour either. */
  readonly isWaiting: boolean;
}

/** The former one until it is old, and as long as not everybody can be asked. */
async function compare(
  clients: MemberClients,
  {
    hearing: report,
    volumes,
    now,
    former: { comparison: former, missed },
    missedSince = now,
    subject,
    isUrgent,
    isWaiting,
  }: CompareFacts & ComparisonReasons,
): Promise<Finding> {
  const { answers: memberStatuses } = report;
  const kept = { comparison: former && withoutAttempt(former) };
  if (report.quorum === undefined) return kept;
  const quorum = withData(report.quorum, { answers: memberStatuses, volumes });
  const accused = alarmedMembers(report);
  if (accused.length > 0) {
    if (!isUrgent && isResolved(former, { accused, quorum, now, subject })) return { comparison: former };
    const { comparison, ...open } = await compareAfterAlarm(clients, quorum, { answers: memberStatuses, now });
    return { comparison: comparison && { ...comparison, accused }, ...open };
  }
  // One alone has nobody to differ from: what was found among others is over.
  if (isSingleMember(report.quorum)) return { comparison: kept.comparison && { ...kept.comparison, differing: [] } };
  if (isUrgent)
    return {
      missed,
      ...(await compareBeforeChange(clients, quorum, { answers: memberStatuses, now, former: kept.comparison })),
    };
  if (isWaiting) return { ...kept, missed };
  if (!isDue(former, { now, subject })) return kept;
  const byTheHour = missedMembers(missed, { now, since: missedSince })
    ? undefined
    : await compareAll(clients, report.quorum, { answers: memberStatuses, now });
  return { ...kept, ...(byTheHour ?? { missed }) };
}

/** It was tried a moment ago, in vain. */
function missedMembers(
  missed: MissedComparison | undefined,
  { now, since }: { readonly now: number; readonly since: number },
): boolean {
  return missed !== undefined && !isOlder(missed, { now, than: nextInterval(missed, since) });
}

function isSingleMember({ members }: Quorum): boolean {
  return members.filter(({ isLearner }) => !isLearner).length < 2;
}

/** Compares everybody, because it is time; undefined where not all can be compared. */
async function compareAll(
  clients: MemberClients,
  { members: listed, clusterId }: Quorum,
  { answers: memberStatuses, now }: { readonly answers: Answers; readonly now: number },
): Promise<Pick<ComparisonResult, "comparison" | "missed"> | undefined> {
  const voters = listed.filter(({ isLearner }) => !isLearner);
  if (!areComparable(voters, memberStatuses, clusterId)) return undefined;
  const { differing, members } = await compareOnce(clients, voters, memberStatuses);
  // A compaction may have come in between: who differs must do so twice.
  const again = differing.length === 0 ? { differing, members } : await compareOnce(clients, voters, memberStatuses);
  const silent = [...members, ...again.members];
  // Everybody reads all data for it: what somebody does not give is not asked for in every turn.
  if (silent.length > 0) return { missed: { at: now, members: [...new Set(silent)] } };
  return { comparison: { at: now, differing: differing.filter((member) => again.differing.includes(member)) } };
}

/** As many as the status has room for. */
const maxHashAttempts = 128;

interface ComparisonTime {
  readonly now: number;
  readonly subject: string;
}

function isDue(former: Comparison | undefined, moment: ComparisonTime): boolean {
  if (former === undefined) return true;
  return former.differing.length === 0
    ? isOlder(former, { now: moment.now, than: hourlyInterval })
    : !isStillValid(former, moment);
}

/** What was found of an accusation holds for as long as that. */
function withoutAttempt({ agreeing: _agreeing, accused: _accused, ...comparison }: Comparison): Comparison {
  return comparison;
}

/** The same were accused a moment ago: as long as nothing may be done about it, nobody reads all data again and again. */
function isResolved(
  former: Comparison | undefined,
  { accused, quorum, ...moment }: ComparisonTime & { readonly accused: readonly string[]; readonly quorum: Quorum },
): boolean {
  if (isUndecided(former, quorum)) return !isDue(former, moment);
  const isSame = former?.agreeing !== undefined && former.accused?.join() === accused.join();
  return isSame && isStillValid(former, moment);
}

type Quorum = NonNullable<MemberReport["quorum"]>;

/** Everybody differs, so nobody could say who is right: to ask again reads all data of all members. */
function isUndecided(former: Comparison | undefined, { members }: Quorum): boolean {
  return former !== undefined && members.every(({ member }) => former.differing.includes(member));
}

type Answers = MemberReport["answers"];
type Responding = Extract<MemberStatus, { is: "talking" }>;

/** Two or more that all answer, are of this cluster, and hash alike because they have one version. */
function areComparable(voters: readonly ListedMember[], memberStatuses: Answers, clusterId: string): boolean {
  const talking = voters.flatMap(({ member }): Responding[] => {
    const answer = memberStatuses[member];
    return answer?.is === "talking" ? [answer] : [];
  });
  const isAlike = (one: Responding): boolean => one.version === talking[0]?.version && one.clusterId === clusterId;
  return voters.length > 1 && talking.length === voters.length && talking.every(isAlike);
}

/** Who differs, and who gave no hash. */
async function compareOnce(
  clients: MemberClients,
  voters: readonly ListedMember[],
  memberStatuses: Answers,
): Promise<{ readonly differing: readonly string[]; readonly members: readonly string[] }> {
  const names = voters.map(({ member }) => member);
  const asked = Object.fromEntries(Object.entries(memberStatuses).filter(([member]) => names.includes(member)));
  const hashes = await hashAll(clients, asked);
  const members = names.filter((name) => hashes.every(({ member }) => member !== name));
  return { differing: members.length > 0 ? [] : differingAmong(hashes), members };
}
