/** Compares the members' data: at the same revision and the same compaction, good data has the same hash. */
import type { Answer } from "../contract.ts";
import type { HashKv } from "../etcd/index.ts";
import type { Reach } from "./reach.ts";

/** A member and the hash of its data. */
export interface Hashed {
  readonly member: string;
  readonly hash: Pick<HashKv, "hash" | "compactRevision">;
  /** What it runs: versions may hash the same data in other ways. */
  readonly version: string;
}

/** Asks for hashes at the highest revision that all of them have. */
export async function hashAll(
  reach: Reach,
  answers: { readonly [member: string]: Answer },
): Promise<readonly Hashed[]> {
  const talking = Object.entries(answers).flatMap(([member, answer]) =>
    answer.is === "talking" ? [{ member, answer }] : [],
  );
  const revision = Math.min(...talking.map(({ answer }) => answer.revision));
  const hashes = await Promise.all(
    talking.map(async ({ member, answer: { version, dbBytes } }) => {
      const timeoutMs = Math.min(hashLimit(dbBytes), reach.patience());
      const hash = await reach
        .to(member)
        ?.maintenance.hashKv({ revision, timeoutMs })
        .catch(() => undefined);
      return hash === undefined ? [] : [{ member, hash, version }];
    }),
  );
  return hashes.flat();
}

/** All of a database is read: a large one takes longer, also on a slow disk. Two rounds must fit into one turn. */
export function hashLimit(dbBytes: number): number {
  return Math.min(LEAST + dbBytes / BYTES_A_MILLISECOND, MOST);
}

const LEAST = 30_000;
const BYTES_A_MILLISECOND = 20_000;
const MOST = 70_000;

/**
 * Who differs from the majority of all that were asked, also of those with another compaction, who cannot be compared: they may be on the side of the
 * few. Without such a majority, everybody who can be compared differs.
 */
export function differingAmong(hashes: readonly Hashed[]): readonly string[] {
  const [compaction] = mostCommon(hashes.map(({ hash }) => hash.compactRevision));
  const comparable = hashes.filter(({ hash }) => hash.compactRevision === compaction);
  const [common, count] = mostCommon(comparable.map(({ hash }) => hash.hash));
  if (count === comparable.length) return [];
  const isMajority = count * 2 > hashes.length;
  return comparable.filter(({ hash }) => !isMajority || hash.hash !== common).map(({ member }) => member);
}

function mostCommon(values: readonly number[]): readonly [value: number | undefined, count: number] {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const [best] = [...counts].toSorted(([, one], [, other]) => other - one);
  return best ?? [undefined, 0];
}
