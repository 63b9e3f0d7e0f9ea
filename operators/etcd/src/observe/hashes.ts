/** Compares the members' data: at the same revision and the same compaction, good data has the same hash. */
import type { MemberStatus } from "../contract.ts";
import type { HashKv } from "../etcd/index.ts";
import type { MemberClients } from "./member-clients.ts";

/** A member and the hash of its data. */
export interface Hashed {
  readonly member: string;
  readonly hash: Pick<HashKv, "hash" | "compactRevision">;
  /** What it runs: versions may hash the same data in other ways. */
  readonly version: string;
}

/** With the revision that a member had when it hashed. */
interface ReportedHash extends Hashed {
  readonly hash: HashKv;
}

/**
 * Asks for hashes at the highest revision that all of them have. Where nobody writes, that may be the revision of the last compaction, of which etcd
 * keeps a hash that counts from the compaction before: whoever came or was restarted since has none, and what went bad since is not in it. Asked for
 * no revision, each hashes what it has now.
 */
export async function hashAll(
  clients: MemberClients,
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
  // Somebody writes after all: what the last has now, everybody has by then.
  return new Set(revisions).size > 1 ? await hashAt(clients, talking, lowest(revisions)) : newest;
}

/** What no revision is called. */
const newestRevision = 0;

function lowest(revisions: readonly number[]): number {
  return Math.min(...revisions);
}

interface HashTarget {
  readonly member: string;
  readonly answer: Extract<MemberStatus, { is: "talking" }>;
}

async function hashAt(
  clients: MemberClients,
  asked: readonly HashTarget[],
  revision: number,
): Promise<readonly ReportedHash[]> {
  const hashes = await Promise.all(
    asked.map(async ({ member, answer: { version, dbBytes } }) => {
      const timeoutMs = Math.min(hashTimeout(dbBytes), clients.patience());
      const hash = await clients
        .to(member)
        ?.maintenance.hashKv({ revision, timeoutMs })
        .catch(() => undefined);
      return hash === undefined ? [] : [{ member, hash, version }];
    }),
  );
  return hashes.flat();
}

/** All of a database is read: a large one takes longer, also on a slow disk. Two rounds must fit into one turn. */
export function hashTimeout(dbBytes: number): number {
  return Math.min(minHashTimeout + dbBytes / hashedBytesPerMillisecond, maxHashTimeout);
}

const minHashTimeout = 30_000;
const hashedBytesPerMillisecond = 20_000;
const maxHashTimeout = 70_000;

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
