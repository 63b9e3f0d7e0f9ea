/**
 * The manifest of a backup: a small object beside the content. It is written last, so a backup with a manifest is complete. With a key it
 * carries a proof over all its fields. A reader with the key accepts a manifest only after `checkManifest`: the proof must be valid, and
 * the manifest must be stored under its own name. Without a key it proves nothing: any writer of the store can create one.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { BackupError, keyPrint, manifestKey } from "capstan/stateful";
import type { Compression } from "capstan/stateful";

export interface Manifest {
  readonly format: 2;
  /** Name in the store, without extension. */
  readonly name: string;
  readonly cluster: {
    readonly namespace: string;
    readonly name: string;
    /** uid of the EtcdCluster. A later cluster can have the same name. */
    readonly uid?: string;
    readonly clusterId: string;
  };
  /** The spec of the cluster at that time, enough to recreate it. */
  readonly spec?: unknown;
  /** The backup policy. Other policies do not prune this backup. Without a policy, any may. */
  readonly policy?: string;
  /** How many times the cluster continued from a single member. That keeps the cluster id, and the revision may decrease. */
  readonly forks?: number;
  /** ISO 8601. */
  readonly time: string;
  /** The member that provided the snapshot. */
  readonly member: string;
  /** etcd version of that member. */
  readonly version: string;
  readonly storageVersion?: string;
  readonly revision: number;
  /** etcd's hash over the keys, for comparison with a restored member. */
  readonly kvHash?: { readonly hash: number; readonly compactRevision: number };
  readonly snapshot: { readonly bytes: number; readonly sha256: string };
  readonly stored: { readonly bytes: number; readonly sha256: string };
  readonly compression: Compression;
  /** Fingerprint of the encryption key, and a proof by that key over all other fields. */
  readonly encryption?: { readonly key: string; readonly proof: string };
}

/** The names of the two objects of a backup. */
export function objectNames(name: string): { readonly manifest: string; readonly content: string } {
  return { manifest: `${name}.json`, content: `${name}.snapshot` };
}

/** The name of a backup from the name of its manifest. */
export function nameOfManifest(object: string): string | undefined {
  return object.endsWith(".json") ? object.slice(0, -".json".length) : undefined;
}

/** The name of a backup from the name of its content. */
export function nameOfContent(object: string): string | undefined {
  return object.endsWith(".snapshot") ? object.slice(0, -".snapshot".length) : undefined;
}

/** A name that sorts by time and contains the revision. The salt separates backups of the same second. */
export function backupName({ cluster, time, revision, salt }: NameParts): string {
  const moment = time.toISOString().replace(/[-:]|\.\d{3}/g, "");
  return `${cluster.namespace}/${cluster.name}/${moment}-r${revision}-${salt}`;
}

export interface NameParts {
  readonly cluster: { readonly namespace: string; readonly name: string };
  readonly time: Date;
  readonly revision: number;
  readonly salt: string;
}

/** Parses a name; undefined if it is not the name of a backup. */
export function parseName(name: string): Omit<NameParts, "salt"> | undefined {
  const [, namespace, cluster, moment, revision] = NAME.exec(name) ?? [];
  if (namespace === undefined || cluster === undefined || moment === undefined) return undefined;
  const time = new Date(moment.replace(/^(....)(..)(..T..)(..)/, "$1-$2-$3:$4:"));
  if (Number.isNaN(time.getTime())) return undefined;
  return { cluster: { namespace, name: cluster }, time, revision: Number(revision) };
}

const NAME = /^([a-z0-9][-a-z0-9]*)\/([a-z0-9][-.a-z0-9]*)\/(\d{8}T\d{6}Z)-r(\d{1,16})-[0-9a-f]{1,64}$/;

/** Adds the proof if a key is given. */
export function seal(manifest: Omit<Manifest, "encryption">, key: Buffer | undefined): Manifest {
  return key ? { ...manifest, encryption: { key: keyPrint(key), proof: prove(manifest, key) } } : manifest;
}

/** The identity of the backup as text. The content is encrypted for it. */
export function identityOf({ name, cluster, time, revision }: Pick<Manifest, Identity>): string {
  return canonical({ name, cluster, time, revision });
}

type Identity = "name" | "cluster" | "time" | "revision";

/** sha256 over all fields, independent of their order. */
export function digestOf(manifest: Manifest): string {
  return createHash("sha256").update(canonical(manifest)).digest("hex");
}

/** Limit for reading. A spec is a Kubernetes object, which is smaller. */
export const LARGEST_MANIFEST = 4 << 20;

export function formatManifest(manifest: Manifest): string {
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  return Buffer.byteLength(text) <= LARGEST_MANIFEST ? text : JSON.stringify(manifest);
}

/** Parses a manifest. Unknown fields are rejected, so that a change of meaning needs a new format number. */
export function parseManifest(text: string): Manifest {
  const value = parseJson(text);
  if (!isRecord(value)) throw unreadable();
  const { format } = value;
  if (format !== 2) {
    const message = `the backup has format ${JSON.stringify(format) ?? "none"}, and this operator reads format 2: use the operator that made it`;
    throw new BackupError("Unsupported", message);
  }
  if (isManifest(value)) return value;
  throw unreadable();
}

/** Which manifests a reader accepts. */
export interface Trust {
  /** With a key, only manifests with a proof of that key are accepted. */
  readonly key?: Buffer;
  /** Accept manifests without encryption as well: for the time after a key was introduced. */
  readonly allowUnencrypted?: boolean;
}

/** Fails unless the manifest belongs to the backup of this name and, with a key, is authentic. */
export function checkManifest(manifest: Manifest, name: string, trust: Trust): void {
  checkSeal(manifest, name, trust);
  const { cluster, time, revision } = parseName(name) ?? refuseName(name);
  const isOwn =
    manifest.name === name &&
    manifest.cluster.namespace === cluster.namespace &&
    manifest.cluster.name === cluster.name &&
    Math.floor(Date.parse(manifest.time) / 1000) * 1000 === time.getTime() &&
    manifest.revision === revision;
  if (isOwn) return;
  const found = `${JSON.stringify(manifest.name.slice(0, 300))} of ${manifest.time.slice(0, 40)}`;
  const message = `under the name ${name} the store has the manifest of another backup, ${found}: name another backup`;
  throw new BackupError("Misplaced", message);
}

/** Fails unless the manifest has a valid proof of the key. */
export function checkSeal(manifest: Manifest, name: string, { key, allowUnencrypted = false }: Trust): void {
  const { encryption, ...rest } = manifest;
  if (encryption === undefined) {
    if (key === undefined || allowUnencrypted) return;
    const message = `the backup ${name} is not encrypted, though a key is configured: anybody who writes to the store can have made it. Set allowUnencrypted if it is from before the key`;
    throw new BackupError("Unencrypted", message);
  }
  if (key === undefined) {
    throw new BackupError("WrongKey", `the backup ${name} is encrypted: name the Secret with its key`);
  }
  if (encryption.key !== keyPrint(key)) {
    const message = `the backup ${name} was made with another key (${encryption.key}, not ${keyPrint(key)})`;
    throw new BackupError("WrongKey", message);
  }
  const [given, expected] = [Buffer.from(encryption.proof), Buffer.from(prove(rest, key))];
  if (given.length === expected.length && timingSafeEqual(given, expected)) return;
  throw new BackupError("Corrupt", `the manifest of the backup ${name} was changed by somebody without its key`);
}

/** Fails unless the manifest is the recorded one. */
export function checkDigest(manifest: Manifest, digest: string | undefined): void {
  if (digest === undefined || digestOf(manifest) === digest) return;
  const message = `the backup ${manifest.name} in the store is not the one that was recorded (sha256 ${digestOf(manifest)}, not ${digest}): it was replaced`;
  throw new BackupError("Changed", message);
}

function refuseName(name: string): never {
  const message = `${JSON.stringify(name)} is not the name of a backup: <namespace>/<cluster>/<time>-r<revision>-<salt>`;
  throw new BackupError("NotFound", message);
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

function prove(manifest: Omit<Manifest, "encryption">, key: Buffer): string {
  return createHmac("sha256", manifestKey(key)).update(canonical(manifest)).digest("hex");
}

/** Kubernetes accepts no deeper objects, but a store can contain anything. */
const DEEPEST = 256;

/** Canonical JSON: independent of the order of fields. */
function canonical(value: unknown, depth = 0): string {
  if (depth > DEEPEST) throw unreadable();
  if (Array.isArray(value)) return `[${value.map((one) => canonical(one, depth + 1)).join(",")}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? "null";
  const fields = Object.keys(value).filter((field) => value[field] !== undefined);
  return `{${fields
    .sort()
    .map((field) => `${JSON.stringify(field)}:${canonical(value[field], depth + 1)}`)
    .join(",")}}`;
}

type Check = (value: unknown) => boolean;

const isShort: Check = (value) => typeof value === "string" && value.length <= 1024;
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isTime: Check = (value) => isShort(value) && !Number.isNaN(Date.parse(String(value)));
const isSum: Check = (value) => typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
const isOneOf = (...values: readonly unknown[]): Check => {
  return (value) => values.includes(value);
};
const isAnything: Check = () => true;
const orNothing = (check: Check): Check => {
  return (value) => value === undefined || check(value);
};

/** Requires exactly these fields, each of them valid. */
function shape(fields: { readonly [field: string]: Check }): Check {
  const checks = new Map(Object.entries(fields));
  return (value) =>
    isRecord(value) &&
    Object.keys(value).every((field) => checks.has(field)) &&
    [...checks].every(([field, check]) => check(value[field]));
}

const part = shape({ bytes: isCount, sha256: isSum });
const whole = shape({
  format: isOneOf(2),
  name: isShort,
  cluster: shape({ namespace: isShort, name: isShort, uid: orNothing(isShort), clusterId: isShort }),
  spec: isAnything,
  policy: orNothing(isShort),
  forks: orNothing(isCount),
  time: isTime,
  member: isShort,
  version: isShort,
  storageVersion: orNothing(isShort),
  revision: isCount,
  kvHash: orNothing(shape({ hash: isCount, compactRevision: (value) => Number.isSafeInteger(value) })),
  snapshot: part,
  stored: part,
  compression: isOneOf("none", "gzip", "zstd"),
  encryption: orNothing(shape({ key: isShort, proof: isShort })),
});

function isManifest(value: Record<string, unknown>): value is Record<string, unknown> & Manifest {
  return whole(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable();
  }
}

function unreadable(): BackupError {
  return new BackupError("Corrupt", "the manifest of the backup cannot be read: name another backup");
}
