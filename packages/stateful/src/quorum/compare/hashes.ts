/** Compares the members' data: at equal revision and compaction, good data has equal hashes. */
import type { MemberStatus } from "../contract.ts";
import type { HashReader, MemberHash } from "./reports.ts";

/**
 * A member and the hash of its data.
 *
 * @example
 * const hashed: HashedMember = { member: "db-0", hash: { hash: 1, compactRevision: 4 }, version: "1.3.0" };
 */
export interface Hashed {
  readonly member: string;
  readonly hash: Pick<MemberHash, "hash" | "compactRevision">;
  /** Versions may hash the same data differently. */
  readonly version: string;
}

/** Includes the revision of the member at the time of the hash. */
interface ReportedHash extends Hashed {
  readonly hash: MemberHash;
}

/**
 * Requests hashes at the highest revision that all members have. Without writes, that may be the revision of the last compaction, for
 * which a member may return a stored hash since the compaction before: a new or restarted member has none, and later corruption is not in it.
 * Without a revision in the request, each member hashes its present data.
 */
export async function hashAll(
  clients: HashReader,
  memberStatuses: { readonly [member: string]: MemberStatus },
): Promise<readonly Hashed[]> {
  const talking = Object.entries(memberStatuses).flatMap(([member, answer]) =>
    answer.is === "talking" ? [{ member, answer }] : [],
  );
  const common = lowest(talking.map(({ answer }) => answer.revision));
  const isStill = talking.every(({ answer }) => answer.revision === common);
  if (!isStill) return await hashAt(clients, talking, common);
  const newest = await hashAt(clients, talking, newestRevision);
  const revisions = newest.map(({ hash }) => hash.revision);
  // Clients write after all: every member has the lowest reported revision by now.
  return new Set(revisions).size > 1 ? await hashAt(clients, talking, lowest(revisions)) : newest;
}

/** In a request, 0 means the newest revision. */
const newestRevision = 0;

function lowest(revisions: readonly number[]): number {
  return Math.min(...revisions);
}

interface HashTarget {
  readonly member: string;
  readonly answer: Extract<MemberStatus, { is: "talking" }>;
}

async function hashAt(
  clients: HashReader,
  asked: readonly HashTarget[],
  revision: number,
): Promise<readonly ReportedHash[]> {
  const hashes = await Promise.all(
    asked.map(async ({ member, answer: { version, dbBytes } }) => {
      const timeoutMs = Math.min(hashTimeout(dbBytes), clients.patience());
      const hash = await clients.hashOf(member, { revision, timeoutMs });
      return hash === undefined ? [] : [{ member, hash, version }];
    }),
  );
  return hashes.flat();
}

/** A hash reads the whole database, so a large one takes longer, also on a slow disk. Two rounds must fit into one reconcile. */
export function hashTimeout(dbBytes: number): number {
  return Math.min(minHashTimeout + dbBytes / hashedBytesPerMillisecond, maxHashTimeout);
}

const minHashTimeout = 30_000;
const hashedBytesPerMillisecond = 20_000;
const maxHashTimeout = 70_000;

/**
 * Members that differ from the majority of all asked ones. Members with another compaction cannot be compared but count for the majority,
 * because they may agree with the minority. Without a majority, all comparable members differ.
 *
 * @example
 * const differing = (hashes: readonly HashedMember[]) => differingAmong(hashes).join(", ");
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
