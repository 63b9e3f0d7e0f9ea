/**
 * The manifest of a backup: a small object beside the content. It is written last, so a backup with a manifest is complete. With a key it
 * carries a proof over all its fields. A reader with the key accepts it only if the proof is valid and it is stored under its own name.
 */
import { BackupError } from "capstan/stateful";
import { canonical, manifestChecks, newestByTime, parseMoment } from "capstan/stateful/parts";
import type { ManifestFormat, NameParts, StoredManifest, StreamSize } from "capstan/stateful/parts";

export interface Manifest extends StoredManifest {
  readonly format: 2;
  readonly cluster: {
    readonly namespace: string;
    readonly name: string;
    /** uid of the EtcdCluster. A later cluster can have the same name. */
    readonly uid?: string;
    readonly clusterId: string;
  };
  /** The backup policy. Other policies do not prune this backup. Without a policy, any may. */
  readonly policy?: string;
  /** How many times the cluster continued from a single member. That keeps the cluster id, and the revision may decrease. */
  readonly forks?: number;
  /** The member that provided the snapshot. */
  readonly member: string;
  /** etcd version of that member. */
  readonly version: string;
  readonly storageVersion?: string;
  readonly revision: number;
  /** etcd's hash over the keys, for comparison with a restored member. */
  readonly kvHash?: { readonly hash: number; readonly compactRevision: number };
  readonly snapshot: StreamSize;
}

/** The names of the two objects of a backup. */
export function objectNames(name: string): { readonly manifest: string; readonly content: string } {
  return { manifest: `${name}.json`, content: `${name}${CONTENT_SUFFIX}` };
}

const CONTENT_SUFFIX = ".snapshot";

interface RevisionName extends NameParts {
  readonly revision: number;
}

/** A name that sorts by time and contains the revision. The salt separates backups of the same second. */
export function backupName({ cluster, time, revision, salt }: RevisionName & { readonly salt: string }): string {
  const moment = time.toISOString().replace(/[-:]|\.\d{3}/g, "");
  return `${cluster.namespace}/${cluster.name}/${moment}-r${revision}-${salt}`;
}

function parseName(name: string): RevisionName | undefined {
  const [, namespace, cluster, moment, revision] = NAME.exec(name) ?? [];
  if (namespace === undefined || cluster === undefined || moment === undefined) return undefined;
  const time = parseMoment(moment);
  return time && { cluster: { namespace, name: cluster }, time, revision: Number(revision) };
}

const NAME = /^([a-z0-9][-a-z0-9]*)\/([a-z0-9][-.a-z0-9]*)\/(\d{8}T\d{6}Z)-r(\d{1,16})-[0-9a-f]{1,64}$/;

/** The identity of the backup as text. The content is encrypted for it. */
export function identityOf({ name, cluster, time, revision }: Pick<Manifest, Identity>): string {
  return canonical({ name, cluster, time, revision });
}

type Identity = "name" | "cluster" | "time" | "revision";

/** Backups of one cluster, newest first. Clocks may be wrong; revisions only grow, except when a cluster continues from a single member. */
export function byRevision(backups: readonly Manifest[]): Manifest[] {
  return newestByTime(backups).toSorted(
    (one, other) => (other.forks ?? 0) - (one.forks ?? 0) || other.revision - one.revision,
  );
}

/** Revisions of different clusters cannot be compared: those of the cluster with the latest backup come first. */
function newestFirst(backups: readonly Manifest[]): Manifest[] {
  const [latest] = newestByTime(backups);
  const isOfLatest = ({ cluster }: Manifest): boolean => cluster.clusterId === latest?.cluster.clusterId;
  return [...byRevision(backups.filter(isOfLatest)), ...byRevision(backups.filter((one) => !isOfLatest(one)))];
}

/** Fails if the backup is from a newer etcd than the one that should read it. */
export function checkVersion(manifest: Manifest, target: string): void {
  const [from, to] = [manifest.storageVersion ?? manifest.version, target].map(minorOf);
  if (from === undefined || to === undefined || from <= to) return;
  const message = `the backup ${manifest.name} is of etcd ${manifest.version}, which etcd ${target} cannot read: ask for 3.${from} or newer`;
  throw new BackupError("NewerVersion", message);
}

function minorOf(version: string): number | undefined {
  const minor = /^3\.(\d+)/.exec(version)?.[1];
  return minor === undefined ? undefined : Number(minor);
}

const { shape, oneOf, optional, any, text, time, count, integer, part, encryption } = manifestChecks;

export const format: ManifestFormat<Manifest> = {
  number: 2,
  isManifest: shape({
    format: oneOf(2),
    name: text,
    cluster: shape({ namespace: text, name: text, uid: optional(text), clusterId: text }),
    spec: any,
    policy: optional(text),
    forks: optional(count),
    time,
    member: text,
    version: text,
    storageVersion: optional(text),
    revision: count,
    kvHash: optional(shape({ hash: count, compactRevision: integer })),
    snapshot: part,
    stored: part,
    compression: oneOf("none", "gzip", "zstd"),
    encryption,
  }),
  contentSuffix: CONTENT_SUFFIX,
  nameForm: "<namespace>/<cluster>/<time>-r<revision>-<salt>",
  parseName,
  hasName: ({ revision, name }) => revision === parseName(name)?.revision,
  contentOf: (manifest) => ({ content: manifest.snapshot, identity: identityOf(manifest) }),
  newestFirst,
  isSameSeries: ({ cluster, policy }, proven) =>
    cluster.clusterId === proven.cluster.clusterId && isPrunedBy(policy, proven),
};

/** A policy prunes its own backups and those without one. */
export function isPrunedBy(policy: string | undefined, proven: Manifest): boolean {
  return policy === undefined || policy === proven.policy;
}
