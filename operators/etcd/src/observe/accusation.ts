/**
 * An alarm about corrupt data is the word of one member against another: etcd's leader compares the others with itself, so a leader whose
 * own data is bad accuses those whose data is good. Who is right is known where a majority of all voters agree, and nowhere else.
 */
import type { Answer, Listed, Membership } from "../contract.ts";
import type { Comparison } from "./compare.ts";
import { hashAll } from "./hashes.ts";
import type { Hashed } from "./hashes.ts";
import type { Hearing } from "./members.ts";
import type { Reach } from "./reach.ts";

type Quorum = Extract<Membership, { by: "quorum" }>;

/** Members that etcd says are corrupt. */
export function accusedOf({ quorum, alarms }: Pick<Hearing, "quorum" | "alarms">): readonly string[] {
  const named = new Set(alarms.filter(({ kind }) => kind === "Corrupt").map(({ memberId }) => memberId));
  return (quorum?.members ?? []).filter(({ id }) => named.has(id)).map(({ member }) => member);
}

/** Who is asked. */
interface Asked {
  readonly answers: Hearing["answers"];
  readonly now: number;
}

/** Compares everybody who answers, now: somebody was accused. */
export async function judge(reach: Reach, quorum: Quorum, { answers, now }: Asked): Promise<Comparison> {
  const [found] = await findVerdict(reach, quorum, answers);
  return found === undefined ? undecided(quorum, now) : { at: now, ...found };
}

/**
 * Compares those who answer, now, because somebody is about to be given up or let in: whoever comes gets the data of those who are left.
 * Nobody was accused, so what cannot be compared is no dispute.
 */
export async function judgeOthers(
  reach: Reach,
  quorum: Quorum,
  { answers, now, former }: Asked & { readonly former: Comparison | undefined },
): Promise<Comparison> {
  const [found, isTorn] = await findVerdict(reach, quorum, answers);
  if (found !== undefined) return { at: now, ...found };
  return isTorn ? undecided(quorum, now) : { at: now, differing: former?.differing ?? [] };
}

/** Without a majority nobody is right: whoever acts on it may destroy the good data. */
function undecided({ members }: Quorum, now: number): Comparison {
  return { at: now, differing: members.map(({ member }) => member), agreeing: [] };
}

/** A verdict that was found twice, for a compaction may have come in between; and whether data differed both times. */
async function findVerdict(
  reach: Reach,
  { members, clusterId }: Quorum,
  answers: Hearing["answers"],
): Promise<readonly [found: Verdict | undefined, isTorn: boolean]> {
  const asked = Object.fromEntries(
    members.flatMap(({ member }): readonly (readonly [string, Answer])[] => {
      const answer = answers[member];
      return answer?.is === "talking" && answer.clusterId === clusterId ? [[member, answer]] : [];
    }),
  );
  const rounds = [await hashAll(reach, asked), await hashAll(reach, asked)];
  const verdicts = rounds.map((hashes) => verdictOf(hashes, members));
  const inBoth = (side: keyof Verdict): readonly string[] =>
    members
      .map(({ member }) => member)
      .filter((member) => verdicts.every((verdict) => verdict?.[side].includes(member) === true));
  const isKnown = verdicts.every((verdict) => verdict !== undefined);
  const found = isKnown ? { differing: inBoth("differing"), agreeing: inBoth("agreeing") } : undefined;
  return [found, rounds.every((hashes) => isTornAmong(hashes, members))];
}

/** Whether any two of the voters have other data after the same compaction. */
export function isTornAmong(hashes: readonly Hashed[], members: readonly Listed[]): boolean {
  const isVoter = (name: string): boolean => members.some(({ member, isLearner }) => member === name && !isLearner);
  const own = hashes.filter(({ member }) => isVoter(member)).map(({ hash }) => hash);
  return own.some((one) =>
    own.some((other) => one.compactRevision === other.compactRevision && one.hash !== other.hash),
  );
}

interface Verdict {
  readonly agreeing: readonly string[];
  readonly differing: readonly string[];
}

/** Undefined where no majority of all voters, silent ones included, has the same data. */
export function verdictOf(hashes: readonly Hashed[], members: readonly Listed[]): Verdict | undefined {
  const voters = members.filter(({ isLearner }) => !isLearner).map(({ member }) => member);
  const sameAs = ({ hash }: Hashed): readonly Hashed[] =>
    hashes.filter((one) => one.hash.compactRevision === hash.compactRevision && one.hash.hash === hash.hash);
  const votes = (group: readonly Hashed[]): number => group.filter(({ member }) => voters.includes(member)).length;
  const right = hashes.map(sameAs).find((group) => votes(group) * 2 > voters.length);
  const [example] = right ?? [];
  if (right === undefined || example === undefined) return undefined;
  const wrong = hashes.filter(
    ({ hash }) => hash.compactRevision === example.hash.compactRevision && hash.hash !== example.hash.hash,
  );
  return { agreeing: right.map(({ member }) => member), differing: wrong.map(({ member }) => member) };
}
