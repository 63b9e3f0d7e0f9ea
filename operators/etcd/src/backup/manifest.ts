/** What is known of a backup: a small file beside it, written last, so that what has one is complete. */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Compression } from "./compression.ts";
import { keyPrint } from "./encryption.ts";
import { BackupError } from "./errors.ts";

/** What is known of a backup. */
export interface Manifest {
  readonly format: 1;
  /** In the store, without ending. */
  readonly name: string;
  readonly cluster: { readonly namespace: string; readonly name: string; readonly clusterId: string };
  /** The spec of the cluster then: enough to make it again. */
  readonly spec?: unknown;
  /** By which policy it was made: others push it out no more. Without one, any may. */
  readonly policy?: string;
  /** How often a member of the cluster had gone on alone: then its id stays, and revisions may have fallen. */
  readonly forks?: number;
  /** ISO 8601. */
  readonly time: string;
  /** The member that gave it. */
  readonly member: string;
  /** Of the etcd that gave it. */
  readonly version: string;
  readonly storageVersion?: string;
  readonly revision: number;
  /** etcd's own hash over the keys, to compare a restored member with. */
  readonly kvHash?: { readonly hash: number; readonly compactRevision: number };
  readonly snapshot: { readonly bytes: number; readonly sha256: string };
  readonly stored: { readonly bytes: number; readonly sha256: string };
  readonly compression: Compression;
  /** Which key it was encrypted with, and a proof by that key that this file is unchanged. */
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

/** A name that sorts by time and tells the revision; the salt keeps apart what is made in the same second. */
export function backupName({ cluster, time, revision, salt }: NameParts): string {
  const moment = time.toISOString().replace(/[-:]|\.\d{3}/g, "");
  return `${cluster.namespace}/${cluster.name}/${moment}-r${revision}-${salt}`;
}

/** What a name is made of. */
export interface NameParts {
  readonly cluster: { readonly namespace: string; readonly name: string };
  readonly time: Date;
  readonly revision: number;
  readonly salt: string;
}

/** Adds the proof, if there is a key. */
export function seal(manifest: Omit<Manifest, "encryption">, key: Buffer | undefined): Manifest {
  return key ? { ...manifest, encryption: { key: keyPrint(key), proof: prove(manifest, key) } } : manifest;
}

/** As text. */
export function formatManifest(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** From text; the few fields on which everything depends are checked. */
export function parseManifest(text: string): Manifest {
  const value = parseJson(text);
  if (!isRecord(value)) throw unreadable();
  if (value["format"] !== 1) {
    throw new BackupError(
      "Unsupported",
      `the backup has format ${String(value["format"])}: a newer operator is needed`,
    );
  }
  const { stored, snapshot } = value;
  const isComplete =
    ["name", "time", "version", "compression"].every((field) => typeof value[field] === "string") &&
    typeof value["revision"] === "number" &&
    [stored, snapshot].every((part) => isRecord(part) && typeof part["sha256"] === "string");
  if (!isComplete) throw unreadable();
  return value as unknown as Manifest;
}

/** Fails unless the key is the one that the backup was made with, and the manifest is unchanged. */
export function checkKey(manifest: Manifest, key: Buffer | undefined): void {
  const { encryption, ...rest } = manifest;
  if (encryption === undefined) return;
  if (key === undefined) {
    throw new BackupError("WrongKey", `the backup ${manifest.name} is encrypted: name the Secret with its key`);
  }
  if (encryption.key !== keyPrint(key)) {
    const message = `the backup ${manifest.name} was made with another key (${encryption.key}, not ${keyPrint(key)})`;
    throw new BackupError("WrongKey", message);
  }
  const [given, expected] = [Buffer.from(encryption.proof), Buffer.from(prove(rest, key))];
  if (given.length === expected.length && timingSafeEqual(given, expected)) return;
  throw new BackupError(
    "Corrupt",
    `the description of the backup ${manifest.name} was changed by somebody without its key`,
  );
}

/** Fails when the etcd that should read a backup is older than the one that made it. */
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
  return createHmac("sha256", key).update(canonical(manifest)).digest("hex");
}

/** The same text for the same content, however its fields are ordered. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? "null";
  const fields = Object.keys(value).filter((field) => value[field] !== undefined);
  return `{${fields
    .sort()
    .map((field) => `${JSON.stringify(field)}:${canonical(value[field])}`)
    .join(",")}}`;
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
  return new BackupError("Corrupt", "the description of the backup cannot be read: take another one");
}
