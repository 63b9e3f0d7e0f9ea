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

/** Compares everybody who answers, now. */
export async function judge(
  reach: Reach,
  { members, clusterId }: Quorum,
  { answers, now }: { readonly answers: Hearing["answers"]; readonly now: number },
): Promise<Comparison> {
  const asked = Object.fromEntries(
    members.flatMap(({ member }): readonly (readonly [string, Answer])[] => {
      const answer = answers[member];
      return answer?.is === "talking" && answer.clusterId === clusterId ? [[member, answer]] : [];
    }),
  );
  // A compaction may have come in between: a verdict must be found twice.
  const verdicts = [verdictOf(await hashAll(reach, asked), members), verdictOf(await hashAll(reach, asked), members)];
  const inBoth = (side: keyof Verdict): readonly string[] =>
    members
      .map(({ member }) => member)
      .filter((member) => verdicts.every((verdict) => verdict?.[side].includes(member) === true));
  const isKnown = verdicts.every((verdict) => verdict !== undefined);
  // Without a majority nobody is right: whoever acts on it may destroy the good data.
  return isKnown
    ? { at: now, differing: inBoth("differing"), agreeing: inBoth("agreeing") }
    : { at: now, differing: members.map(({ member }) => member), agreeing: [] };
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
