/**
 * The manifest of a backup: a small object beside the content. It is written last, so a backup with a manifest is complete. A reader
 * accepts it only after `checkManifest`: the proof must be valid, and the manifest must be stored under its own name.
 */
import { canonical, isRecord, unreadable } from "./canonical.ts";
import type { Compression } from "./compression.ts";
import type { ContentFacts, Part } from "./content.ts";
import { BackupError } from "./errors.ts";
import { checkSeal } from "./seal.ts";
import type { Trust } from "./seal.ts";

/** A copy of all data, or a piece of the log of writes. */
export type BackupType = "full" | "log";

/** What is known of a backup. Positions are texts of the application. */
export interface Manifest {
  readonly format: 1;
  /** Such as `mariadb`. */
  readonly application: string;
  readonly type: BackupType;
  /** Name in the store, without extension. */
  readonly name: string;
  readonly cluster: {
    readonly namespace: string;
    readonly name: string;
    /** A later cluster can have the same name. */
    readonly uid: string;
    readonly lineage: string;
  };
  /** The spec of the cluster at that time, enough to recreate it. */
  readonly spec?: unknown;
  /** The schedule that made it. Other schedules do not remove it. */
  readonly schedule?: string;
  /** ISO 8601. */
  readonly time: string;
  /** ISO 8601. Of a full backup: its data is not newer. Of a log: every write before that time is in it, or in earlier pieces. */
  readonly until: string;
  /** The member that it was copied from. */
  readonly member: string;
  readonly version: string;
  /** The position of the data, or of the end of the log. */
  readonly position: string;
  /** Of a log: the position before its first write. */
  readonly from?: string;
  readonly content: Part;
  readonly stored: Part;
  readonly compression: Compression;
  /** Hash of the rows, for comparison with a trial restore. */
  readonly rows?: string;
  readonly encryption?: { readonly key: string; readonly proof: string };
}

/** The names of the two objects of a backup. */
export function objectNames(name: string): { readonly manifest: string; readonly content: string } {
  return { manifest: `${name}.json`, content: `${name}.data` };
}

/** The name of a backup from the name of one of its objects. */
export function nameOfObject(
  object: string,
): { readonly name: string; readonly is: "manifest" | "content" } | undefined {
  if (object.endsWith(".json")) return { name: object.slice(0, -".json".length), is: "manifest" };
  return object.endsWith(".data") ? { name: object.slice(0, -".data".length), is: "content" } : undefined;
}

/** What a name consists of. */
export interface NameParts {
  readonly cluster: { readonly namespace: string; readonly name: string };
  readonly type: BackupType;
  readonly time: Date;
}

/** The place of a cluster's backups of a type. */
export function prefixOf({ cluster: { namespace, name }, type }: Pick<NameParts, "cluster" | "type">): string {
  return `${namespace}/${name}/${type}/`;
}

/** A name that sorts by time. The salt separates backups of the same second. */
export function backupName({ time, salt, ...parts }: NameParts & { readonly salt: string }): string {
  return `${prefixOf(parts)}${time.toISOString().replaceAll(/[-:]|\.\d{3}/gu, "")}-${salt}`;
}

const NAME: RegExp =
  /^(?<namespace>[a-z0-9][-a-z0-9]*)\/(?<cluster>[a-z0-9][-.a-z0-9]*)\/(?<type>full|log)\/(?<moment>\d{8}T\d{6}Z)-[0-9a-f]{1,64}$/u;

/** Parses a name; undefined if it is not the name of a backup. */
export function parseName(name: string): NameParts | undefined {
  const { namespace, cluster, type, moment } = NAME.exec(name)?.groups ?? {};
  if (namespace === undefined || cluster === undefined || moment === undefined) return undefined;
  const time = new Date(moment.replace(/^(....)(..)(..T..)(..)/u, "$1-$2-$3:$4:"));
  if (Number.isNaN(time.getTime())) return undefined;
  return { cluster: { namespace, name: cluster }, time, type: type === "log" ? "log" : "full" };
}

/** The identity of the backup as text. The content is encrypted for it. */
export function identityOf({ name, application, cluster, time }: Pick<Manifest, Identity>): string {
  return canonical({ name, application, cluster, time });
}

type Identity = "name" | "application" | "cluster" | "time";

/** The content of a backup, for reading. */
export function contentOf(manifest: Manifest): ContentFacts {
  const { name, content, stored, compression, encryption } = manifest;
  const object = objectNames(name).content;
  const identity = identityOf(manifest);
  return { name, object, content, stored, compression, identity, isEncrypted: encryption !== undefined };
}

/** Limit for reading. A spec is a Kubernetes object, which is smaller. */
export const LARGEST_MANIFEST: number = 4 << 20;

export function formatManifest(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** Parses a manifest. Unknown fields are rejected, so that a change of meaning needs a new format number. */
export function parseManifest(text: string): Manifest {
  const value = parseJson(text);
  if (!isRecord(value)) throw unreadable();
  const { format } = value;
  if (format !== 1) {
    const message = `the backup has format ${JSON.stringify(format) ?? "none"}, and this operator reads format 1: use the operator that made it`;
    throw new BackupError("Unsupported", message);
  }
  if (isManifest(value)) return value;
  throw unreadable();
}

/** Fails unless the manifest belongs to the backup of this name and, with a key, is authentic. */
export function checkManifest(manifest: Manifest, name: string, trust: Trust): void {
  checkSeal(manifest, name, trust);
  const parts = parseName(name) ?? refuseName(name);
  const isOwn =
    manifest.name === name &&
    manifest.type === parts.type &&
    manifest.cluster.namespace === parts.cluster.namespace &&
    manifest.cluster.name === parts.cluster.name &&
    Math.floor(Date.parse(manifest.time) / 1000) * 1000 === parts.time.getTime();
  if (isOwn) return;
  const found = `${JSON.stringify(manifest.name.slice(0, 300))} of ${manifest.time.slice(0, 40)}`;
  const message = `under the name ${name} the store has the manifest of another backup, ${found}: name another backup`;
  throw new BackupError("Misplaced", message);
}

function refuseName(name: string): never {
  const message = `${JSON.stringify(name)} is not the name of a backup: <namespace>/<cluster>/full/<time>-<salt>`;
  throw new BackupError("NotFound", message);
}

type Check = (value: unknown) => boolean;

const isShort: Check = (value) => typeof value === "string" && value.length <= 4096;
const isTime: Check = (value) => isShort(value) && !Number.isNaN(Date.parse(String(value)));
const isSum: Check = (value) => typeof value === "string" && /^[0-9a-f]{64}$/u.test(value);
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isOneOf = (...values: readonly unknown[]): Check => {
  return (value) => values.includes(value);
};
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
  format: isOneOf(1),
  application: isShort,
  type: isOneOf("full", "log"),
  name: isShort,
  cluster: shape({ namespace: isShort, name: isShort, uid: isShort, lineage: isShort }),
  spec: () => true,
  schedule: orNothing(isShort),
  time: isTime,
  until: isTime,
  member: isShort,
  version: isShort,
  position: isShort,
  from: orNothing(isShort),
  content: part,
  stored: part,
  compression: isOneOf("none", "gzip", "zstd"),
  rows: orNothing(isSum),
  encryption: orNothing(shape({ key: isShort, proof: isShort })),
});

function isManifest(value: Record<string, unknown>): value is Record<string, unknown> & Manifest {
  return whole(value);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable();
  }
}
