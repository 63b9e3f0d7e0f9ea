/**
 * The form of an application's manifests. A manifest is a small object beside the content. It is written last, so a backup with a manifest
 * is complete. A reader accepts it only after `checkManifest`: the proof must be valid, and the manifest must be stored under its own name.
 */
import { isRecord, unreadable } from "./canonical.ts";
import type { Compression } from "./compression.ts";
import type { ContentFacts, Part } from "./content.ts";
import { BackupError } from "./errors.ts";
import { checkSeal } from "./seal.ts";
import type { Trust } from "./seal.ts";

/**
 * What every manifest says.
 *
 * @example
 * const sizeOf = ({ stored }: StoredManifest) => stored.bytes;
 */
export interface StoredManifest {
  /** Name in the store, without extension. */
  readonly name: string;
  readonly cluster: {
    readonly namespace: string;
    readonly name: string;
    /** A later cluster can have the same name. */
    readonly uid?: string;
  };
  /** ISO 8601. */
  readonly time: string;
  /** The content as it is in the store. */
  readonly stored: Part;
  readonly compression: Compression;
  /** The spec of the cluster at that time, enough to recreate it. */
  readonly spec?: unknown;
  /** Fingerprint of the encryption key, and a proof by that key over all other fields. */
  readonly encryption?: { readonly key: string; readonly proof: string };
}

/**
 * What the name of a backup says.
 *
 * @example
 * const hourOf = ({ time }: NameParts) => time.getUTCHours();
 */
export interface NameParts {
  readonly cluster: { readonly namespace: string; readonly name: string };
  readonly time: Date;
}

/**
 * The form of an application's manifests and names.
 *
 * @example
 * const isKnown = <M extends StoredManifest>(format: ManifestFormat<M>, name: string) => format.parseName(name) !== undefined;
 */
export interface ManifestFormat<M extends StoredManifest> {
  /** The format number. Manifests with another one are refused. */
  readonly number: number;
  /** Whether a JSON object is a manifest. */
  readonly isManifest: (value: unknown) => boolean;
  /** What the name of content ends with, such as `.data`. */
  readonly contentSuffix: string;
  /** How names are written, for messages. */
  readonly nameForm: string;
  /** Parses a name; undefined if it is not the name of a backup. */
  readonly parseName: (name: string) => NameParts | undefined;
  /** Whether a manifest matches its own name in what the application adds to names. */
  readonly hasName: (manifest: M) => boolean;
  /** The content as the application wrote it, and the identity that it is encrypted for. */
  readonly contentOf: (manifest: M) => { readonly content: Part; readonly identity: string };
  /** Newest first: the order in which retention counts, and in which the newest is found. */
  readonly newestFirst: (manifests: readonly M[]) => M[];
  /** Whether a retention that one backup proved may remove another. */
  readonly isSameSeries: (manifest: M, proven: M) => boolean;
}

/** The names of the two objects of a backup. */
export function objectNames(
  { contentSuffix }: { readonly contentSuffix: string },
  name: string,
): { readonly manifest: string; readonly content: string } {
  return { manifest: `${name}.json`, content: `${name}${contentSuffix}` };
}

/** The name of a backup from the name of one of its objects. */
export function nameOfObject(
  { contentSuffix }: { readonly contentSuffix: string },
  object: string,
): { readonly name: string; readonly is: "manifest" | "content" } | undefined {
  if (object.endsWith(".json")) return { name: object.slice(0, -".json".length), is: "manifest" };
  return object.endsWith(contentSuffix) ? { name: object.slice(0, -contentSuffix.length), is: "content" } : undefined;
}

/** The content of a backup, for reading. */
export function contentFacts<M extends StoredManifest>(format: ManifestFormat<M>, manifest: M): ContentFacts {
  const { name, stored, compression, encryption } = manifest;
  const object = objectNames(format, name).content;
  return { name, object, stored, compression, isEncrypted: encryption !== undefined, ...format.contentOf(manifest) };
}

/**
 * Limit for reading. A spec is a Kubernetes object, which is smaller.
 *
 * @example
 * const isTooLarge = (text: string) => Buffer.byteLength(text) > LARGEST_MANIFEST;
 */
export const LARGEST_MANIFEST: number = 4 << 20;

/**
 * The text of a manifest.
 *
 * @example
 * const bytesOf = (manifest: StoredManifest) => Buffer.from(formatManifest(manifest));
 */
export function formatManifest(manifest: object): string {
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  return Buffer.byteLength(text) <= LARGEST_MANIFEST ? text : JSON.stringify(manifest);
}

/** Parses a manifest. Unknown fields are rejected, so that a change of meaning needs a new format number. */
export function parseManifest<M extends StoredManifest>({ number, isManifest }: ManifestFormat<M>, text: string): M {
  const value = parseJson(text);
  if (!isRecord(value)) throw unreadable();
  const { format } = value;
  if (format !== number) {
    const message = `the backup has format ${JSON.stringify(format) ?? "none"}, and this operator reads format ${number}: use the operator that made it`;
    throw new BackupError("Unsupported", message);
  }
  // `isManifest` has checked every field.
  if (isManifest(value)) return value as unknown as M;
  throw unreadable();
}

/** Fails unless the manifest belongs to the backup of this name and, with a key, is authentic. */
export function checkManifest<M extends StoredManifest>(
  format: ManifestFormat<M>,
  manifest: M,
  { name, ...trust }: Trust & { readonly name: string },
): void {
  checkSeal(manifest, name, trust);
  const parts = format.parseName(name);
  if (parts === undefined) {
    const message = `${JSON.stringify(name)} is not the name of a backup: ${format.nameForm}`;
    throw new BackupError("NotFound", message);
  }
  const isOwn =
    manifest.name === name &&
    manifest.cluster.namespace === parts.cluster.namespace &&
    manifest.cluster.name === parts.cluster.name &&
    Math.floor(Date.parse(manifest.time) / 1000) * 1000 === parts.time.getTime() &&
    format.hasName(manifest);
  if (isOwn) return;
  const found = `${JSON.stringify(manifest.name.slice(0, 300))} of ${manifest.time.slice(0, 40)}`;
  const message = `under the name ${name} the store has the manifest of another backup, ${found}: name another backup`;
  throw new BackupError("Misplaced", message);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable();
  }
}
