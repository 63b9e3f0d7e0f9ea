/** Where the data of a first member comes from: decided once, and then kept to. */
import type { RecordedRecovery, Observation, SkippedBackup } from "../contract.ts";
import { isRecovering } from "../decide/index.ts";
import { forksOf } from "../forks.ts";
import { recordedFor } from "../backup/recorded.ts";
import type { Recorded } from "../backup/retention.ts";
import type { ClusterObject } from "./spec-and-status.ts";

/** A backup and the store that it is in; the newest there if none is named. */
export type SeedSource = Pick<
  NonNullable<ClusterObject["spec"]["bootstrap"]>,
  "store" | "backup" | "digest" | "sourceCluster" | "encryption" | "allowUnencrypted"
>;

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
  readonly forks?: number | undefined;
  readonly verified?: "checksum" | "restore" | undefined;
  /** sha256 of its manifest. Missing in what an older operator wrote down. */
  readonly digest?: string | undefined;
}

/** An EtcdRestore, as far as it matters. */
export interface FoundRestore {
  readonly metadata: { readonly uid: string; readonly name: string };
  readonly spec: { readonly cluster: string; readonly overwrite?: string | undefined };
  readonly status?: {
    readonly phase?: string;
    readonly backup?: string | undefined;
    readonly digest?: string | undefined;
    /** Which very cluster is to be overwritten. */
    readonly clusterUid?: string | undefined;
  };
}

/** A recovery, as far as it matters. */
interface FoundRecovery {
  readonly phase: RecordedRecovery["phase"];
  readonly from?: SeedSource | undefined;
  readonly passed?: readonly SkippedBackup[] | undefined;
}

/** Where to look. */
export interface ObservedBackups {
  readonly object: Pick<ClusterObject, "metadata" | "spec" | "status">;
  readonly backups: readonly FoundBackup[];
  readonly restores: readonly FoundRestore[];
}

/** What was found. */
export interface BackupObservation extends Pick<
  Observation,
  "newestBackup" | "newestRevision" | "isNewestComplete" | "backupsOfEarlierCluster" | "restore" | "isRestoreDeleted"
> {
  /** What a first member begins with, if not with nothing. */
  readonly seedFrom?: SeedSource;
  /** The newest that was recorded of the source, where `seedFrom` names none. */
  readonly recorded?: Recorded;
  /** What a recovery would begin with now: the newest that it has not tried yet. */
  readonly newest?: SeedSource;
}

/** What is to be put in the place of all data, if somebody asks for it; and what there would be, if all data were lost. */
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

/** An older backup in the place of the newest is not what was recorded. */
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

/** It asks for a backup in the place of this very cluster's data, and was found to be possible. */
function isAbout({ spec, status }: FoundRestore, { name, uid }: ObservedBackups["object"]["metadata"]): boolean {
  const isAsked = spec.cluster === name && spec.overwrite === name && status?.phase === "Running";
  return isAsked && (status?.clusterUid ?? uid) === uid;
}

/** All that is told of, each once. */
function recordsOf(backups: readonly FoundBackup[]): readonly FoundRecord[] {
  const all = backups.flatMap(({ status }) => [...(status?.backups ?? []), ...(status?.last ? [status.last] : [])]);
  return [...new Map(all.map((record) => [record.name, record])).values()];
}

/** What a first member would begin with now: what somebody asks for, what a recovery began with, or where such a cluster comes from. */
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

/** A recovery goes on with the backup that it began with, whatever is made, asked for or deleted meanwhile. */
function pinned(recovery: FoundRecovery | undefined): SeedSource | undefined {
  return isRecovering(recovery) ? recovery?.from : undefined;
}

/** Backups that the recovery under way has begun with so far; one that went back to what is left does not begin with the same again. */
function triedBy(recovery: FoundRecovery | undefined): ReadonlySet<string> {
  const { phase = "Done", from, passed: skipped = [] } = recovery ?? {};
  if (phase === "Done") return new Set();
  const names = skipped.map(({ backup }) => backup);
  return new Set(isRecovering(recovery) && from?.backup !== undefined ? [...names, from.backup] : names);
}

/** The very backup that was looked up and read when the restore began, not one that is the newest by now. */
function sourceOf({ spec, status }: FoundRestore): SeedSource {
  const source = spec as unknown as SeedSource;
  return placed(source, status?.backup === undefined ? source : { backup: status.backup, digest: status.digest });
}

/**
 * Whether a backup was made of this very EtcdCluster, or is the one that it began with: an EtcdBackup outlives its cluster, and what it has of
 * one that had the same name before is nobody's loss here. Within one life a cluster may have had several of etcd's ids.
 */
function isOfThisCluster({ metadata, spec, status }: ObservedBackups["object"], record: FoundRecord): boolean {
  const { name, time, clusterId, clusterUid } = record;
  if (clusterId !== undefined && clusterId === status?.clusterId) return true;
  if ([spec.bootstrap?.backup, status?.bornFrom, status?.recovery?.from?.backup].includes(name)) return true;
  if (clusterUid !== undefined) return clusterUid === metadata.uid;
  // An older operator wrote it down: nobody backs up what is not there yet.
  const { creationTimestamp } = metadata;
  return creationTimestamp === undefined || Date.parse(time) >= Date.parse(creationTimestamp);
}

interface BackupHistory {
  readonly clusterId: string | undefined;
  readonly forks: number;
  /** Data differed: a backup may be of what somebody has done away with since. */
  readonly isDisputed: boolean;
  readonly isMeant: (record: FoundRecord) => boolean;
}

interface Newest extends Pick<Observation, "newestRevision" | "isNewestComplete"> {
  readonly source: SeedSource;
}

/**
 * The newest that any EtcdBackup of the cluster has made and that was tried as it asks, and where it is. Within one cluster id
 * revisions only grow, whatever clocks say, until a member goes on alone; ids are told apart by time only.
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

/** What its revision tells about members, if anything. */
function placeOf(
  { forks: made = 0, revision, time }: FoundRecord,
  records: readonly FoundRecord[],
  { clusterId, forks, isDisputed }: BackupHistory,
): Pick<Newest, "newestRevision" | "isNewestComplete"> {
  if (made !== forks) return {};
  const line = records.filter((one) => one.clusterId === clusterId && (one.forks ?? 0) === forks);
  // Made later and with less: somebody may have put older volumes in the place of all.
  const isFall = (one: FoundRecord): boolean => one.revision < revision && Date.parse(one.time) > Date.parse(time);
  return { newestRevision: revision, isNewestComplete: !isDisputed && !line.some(isFall) };
}

/** Those since a member last went on alone first. */
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
