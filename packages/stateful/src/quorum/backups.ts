/** The backups that decisions know of, and the one that a first member starts with: chosen once, then kept. */
import type { RecordedBackup } from "../backup/catalog.ts";
import type { StoreAccess } from "../backup/resource.ts";
import type { Observation, RecordedRecovery, SkippedBackup } from "./contract.ts";
import { forksOf } from "./forks.ts";
import type { Forked } from "./forks.ts";
import { recordedFor } from "./recorded.ts";
import { isRecovering } from "./recovery.ts";

/**
 * A backup and its store. Default: the newest one there.
 *
 * @example
 * const source: SeedSource = { store: { volume: { claim: "backups", path: "" } }, backup: "default/db/1" };
 */
export interface SeedSource extends StoreAccess {
  readonly backup?: string | undefined;
  readonly digest?: string | undefined;
  readonly sourceCluster?: { readonly namespace?: string | undefined; readonly name: string } | undefined;
}

/**
 * The fields of a backup object that matter here.
 *
 * @example
 * const countOf = ({ status }: FoundBackup) => status?.backups?.length ?? 0;
 */
export interface FoundBackup {
  readonly spec: { readonly cluster: string };
  readonly status?: { readonly last?: FoundRecord | undefined; readonly backups?: readonly FoundRecord[] };
}

interface FoundRecord {
  readonly name: string;
  readonly time: string;
  readonly revision: number;
  /** Older operators did not record it. */
  readonly clusterId?: string | undefined;
  /** Older operators did not record it. */
  readonly clusterUid?: string | undefined;
  readonly forks?: number | undefined;
  readonly verified?: "checksum" | "restore" | undefined;
  /** sha256 of its manifest. Older operators did not record it. */
  readonly digest?: string | undefined;
}

/**
 * The fields of a restore object that matter here.
 *
 * @example
 * const isInPlace = ({ spec }: FoundRestore) => spec.overwrite !== undefined;
 */
export interface FoundRestore {
  readonly metadata: { readonly uid: string; readonly name: string };
  readonly spec: { readonly cluster: string; readonly overwrite?: string | undefined };
  readonly status?: {
    readonly phase?: string;
    readonly backup?: string | undefined;
    readonly digest?: string | undefined;
    /** The uid of the cluster to overwrite. */
    readonly clusterUid?: string | undefined;
  };
}

/** The fields of a recovery that matter here. */
interface FoundRecovery {
  readonly phase: RecordedRecovery["phase"];
  readonly source?: RecordedRecovery["source"] | undefined;
  readonly restore?: string | undefined;
  readonly from?: SeedSource | undefined;
  readonly passed?: readonly SkippedBackup[] | undefined;
}

/** The fields of a cluster that matter here. */
interface FoundCluster {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly uid: string;
    readonly creationTimestamp?: string | undefined;
  };
  readonly spec: { readonly bootstrap?: SeedSource | undefined; readonly backup?: SeedSource | undefined };
  readonly status?:
    | (Omit<Forked, "recovery"> & {
        readonly clusterId?: string | undefined;
        readonly bornFrom?: string | undefined;
        readonly comparison?: { readonly differing: readonly string[] } | undefined;
        readonly recovery?: FoundRecovery | undefined;
      })
    | undefined;
}

/**
 * A cluster, its backups and restores.
 *
 * @example
 * const nameOf = ({ object }: ObservedBackups) => object.metadata.name;
 */
export interface ObservedBackups {
  readonly object: FoundCluster;
  readonly backups: readonly FoundBackup[];
  readonly restores: readonly FoundRestore[];
}

/**
 * What decisions know of backups.
 *
 * @example
 * const hasBackup = ({ newestBackup }: BackupObservation) => newestBackup !== undefined;
 */
export interface BackupObservation extends Pick<
  Observation,
  "newestBackup" | "newestRevision" | "isNewestComplete" | "backupsOfEarlierCluster" | "restore" | "isRestoreDeleted"
> {
  /** The backup that a first member starts with, if any. */
  readonly seedFrom?: SeedSource;
  /** The newest recorded backup of the source, if `seedFrom` names none. */
  readonly recorded?: RecordedBackup;
  /** The backup that a recovery would start with now: the newest one that it has not tried yet. */
  readonly newest?: SeedSource;
}

/**
 * The requested restore in place, if any, and the backup that would be used if all data were lost.
 *
 * @example
 * const isRestored = (observed: ObservedBackups) => backupsOf(observed).restore !== undefined;
 */
export function backupsOf({ object, backups, restores }: ObservedBackups): BackupObservation {
  const { name } = object.metadata;
  const asker = object.status?.recovery?.restore;
  const own = backups.filter(({ spec }) => spec.cluster === name);
  const tried = triedBy(object.status?.recovery);
  const found = newestBackup(own, {
    clusterId: object.status?.clusterId,
    forks: forksOf(object.status),
    isDisputed: (object.status?.comparison?.differing ?? []).length > 0,
    isMeant: (record) => isOfThisCluster(object, record) && !tried.has(record.name),
  });
  const { source: newest, ...facts } = found ?? {};
  const restore = restores.find((one) => isAbout(one, object.metadata));
  const seedFrom = seedOf(object, { newest, restore });
  return {
    ...(newest?.backup === undefined ? {} : { newestBackup: newest.backup }),
    ...facts,
    ...(restore === undefined ? {} : { restore: { uid: restore.metadata.uid, name: restore.metadata.name } }),
    ...(seedFrom === undefined ? {} : { seedFrom }),
    ...recordedOf(object, seedFrom, backups),
    ...(newest === undefined ? {} : { newest }),
    backupsOfEarlierCluster: recordsOf(own).filter((record) => !isOfThisCluster(object, record)).length,
    isRestoreDeleted: asker !== undefined && restores.every(({ metadata }) => metadata.uid !== asker),
  };
}

/** The newest recorded backup, so that an older one in the store is not taken for it. */
function recordedOf(
  { metadata }: ObservedBackups["object"],
  source: SeedSource | undefined,
  backups: readonly FoundBackup[],
): Pick<BackupObservation, "recorded"> {
  if (source === undefined || source.backup !== undefined) return {};
  const { store, sourceCluster } = source;
  const recorded = recordedFor(backups, { store, cluster: sourceCluster ?? metadata }, metadata.namespace ?? "");
  return recorded === undefined ? {} : { recorded };
}

/** A restore that replaces the data of this cluster, and has passed its checks. */
function isAbout({ spec, status }: FoundRestore, { name, uid }: ObservedBackups["object"]["metadata"]): boolean {
  const isAsked = spec.cluster === name && spec.overwrite === name && status?.phase === "Running";
  return isAsked && (status?.clusterUid ?? uid) === uid;
}

/** All recorded backups, without duplicates. */
function recordsOf(backups: readonly FoundBackup[]): readonly FoundRecord[] {
  const all = backups.flatMap(({ status }) => [...(status?.backups ?? []), ...(status?.last ? [status.last] : [])]);
  return [...new Map(all.map((record) => [record.name, record])).values()];
}

/** The backup that a first member would start with now: the requested one, that of the recovery, or that of `spec.bootstrap`. */
function seedOf(
  { spec, status }: ObservedBackups["object"],
  { newest, restore }: { readonly newest: SeedSource | undefined; readonly restore: FoundRestore | undefined },
): SeedSource | undefined {
  const kept = pinned(status?.recovery);
  if (restore !== undefined) {
    const isUnderWay = restore.metadata.uid === status?.recovery?.restore;
    return (isUnderWay ? kept : undefined) ?? sourceOf(restore);
  }
  return kept ?? (status?.clusterId === undefined ? spec.bootstrap : (newest ?? spec.backup ?? spec.bootstrap));
}

/** A recovery continues with its backup, whatever is created or deleted meanwhile. */
function pinned(recovery: FoundRecovery | undefined): SeedSource | undefined {
  return isRecovering(recovery) ? recovery?.from : undefined;
}

/** Backups that the present recovery has tried. After it returned to a survivor, it does not try them again. */
function triedBy(recovery: FoundRecovery | undefined): ReadonlySet<string> {
  const { phase = "Done", from, passed = [] } = recovery ?? {};
  if (phase === "Done") return new Set();
  const names = passed.map(({ backup }) => backup);
  return new Set(isRecovering(recovery) && from?.backup !== undefined ? [...names, from.backup] : names);
}

/** The backup that was read when the restore began, even if a newer one exists now. */
function sourceOf({ spec, status }: FoundRestore): SeedSource {
  const source = spec as unknown as SeedSource;
  return placed(source, status?.backup === undefined ? source : { backup: status.backup, digest: status.digest });
}

/**
 * Whether a backup is of this cluster object, or is the one that it started with. A backup object outlives its cluster, so it may list backups
 * of an earlier cluster with the same name. One cluster object may have had several cluster ids.
 */
function isOfThisCluster({ metadata, spec, status }: ObservedBackups["object"], record: FoundRecord): boolean {
  const { name, time, clusterId, clusterUid } = record;
  if (clusterId !== undefined && clusterId === status?.clusterId) return true;
  if ([spec.bootstrap?.backup, status?.bornFrom, status?.recovery?.from?.backup].includes(name)) return true;
  if (clusterUid !== undefined) return clusterUid === metadata.uid;
  // Recorded by an older operator: a backup cannot be older than its cluster.
  const { creationTimestamp } = metadata;
  return creationTimestamp === undefined || Date.parse(time) >= Date.parse(creationTimestamp);
}

interface BackupHistory {
  readonly clusterId: string | undefined;
  readonly forks: number;
  /** Data differed: a backup may contain data of a member that was replaced since. */
  readonly isDisputed: boolean;
  readonly isMeant: (record: FoundRecord) => boolean;
}

interface Newest extends Pick<Observation, "newestRevision" | "isNewestComplete"> {
  readonly source: SeedSource;
}

/**
 * The newest backup of any backup object of the cluster that was verified as required, and its store. Within one cluster id revisions only
 * grow, whatever the clocks, until a single-member recovery. Different ids are ordered by time only.
 */
function newestBackup(backups: readonly FoundBackup[], line: BackupHistory): Newest | undefined {
  const { clusterId, isMeant } = line;
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
      ? current.toSorted((one, other) => byHistory(one.record, other.record) || byTime(one, other))
      : proven.toSorted(byTime);
  if (newest === undefined) return undefined;
  const source = placed(newest.source, { backup: newest.record.name, digest: newest.record.digest });
  return { source, ...(current.length > 0 ? placeOf(newest.record, recordsOf(backups), line) : {}) };
}

/** Whether the revision of the backup can be compared with those of members. */
function placeOf(
  { forks: made = 0, revision, time }: FoundRecord,
  records: readonly FoundRecord[],
  { clusterId, forks, isDisputed }: BackupHistory,
): Pick<Newest, "newestRevision" | "isNewestComplete"> {
  if (made !== forks) return {};
  const line = records.filter((one) => one.clusterId === clusterId && (one.forks ?? 0) === forks);
  // A later backup with a lower revision: all volumes may have been reset to older ones.
  const isFall = (one: FoundRecord): boolean => one.revision < revision && Date.parse(one.time) > Date.parse(time);
  return { newestRevision: revision, isNewestComplete: !isDisputed && !line.some(isFall) };
}

/** Backups after the last single-member recovery first. */
function byHistory(one: FoundRecord, other: FoundRecord): number {
  return (other.forks ?? 0) - (one.forks ?? 0) || other.revision - one.revision;
}

function byTime(one: { readonly record: FoundRecord }, other: { readonly record: FoundRecord }): number {
  return other.record.time.localeCompare(one.record.time);
}

function placed({ store, encryption, allowUnencrypted }: SeedSource, { backup, digest }: Named): SeedSource {
  return {
    store,
    ...(backup === undefined ? {} : { backup }),
    ...(digest === undefined ? {} : { digest }),
    ...(encryption === undefined ? {} : { encryption }),
    ...(allowUnencrypted === undefined ? {} : { allowUnencrypted }),
  };
}

type Named = { readonly backup?: string | undefined; readonly digest?: string | undefined };
