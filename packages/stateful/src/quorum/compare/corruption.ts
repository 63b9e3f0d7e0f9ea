/**
 * A corruption alarm is the claim of one member about another. A leader may compare the others with itself, so a corrupt leader raises
 * alarms about good members. The corrupt member is known only if a majority of all voters with data agree.
 */
import type { MemberStatus, ListedMember, Membership, ObservedVolume } from "../contract.ts";
import type { Comparison } from "./compare.ts";
import { hashAll } from "./hashes.ts";
import type { Hashed } from "./hashes.ts";
import type { MemberReports } from "./reports.ts";
import type { HashReader } from "./reports.ts";

type Quorum = Extract<Membership, { by: "quorum" }>;

/** Members named by corruption alarms. */
export function alarmedMembers({ quorum, alarms }: Pick<MemberReports, "quorum" | "alarms">): readonly string[] {
  const named = new Set(alarms.filter(({ kind }) => kind === "Corrupt").map(({ memberId }) => memberId));
  return (quorum?.members ?? []).filter(({ id }) => named.has(id)).map(({ member }) => member);
}

interface CompareContext {
  readonly answers: MemberReports["answers"];
  readonly now: number;
}

/** The finding, and voters that could not be compared. While there is one, the comparison covers no reason. */
export interface HashComparison {
  readonly comparison: Comparison | undefined;
  readonly missing: readonly string[];
  /** The members among them that returned a hash of another version or compaction. */
  readonly unlike: readonly string[];
}

/** Compares all responding members after an alarm. */
export async function compareAfterAlarm(
  clients: HashReader,
  quorum: Quorum,
  { answers, now }: CompareContext,
): Promise<HashComparison> {
  const { found, missing, unlike } = await findMajority(clients, quorum, answers);
  return { comparison: found === undefined ? noMajority(quorum, now) : { at: now, ...found }, missing, unlike };
}

/**
 * Compares all responding members before one is added or replaced, because a new member copies the data of the present ones. There is no
 * alarm, so data that cannot be compared is not a disagreement; but it is not known to be equal either.
 */
export async function compareBeforeChange(
  clients: HashReader,
  quorum: Quorum,
  { answers, now, former }: CompareContext & { readonly former: Comparison | undefined },
): Promise<HashComparison> {
  const { found, isTorn, missing, unlike } = await findMajority(clients, quorum, answers);
  // A partial comparison does not delay the next complete one.
  const at = missing.length === 0 ? now : (former?.at ?? now);
  if (found !== undefined) return { comparison: { at, ...found }, missing, unlike };
  return { comparison: isTorn ? noMajority(quorum, now) : former, missing, unlike };
}

/** Without a majority no member is known to be right: acting on it could destroy the good data. */
function noMajority({ members }: Quorum, now: number): Comparison {
  return { at: now, differing: members.map(({ member }) => member), agreeing: [] };
}

interface HashFindings {
  /** Found twice, because a compaction may happen in between. */
  readonly found: Majority | undefined;
  /** Data differed both times. */
  readonly isTorn: boolean;
  readonly missing: readonly string[];
  /** The members among them that returned a hash each time. */
  readonly unlike: readonly string[];
}

async function findMajority(
  clients: HashReader,
  { members, clusterId }: Quorum,
  memberStatuses: MemberReports["answers"],
): Promise<HashFindings> {
  // Learners return no hash. A member that still receives its data would lower the revision at which all are compared.
  const own = members.filter(({ member, isLearner }) => {
    const answer = memberStatuses[member];
    return !isLearner && answer?.is === "talking" && answer.clusterId === clusterId;
  });
  const led = own.filter(({ member }) => hasLeader(memberStatuses[member]));
  const findings = await collectHashes(clients, members, { of: led, answers: memberStatuses });
  if (!findings.isTorn || findings.found !== undefined || led.length === own.length) return findings;
  // A member without leader is behind. It can show that data differs, but not that all data is equal.
  const all = await collectHashes(clients, members, { of: own, answers: memberStatuses });
  return (all.found?.differing ?? []).length > 0 ? all : findings;
}

function hasLeader(answer: MemberStatus | undefined): boolean {
  return answer?.is === "talking" && answer.leader !== undefined;
}

/** One round is enough if a second cannot add anything: each round reads all data, and equal hashes are not a coincidence. */
async function collectHashes(
  clients: HashReader,
  members: readonly ListedMember[],
  { of, answers }: { readonly of: readonly ListedMember[]; readonly answers: MemberReports["answers"] },
): Promise<HashFindings> {
  const names = of.map(({ member }) => member);
  const asked = Object.fromEntries(Object.entries(answers).filter(([member]) => names.includes(member)));
  const first = await hashAll(clients, asked);
  const isShort = names.some((name) => first.every(({ member }) => member !== name));
  const once = combineRounds([first], { members, asked: names });
  const isPeace = !once.isTorn && (once.found?.differing ?? []).length === 0;
  if (isPeace && (isShort || once.missing.length === 0)) return once;
  return combineRounds([first, await hashAll(clients, asked)], { members, asked: names });
}

/**
 * What several rounds of hashes say about the data of the asked members.
 *
 * @example
 * const found = combineRounds([], { members: [], asked: [] }).found;
 */
export function combineRounds(
  rounds: readonly (readonly Hashed[])[],
  { members, asked }: { readonly members: readonly ListedMember[]; readonly asked: readonly string[] },
): HashFindings {
  const verdicts = rounds.map((hashes) => majorityOf(hashes, members));
  const names = members.map(({ member }) => member);
  const inAll = (side: keyof Majority): readonly string[] =>
    names.filter((member) => verdicts.every((majority) => majority?.[side].includes(member) === true));
  const isKnown = verdicts.every((majority) => majority !== undefined);
  const found = isKnown ? { differing: inAll("differing"), agreeing: inAll("agreeing") } : undefined;
  const isTorn = rounds.every((hashes) => areHashesSplit(hashes, members));
  const voters = members.filter(({ isLearner }) => !isLearner).map(({ member }) => member);
  const judged = found ? [...found.differing, ...found.agreeing] : hashedInAll(rounds);
  const unjudged = voters.filter((name) => !judged.includes(name));
  // Too few for a majority: silent voters are missing as well.
  const all = unjudged.length > 0 ? unjudged : voters;
  const missing = found !== undefined || isTorn ? unjudged.filter((name) => asked.includes(name)) : all;
  const gave = (name: string): boolean => rounds.every((hashes) => hashes.some(({ member }) => member === name));
  // If some returned no hash, the others may become comparable when these respond.
  return { found, isTorn, missing, unlike: asked.every(gave) ? missing.filter(gave) : [] };
}

/** Members that returned a hash in each round, after the same compaction as all others. */
function hashedInAll(rounds: readonly (readonly Hashed[])[]): readonly string[] {
  const isOne = (hashes: readonly Hashed[]): boolean =>
    new Set(hashes.map(({ hash }) => hash.compactRevision)).size === 1;
  const [first = [], ...others] = rounds;
  if (!rounds.every(isOne)) return [];
  const isIn = (hashes: readonly Hashed[], name: string): boolean => hashes.some(({ member }) => member === name);
  return first.map(({ member }) => member).filter((name) => others.every((hashes) => isIn(hashes, name)));
}

/** Whether two comparable voters have different hashes after the same compaction. */
export function areHashesSplit(hashes: readonly Hashed[], members: readonly ListedMember[]): boolean {
  const isVoter = (name: string): boolean => members.some(({ member, isLearner }) => member === name && !isLearner);
  const own = hashes.filter(({ member }) => isVoter(member));
  return own.some((one) => own.some((other) => areComparable(one, other) && one.hash.hash !== other.hash.hash));
}

/** Equal hashes always mean equal data. Different hashes mean different data only within one version. */
function areComparable(one: Hashed, other: Hashed): boolean {
  return one.hash.compactRevision === other.hash.compactRevision && one.version === other.version;
}

interface Majority {
  readonly agreeing: readonly string[];
  readonly differing: readonly string[];
}

/**
 * The voters without one that can never respond again: it had started, is silent, and has no volume. At most one is left out, or two with
 * the same bad data could outvote the last good one of five.
 *
 * @example
 * const { members } = withData({ members: [] }, { answers: {}, volumes: [] });
 */
export function withData<T extends Pick<Quorum, "members">>(
  quorum: T,
  { answers, volumes }: { readonly answers: MemberReports["answers"]; readonly volumes: readonly ObservedVolume[] },
): T {
  const isLost = (name: string): boolean =>
    volumes.every(({ member, state }) => member !== name || state === "lost") && answers[name]?.is !== "talking";
  const lost = quorum.members.find(({ member, isLearner, isStarted }) => !isLearner && isStarted && isLost(member));
  return { ...quorum, members: quorum.members.filter((one) => one !== lost) };
}

/** Undefined if no majority of all voters, silent ones included, has the same data. */
export function majorityOf(hashes: readonly Hashed[], members: readonly ListedMember[]): Majority | undefined {
  const voters = members.filter(({ isLearner }) => !isLearner).map(({ member }) => member);
  const sameAs = ({ hash }: Hashed): readonly Hashed[] =>
    hashes.filter((one) => one.hash.compactRevision === hash.compactRevision && one.hash.hash === hash.hash);
  const votes = (group: readonly Hashed[]): number => group.filter(({ member }) => voters.includes(member)).length;
  const right = hashes.map(sameAs).find((group) => votes(group) * 2 > voters.length);
  if (right === undefined) return undefined;
  const wrong = hashes.filter((one) =>
    right.some((other) => areComparable(one, other) && one.hash.hash !== other.hash.hash),
  );
  return { agreeing: right.map(({ member }) => member), differing: wrong.map(({ member }) => member) };
}
