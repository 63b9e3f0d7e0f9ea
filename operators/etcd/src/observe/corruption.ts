/**
 * An alarm about corrupt data is the word of one member against another: etcd's leader compares the others with itself, so a leader whose
 * own data is bad accuses those whose data is good. Who is right is known where a majority of all voters that have data agree, and nowhere else.
 */
import type { MemberStatus, ListedMember, Membership, ObservedVolume } from "../contract.ts";
import type { Comparison } from "./compare.ts";
import { hashAll } from "./hashes.ts";
import type { Hashed } from "./hashes.ts";
import type { MemberReport } from "./query-members.ts";
import type { MemberClients } from "./member-clients.ts";

type Quorum = Extract<Membership, { by: "quorum" }>;

/** Members that etcd says are corrupt. */
export function alarmedMembers({ quorum, alarms }: Pick<MemberReport, "quorum" | "alarms">): readonly string[] {
  const named = new Set(alarms.filter(({ kind }) => kind === "Corrupt").map(({ memberId }) => memberId));
  return (quorum?.members ?? []).filter(({ id }) => named.has(id)).map(({ member }) => member);
}

/** Who is asked. */
interface CompareContext {
  readonly answers: MemberReport["answers"];
  readonly now: number;
}

/** What was found, and who votes and would have had to be compared: as long as there is one, it answers nothing. */
export interface HashComparison {
  readonly comparison: Comparison | undefined;
  readonly missing: readonly string[];
  /** Those of them that gave a hash, of another version or compaction than others. */
  readonly unlike: readonly string[];
}

/** Compares everybody who answers, now: somebody was accused. */
export async function compareAfterAlarm(
  clients: MemberClients,
  quorum: Quorum,
  { answers: memberStatuses, now }: CompareContext,
): Promise<HashComparison> {
  const { found, missing, unlike } = await findMajority(clients, quorum, memberStatuses);
  return { comparison: found === undefined ? noMajority(quorum, now) : { at: now, ...found }, missing, unlike };
}

/**
 * Compares those who answer, now, because somebody is about to be given up or let in: whoever comes gets the data of those who are left.
 * Nobody was accused, so what cannot be compared is no dispute; but neither is it known to agree.
 */
export async function compareBeforeChange(
  clients: MemberClients,
  quorum: Quorum,
  { answers: memberStatuses, now, former }: CompareContext & { readonly former: Comparison | undefined },
): Promise<HashComparison> {
  const { found, isTorn, missing, unlike } = await findMajority(clients, quorum, memberStatuses);
  // The next comparison of all is not put off by one of some.
  const at = missing.length === 0 ? now : (former?.at ?? now);
  if (found !== undefined) return { comparison: { at, ...found }, missing, unlike };
  return { comparison: isTorn ? noMajority(quorum, now) : former, missing, unlike };
}

/** Without a majority nobody is right: whoever acts on it may destroy the good data. */
function noMajority({ members }: Quorum, now: number): Comparison {
  return { at: now, differing: members.map(({ member }) => member), agreeing: [] };
}

interface HashFindings {
  /** Found twice, for a compaction may have come in between. */
  readonly found: Majority | undefined;
  /** Data differed both times. */
  readonly isTorn: boolean;
  readonly missing: readonly string[];
  /** Those of them that gave a hash each time. */
  readonly unlike: readonly string[];
}

async function findMajority(
  clients: MemberClients,
  { members, clusterId }: Quorum,
  memberStatuses: MemberReport["answers"],
): Promise<HashFindings> {
  // Learners give no hash, and whoever has yet to get its data would be asked for what everybody has.
  const own = members.filter(({ member, isLearner }) => {
    const answer = memberStatuses[member];
    return !isLearner && answer?.is === "talking" && answer.clusterId === clusterId;
  });
  const led = own.filter(({ member }) => hasLeader(memberStatuses[member]));
  const findings = await collectHashes(clients, members, { of: led, answers: memberStatuses });
  if (!findings.isTorn || findings.found !== undefined || led.length === own.length) return findings;
  // Whoever has no leader is behind: it can say who is wrong, and never that all have the same.
  const all = await collectHashes(clients, members, { of: own, answers: memberStatuses });
  return (all.found?.differing ?? []).length > 0 ? all : findings;
}

function hasLeader(answer: MemberStatus | undefined): boolean {
  return answer?.is === "talking" && answer.leader !== undefined;
}

/** Asks once where nothing more is to be had: all data is read each time, and equal hashes are never by chance. */
async function collectHashes(
  clients: MemberClients,
  members: readonly ListedMember[],
  { of, answers: memberStatuses }: { readonly of: readonly ListedMember[]; readonly answers: MemberReport["answers"] },
): Promise<HashFindings> {
  const names = of.map(({ member }) => member);
  const asked = Object.fromEntries(Object.entries(memberStatuses).filter(([member]) => names.includes(member)));
  const first = await hashAll(clients, asked);
  const isShort = names.some((name) => first.every(({ member }) => member !== name));
  const once = combineRounds([first], { members, asked: names });
  const isPeace = !once.isTorn && (once.found?.differing ?? []).length === 0;
  if (isPeace && (isShort || once.missing.length === 0)) return once;
  return combineRounds([first, await hashAll(clients, asked)], { members, asked: names });
}

/** What several rounds of hashes say of the data of those who were asked. */
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
  // Too few to be a measure, whatever they say: those who are silent are missing, too.
  const all = unjudged.length > 0 ? unjudged : voters;
  const missing = found !== undefined || isTorn ? unjudged.filter((name) => asked.includes(name)) : all;
  const gave = (name: string): boolean => rounds.every((hashes) => hashes.some(({ member }) => member === name));
  // Where some gave nothing, what is wrong with the hashes of the others shows when those are heard.
  return { found, isTorn, missing, unlike: asked.every(gave) ? missing.filter(gave) : [] };
}

/** Who gave a hash each time, after the same compaction as everybody. */
function hashedInAll(rounds: readonly (readonly Hashed[])[]): readonly string[] {
  const isOne = (hashes: readonly Hashed[]): boolean =>
    new Set(hashes.map(({ hash }) => hash.compactRevision)).size === 1;
  const [first = [], ...others] = rounds;
  if (!rounds.every(isOne)) return [];
  const isIn = (hashes: readonly Hashed[], name: string): boolean => hashes.some(({ member }) => member === name);
  return first.map(({ member }) => member).filter((name) => others.every((hashes) => isIn(hashes, name)));
}

/** Whether any two of the voters that hash alike have other data after the same compaction. */
export function areHashesSplit(hashes: readonly Hashed[], members: readonly ListedMember[]): boolean {
  const isVoter = (name: string): boolean => members.some(({ member, isLearner }) => member === name && !isLearner);
  const own = hashes.filter(({ member }) => isVoter(member));
  return own.some((one) => own.some((other) => areComparable(one, other) && one.hash.hash !== other.hash.hash));
}

/** Equal hashes always mean equal data; other ones mean other data only within one version. */
function areComparable(one: Hashed, other: Hashed): boolean {
  return one.hash.compactRevision === other.hash.compactRevision && one.version === other.version;
}

interface Majority {
  readonly agreeing: readonly string[];
  readonly differing: readonly string[];
}

/**
 * Without one who can never tell again: a voter that has begun, is silent, and has no volume any more. No more than one is left out, or two with
 * the same bad data would outvote the last good one of five.
 */
export function withData<T extends Pick<Quorum, "members">>(
  quorum: T,
  {
    answers: memberStatuses,
    volumes,
  }: { readonly answers: MemberReport["answers"]; readonly volumes: readonly ObservedVolume[] },
): T {
  const isLost = (name: string): boolean =>
    volumes.every(({ member, state }) => member !== name || state === "lost") && memberStatuses[name]?.is !== "talking";
  const lost = quorum.members.find(({ member, isLearner, isStarted }) => !isLearner && isStarted && isLost(member));
  return { ...quorum, members: quorum.members.filter((one) => one !== lost) };
}

/** Undefined where no majority of all voters, silent ones included, has the same data. */
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
