/** Where the data of a first member comes from: decided once, and then kept to. */
import type { KnownRecovery, Observation, PassedBackup } from "../contract.ts";
import { isRecovering } from "../decide/index.ts";
import type { ClusterObject } from "./known.ts";

/** A backup and the store that it is in; the newest there if none is named. */
export type SeedSource = Pick<NonNullable<ClusterObject["spec"]["bootstrap"]>, "store" | "backup" | "encryption">;

/** An EtcdBackup, as far as it matters. */
export interface FoundBackup {
  readonly spec: { readonly cluster: string };
  readonly status?: { readonly last?: FoundRecord | undefined; readonly backups?: readonly FoundRecord[] };
}

interface FoundRecord {
  readonly name: string;
  readonly time: string;
  readonly revision: number;
  /** Missing in what an older operator wrote down. */
  readonly clusterId?: string | undefined;
  /** Missing in what an older operator wrote down. */
  readonly clusterUid?: string | undefined;
  readonly verified?: "checksum" | "restore" | undefined;
}

/** An EtcdRestore, as far as it matters. */
export interface FoundRestore {
  readonly metadata: { readonly uid: string; readonly name: string };
  readonly spec: { readonly cluster: string; readonly overwrite?: string | undefined };
  readonly status?: {
    readonly phase?: string;
    readonly backup?: string | undefined;
    /** Which very cluster is to be overwritten. */
    readonly clusterUid?: string | undefined;
  };
}

/** A recovery, as far as it matters. */
interface FoundRecovery {
  readonly phase: KnownRecovery["phase"];
  readonly from?: SeedSource | undefined;
  readonly passed?: readonly PassedBackup[] | undefined;
}

/** Where to look. */
export interface BackupsSeen {
  readonly object: Pick<ClusterObject, "metadata" | "spec" | "status">;
  readonly backups: readonly FoundBackup[];
  readonly restores: readonly FoundRestore[];
}

/** What was found. */
export interface SeenBackups extends Pick<
  Observation,
  "newestBackup" | "newestRevision" | "earlierBackups" | "restore" | "isWithdrawn"
> {
  /** What a first member begins with, if not with nothing. */
  readonly seedFrom?: SeedSource;
  /** What a recovery would begin with now: the newest that it has not tried yet. */
  readonly newest?: SeedSource;
}

/** What is to be put in the place of all data, if somebody asks for it; and what there would be, if all data were lost. */
export function backupsOf({ object, backups, restores }: BackupsSeen): SeenBackups {
  const { name } = object.metadata;
  const asker = object.status?.recovery?.restore;
  const own = backups.filter(({ spec }) => spec.cluster === name);
  const tried = triedBy(object.status?.recovery);
  const found = newestBackup(own, {
    clusterId: object.status?.clusterId,
    isMeant: (record) => isOfThisLife(object, record) && !tried.has(record.name),
  });
  const { source: newest, revision } = found ?? {};
  const restore = restores.find(
    ({ spec, status }) =>
      spec.cluster === name &&
      spec.overwrite === name &&
      status?.phase === "Running" &&
      (status.clusterUid ?? object.metadata.uid) === object.metadata.uid,
  );
  const seedFrom = seedOf(object, { newest, restore });
  return {
    ...(newest?.backup === undefined ? {} : { newestBackup: newest.backup }),
    ...(revision === undefined ? {} : { newestRevision: revision }),
    ...(restore === undefined ? {} : { restore: { uid: restore.metadata.uid, name: restore.metadata.name } }),
    ...(seedFrom === undefined ? {} : { seedFrom }),
    ...(newest === undefined ? {} : { newest }),
    earlierBackups: recordsOf(own).filter((record) => !isOfThisLife(object, record)).length,
    isWithdrawn: asker !== undefined && restores.every(({ metadata }) => metadata.uid !== asker),
  };
}

/** All that is told of, each once. */
function recordsOf(backups: readonly FoundBackup[]): readonly FoundRecord[] {
  const all = backups.flatMap(({ status }) => [...(status?.backups ?? []), ...(status?.last ? [status.last] : [])]);
  return [...new Map(all.map((record) => [record.name, record])).values()];
}

/** What a first member would begin with now: what somebody asks for, what a recovery began with, or where such a cluster comes from. */
function seedOf(
  { spec, status }: BackupsSeen["object"],
  { newest, restore }: { readonly newest: SeedSource | undefined; readonly restore: FoundRestore | undefined },
): SeedSource | undefined {
  const kept = pinned(status?.recovery);
  if (restore !== undefined) {
    const isUnderWay = restore.metadata.uid === status?.recovery?.restore;
    return (isUnderWay ? kept : undefined) ?? sourceOf(restore);
  }
  return kept ?? (status?.clusterId === undefined ? spec.bootstrap : (newest ?? spec.backup ?? spec.bootstrap));
}

/** A recovery goes on with the backup that it began with, whatever is made, asked for or deleted meanwhile. */
function pinned(recovery: FoundRecovery | undefined): SeedSource | undefined {
  return isRecovering(recovery) ? recovery?.from : undefined;
}

/** Backups that the recovery under way has begun with so far. */
function triedBy(recovery: FoundRecovery | undefined): ReadonlySet<string> {
  if (!isRecovering(recovery)) return new Set();
  const { from, passed = [] } = recovery ?? {};
  return new Set([...passed.map(({ backup }) => backup), ...(from?.backup === undefined ? [] : [from.backup])]);
}

/** The very backup that was looked up and read when the restore began, not one that is the newest by now. */
function sourceOf({ spec, status }: FoundRestore): SeedSource {
  const source = spec as unknown as SeedSource;
  return placed(source, status?.backup ?? source.backup);
}

/**
 * Whether a backup was made of this very EtcdCluster, or is the one that it began with: an EtcdBackup outlives its cluster, and what it has of
 * one that had the same name before is nobody's loss here. Within one life a cluster may have had several of etcd's ids.
 */
function isOfThisLife({ metadata, spec, status }: BackupsSeen["object"], record: FoundRecord): boolean {
  const { name, time, clusterId, clusterUid } = record;
  if (clusterId !== undefined && clusterId === status?.clusterId) return true;
  if ([spec.bootstrap?.backup, status?.bornFrom, status?.recovery?.from?.backup].includes(name)) return true;
  if (clusterUid !== undefined) return clusterUid === metadata.uid;
  // An older operator wrote it down: nobody backs up what is not there yet.
  const { creationTimestamp } = metadata;
  return creationTimestamp === undefined || Date.parse(time) >= Date.parse(creationTimestamp);
}

/**
 * The newest that any EtcdBackup of the cluster has made and that was tried as it asks, and where it is. Within one cluster id
 * revisions only grow, whatever clocks say; ids are told apart by time only.
 */
function newestBackup(
  backups: readonly FoundBackup[],
  {
    clusterId,
    isMeant,
  }: { readonly clusterId: string | undefined; readonly isMeant: (record: FoundRecord) => boolean },
): { readonly source: SeedSource; readonly revision?: number } | undefined {
  const proven = backups.flatMap(({ spec, status }) => {
    const source = spec as unknown as SeedSource & { readonly verify?: "checksum" | "restore" };
    const records = [...(status?.last ? [status.last] : []), ...(status?.backups ?? [])];
    const isProven = ({ verified }: FoundRecord): boolean => source.verify !== "restore" || verified === "restore";
    const counting = records.filter((record) => isProven(record) && isMeant(record));
    return counting.map((record) => ({ source, record }));
  });
  const current = proven.filter(({ record }) => clusterId !== undefined && record.clusterId === clusterId);
  const [newest] =
    current.length > 0
      ? current.toSorted((one, other) => other.record.revision - one.record.revision || byTime(one, other))
      : proven.toSorted(byTime);
  if (newest === undefined) return undefined;
  const source = placed(newest.source, newest.record.name);
  return current.length > 0 ? { source, revision: newest.record.revision } : { source };
}

function byTime(one: { readonly record: FoundRecord }, other: { readonly record: FoundRecord }): number {
  return other.record.time.localeCompare(one.record.time);
}

function placed({ store, encryption }: SeedSource, backup: string | undefined): SeedSource {
  return { store, ...(backup === undefined ? {} : { backup }), ...(encryption === undefined ? {} : { encryption }) };
}
