/** Compares the data of members with quorum periodically. The application's checks raise alarms; this one finds the corrupt member without them. */
import type { MemberStatus, ListedMember, ObservedVolume } from "../contract.ts";
import { alarmedMembers, compareAfterAlarm, compareBeforeChange, withData } from "./corruption.ts";
import type { HashComparison } from "./corruption.ts";
import { isStillValid, withSince } from "./disagreement.ts";
import { differingAmong, hashAll } from "./hashes.ts";
import type { MemberReports } from "./reports.ts";
import { reuseInterval, isOlder, nextInterval, hourlyInterval } from "./intervals.ts";
import type { HashReader } from "./reports.ts";
import { doesNotStart } from "./reasons.ts";

/**
 * The last comparison: its time, and the members that differ from the majority.
 *
 * @example
 * const isEqual = ({ differing }: DataComparison) => differing.length === 0;
 */
export interface Comparison {
  readonly at: number;
  readonly differing: readonly string[];
  /** Members in the majority, recorded while an alarm is raised: an alarm about one of them is wrong. */
  readonly agreeing?: readonly string[];
  /** Members named by an alarm at that time. */
  readonly accused?: readonly string[];
  /** If members differ or were named by an alarm: the key of the finding, and since when it is the same. */
  readonly of?: string;
  readonly since?: number;
  /** The reasons that this comparison covers. Times are not used: after a clock was set back, it would cover later reasons. */
  readonly answered?: readonly string[];
}

/**
 * Reasons that no comparison covers yet, and the time of the last attempt.
 *
 * @example
 * const who = ({ members }: Uncompared) => members.join(", ");
 */
export interface Uncompared {
  readonly at: number;
  readonly reasons: readonly string[];
  /** Members that could not be compared. */
  readonly members: readonly string[];
  /** The members among them that returned a hash of another version or compaction. */
  readonly unlike?: readonly string[];
}

/** An hourly comparison for which a hash was missing. */
export interface MissedComparison {
  readonly at: number;
  readonly members: readonly string[];
}

/**
 * What is known about the members' data.
 *
 * @example
 * const isOpen = ({ uncompared }: ComparisonResult) => uncompared !== undefined;
 */
export interface ComparisonResult {
  readonly missed?: MissedComparison | undefined;
  readonly comparison?: Comparison | undefined;
  readonly uncompared?: Uncompared | undefined;
}

/**
 * What a comparison depends on.
 *
 * @example
 * const isAsked = ({ reasons }: CompareFacts) => reasons.length > 0;
 */
export interface CompareFacts {
  readonly hearing: MemberReports;
  readonly volumes: readonly ObservedVolume[];
  readonly now: number;
  readonly former: ComparisonResult;
  /** Key of the members that could be compared. A finding about others does not count. */
  readonly subject: string;
  /** Reasons for an early comparison. */
  readonly reasons: readonly string[];
  /** Since when a reason is not covered. */
  readonly unansweredSince?: number | undefined;
  /** Since when hourly comparisons have been missed. */
  readonly missedSince?: number | undefined;
}

/**
 * The valid comparison, and the reasons that it does not cover.
 *
 * @example
 * const compare = async (reader: HashReader, facts: CompareFacts) => await compareData(reader, facts);
 */
export async function compareData(clients: HashReader, facts: CompareFacts): Promise<ComparisonResult> {
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

/** The reasons that need no further comparison: those that this one covers, and those that come and go. */
function answeredNow({ former, now, reasons }: CompareFacts, { answered, left }: ComparisonState): readonly string[] {
  const lasting = reasons.filter((reason) => !left.includes(reason));
  const over = isOlder(former.comparison, { now, than: reuseInterval }) ? [] : answered.filter(isRepeated);
  return [...new Set([...lasting, ...over])].slice(0, maxHashAttempts);
}

interface ComparisonState {
  readonly answered: readonly string[];
  readonly left: readonly string[];
}

/** An old comparison covers no reason: data may have become corrupt since. */
function answeredBy(comparison: Comparison | undefined, now: number): readonly string[] {
  return isOlder(comparison, { now, than: hourlyInterval }) ? [] : (comparison?.answered ?? []);
}

/** A crash-looping member responds in between. It is not replaced for that, so a recent comparison is enough. */
function isRepeated(reason: string): boolean {
  return reason.endsWith(doesNotStart);
}

/** A comparison reads all data of all members, so a failed one is not repeated at once. */
function wasAttempted(former: Uncompared | undefined, { open, now, since = now }: ComparisonAttempt): boolean {
  if (former === undefined || isOlder(former, { now, than: nextInterval(former, since) })) return false;
  return open.every((reason) => former.reasons.includes(reason));
}

interface ComparisonAttempt {
  readonly open: readonly string[];
  readonly now: number;
  readonly since: number | undefined;
}

/** The finding. Without `missing`, no comparison was made for a reason. */
type Finding = Pick<HashComparison, "comparison"> & Partial<HashComparison> & Pick<ComparisonResult, "missed">;

interface ComparisonReasons {
  /** A reason for which no comparison was tried yet. */
  readonly isUrgent: boolean;
  /** A comparison was tried recently: the hourly one is skipped as well. */
  readonly isWaiting: boolean;
}

/** Keeps the former comparison until it is old, and while not all members can be asked. */
async function compare(
  clients: HashReader,
  {
    hearing,
    volumes,
    now,
    former: { comparison: former, missed },
    missedSince = now,
    subject,
    isUrgent,
    isWaiting,
  }: CompareFacts & ComparisonReasons,
): Promise<Finding> {
  const { answers } = hearing;
  const kept = { comparison: former && withoutAttempt(former) };
  if (hearing.quorum === undefined) return kept;
  const quorum = withData(hearing.quorum, { answers, volumes });
  const accused = alarmedMembers(hearing);
  if (accused.length > 0) {
    if (!isUrgent && isResolved(former, { accused, quorum, now, subject })) return { comparison: former };
    const { comparison, ...open } = await compareAfterAlarm(clients, quorum, { answers, now });
    return { comparison: comparison && { ...comparison, accused }, ...open };
  }
  // A single member has no other to differ from: an earlier finding is over.
  if (isSingleMember(hearing.quorum)) return { comparison: kept.comparison && { ...kept.comparison, differing: [] } };
  if (isUrgent)
    return {
      missed,
      ...(await compareBeforeChange(clients, quorum, { answers, now, former: kept.comparison })),
    };
  if (isWaiting) return { ...kept, missed };
  if (!isDue(former, { now, subject })) return kept;
  const byTheHour = missedMembers(missed, { now, since: missedSince })
    ? undefined
    : await compareAll(clients, hearing.quorum, { answers, now });
  return { ...kept, ...(byTheHour ?? { missed }) };
}

/** A recent attempt failed. */
function missedMembers(
  missed: MissedComparison | undefined,
  { now, since }: { readonly now: number; readonly since: number },
): boolean {
  return missed !== undefined && !isOlder(missed, { now, than: nextInterval(missed, since) });
}

function isSingleMember({ members }: Quorum): boolean {
  return members.filter(({ isLearner }) => !isLearner).length < 2;
}

/** The periodic comparison of all members; undefined if not all can be compared. */
async function compareAll(
  clients: HashReader,
  { members: listed, clusterId }: Quorum,
  { answers, now }: { readonly answers: Answers; readonly now: number },
): Promise<Pick<ComparisonResult, "comparison" | "missed"> | undefined> {
  const voters = listed.filter(({ isLearner }) => !isLearner);
  if (!areComparable(voters, answers, clusterId)) return undefined;
  const { differing, members } = await compareOnce(clients, voters, answers);
  // A compaction may happen in between, so a member must differ twice.
  const again = differing.length === 0 ? { differing, members } : await compareOnce(clients, voters, answers);
  const silent = [...members, ...again.members];
  // A comparison reads all data of all members, so a missing hash is not requested in every reconcile.
  if (silent.length > 0) return { missed: { at: now, members: [...new Set(silent)] } };
  return { comparison: { at: now, differing: differing.filter((member) => again.differing.includes(member)) } };
}

/** Limit of the status field. */
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

/** Drops the finding about an alarm when the alarm is over. */
function withoutAttempt({ agreeing: _agreeing, accused: _accused, ...comparison }: Comparison): Comparison {
  return comparison;
}

/** The same alarm was checked recently. While nothing can be done about it, the data is not read again. */
function isResolved(
  former: Comparison | undefined,
  { accused, quorum, ...moment }: ComparisonTime & { readonly accused: readonly string[]; readonly quorum: Quorum },
): boolean {
  if (isUndecided(former, quorum)) return !isDue(former, moment);
  const isSame = former?.agreeing !== undefined && former.accused?.join() === accused.join();
  return isSame && isStillValid(former, moment);
}

type Quorum = NonNullable<MemberReports["quorum"]>;

/** All members differ, so there is no majority. Comparing again would read all data of all members. */
function isUndecided(former: Comparison | undefined, { members }: Quorum): boolean {
  return former !== undefined && members.every(({ member }) => former.differing.includes(member));
}

type Answers = MemberReports["answers"];
type Responding = Extract<MemberStatus, { is: "talking" }>;

/** Two or more members that all respond, belong to this cluster, and have the same version, so that their hashes can be compared. */
function areComparable(voters: readonly ListedMember[], memberStatuses: Answers, clusterId: string): boolean {
  const talking = voters.flatMap(({ member }): Responding[] => {
    const answer = memberStatuses[member];
    return answer?.is === "talking" ? [answer] : [];
  });
  const isAlike = (one: Responding): boolean => one.version === talking[0]?.version && one.clusterId === clusterId;
  return voters.length > 1 && talking.length === voters.length && talking.every(isAlike);
}

/** The members that differ, and those without a hash. */
async function compareOnce(
  clients: HashReader,
  voters: readonly ListedMember[],
  memberStatuses: Answers,
): Promise<{ readonly differing: readonly string[]; readonly members: readonly string[] }> {
  const names = voters.map(({ member }) => member);
  const asked = Object.fromEntries(Object.entries(memberStatuses).filter(([member]) => names.includes(member)));
  const hashes = await hashAll(clients, asked);
  const members = names.filter((name) => hashes.every(({ member }) => member !== name));
  return { differing: members.length > 0 ? [] : differingAmong(hashes), members };
}
