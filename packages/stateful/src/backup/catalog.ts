/** The backups in a store: those that can be trusted, the one that is asked for, and the log that follows it. */
import { StoreError, readUpTo } from "../store/store.ts";
import type { Store, StoreCall, StoredObject } from "../store/store.ts";
import { BackupError } from "./errors.ts";
import {
  checkManifest,
  LARGEST_MANIFEST,
  nameOfObject,
  objectNames,
  parseManifest,
  parseName,
  prefixOf,
} from "./manifest.ts";
import type { BackupType, Manifest } from "./manifest.ts";
import { checkDigest } from "./seal.ts";
import type { Trust } from "./seal.ts";

const AT_ONCE = 8;

/** An object with the name of a backup that is rejected, with the reason. */
export interface Refused {
  readonly name: string;
  readonly error: BackupError;
}

/** How a store is read. */
export type Reading = StoreCall & Trust;

/** Reads a manifest. Fails unless it is authentic and belongs to this name. */
export async function readManifest(store: Store, name: string, options: Reading = {}): Promise<Manifest> {
  const manifest = parseManifest(await readText(store, name, options));
  checkManifest(manifest, name, options);
  return manifest;
}

async function readText(store: Store, name: string, call: StoreCall): Promise<string> {
  try {
    const bytes = await readUpTo(await store.get(objectNames(name).manifest, callOf(call)), LARGEST_MANIFEST);
    if (bytes !== undefined) return bytes.toString("utf8");
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "NotFound") throw error;
    throw new BackupError("NotFound", `there is no backup ${name} in ${store.place}`, { cause: error });
  }
  const message = `the manifest of the backup ${name} has more than ${LARGEST_MANIFEST} bytes: name another backup`;
  throw new BackupError("Corrupt", message);
}

export function callOf({ signal }: StoreCall): StoreCall {
  return signal ? { signal } : {};
}

/** A name of a cluster. */
export interface ClusterName {
  readonly namespace: string;
  readonly name: string;
}

/** Complete and authentic backups of a type, newest first, and rejected objects with such names. Other files are ignored. */
export async function listBackups(
  store: Store,
  place: { readonly cluster: ClusterName; readonly type: BackupType },
  options: Reading = {},
): Promise<{ readonly backups: readonly Manifest[]; readonly refused: readonly Refused[] }> {
  const names = manifestNames(await store.list(prefixOf(place), callOf(options)));
  const backups: Manifest[] = [];
  const refused: Refused[] = [];
  const read = async (name: string): Promise<void> => {
    try {
      backups.push(await readManifest(store, name, options));
    } catch (error) {
      // Another operator may have removed it meanwhile.
      if (!(error instanceof BackupError)) throw error;
      if (error.code !== "NotFound") refused.push({ name, error });
    }
  };
  for (let at = 0; at < names.length; at += AT_ONCE) await Promise.all(names.slice(at, at + AT_ONCE).map(read));
  return { backups: newestFirst(backups), refused };
}

function manifestNames(objects: readonly StoredObject[]): readonly string[] {
  return objects.flatMap(({ name: object }) => {
    const found = nameOfObject(object);
    return found?.is === "manifest" && parseName(found.name) !== undefined ? [found.name] : [];
  });
}

function newestFirst(backups: readonly Manifest[]): Manifest[] {
  return backups.toSorted((a, b) => compareText(b.time, a.time) || compareText(b.name, a.name));
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The requested backup. */
export interface Wanted {
  /** Default: the newest, or the newest before `until`. */
  readonly backup?: string | undefined;
  /** sha256 of its manifest, if recorded. */
  readonly digest?: string | undefined;
  readonly cluster: ClusterName;
  /** Excludes an earlier cluster of the same name. */
  readonly uid?: string | undefined;
  /** The newest backup known to exist. If the store does not have it, the restore fails instead of taking another. */
  readonly recorded?: { readonly name: string; readonly digest?: string | undefined } | undefined;
  /** The moment or position that is restored. */
  readonly until?: Until | undefined;
}

/** A point in time: at most one of both. */
export interface Until {
  /** ISO 8601. */
  readonly time?: string | undefined;
  readonly position?: string | undefined;
}

/** Finds the requested full backup: the named or the newest one. Fails rather than return an older one as the newest. */
export async function findBackup(store: Store, wanted: Wanted, options: Reading = {}): Promise<Manifest> {
  const manifest =
    wanted.backup === undefined
      ? await findNewest(store, wanted, options)
      : await readManifest(store, wanted.backup, options);
  checkDigest(manifest, wanted.digest);
  const { name, cluster, type } = manifest;
  if (type === "log") throw new BackupError("NotFound", `${name} is a part of the log: name a full backup`);
  if (cluster.namespace === wanted.cluster.namespace && cluster.name === wanted.cluster.name) return manifest;
  const message = `the backup ${name} is of the cluster ${cluster.namespace}/${cluster.name}, not of ${wanted.cluster.namespace}/${wanted.cluster.name}: set sourceCluster to take it`;
  throw new BackupError("OtherCluster", message);
}

async function findNewest(store: Store, wanted: Wanted, options: Reading): Promise<Manifest> {
  const recorded = await readRecorded(store, wanted, options);
  const { backups, refused } = await listBackups(store, { cluster: wanted.cluster, type: "full" }, options);
  // A list may be incomplete.
  const all = recorded === undefined ? backups : [recorded, ...backups.filter(({ name }) => name !== recorded.name)];
  const own = newestFirst(all.filter(({ cluster }) => wanted.uid === undefined || cluster.uid === wanted.uid));
  const limit = wanted.until?.time;
  const candidates = limit === undefined ? own : own.filter(({ until }) => Date.parse(until) <= Date.parse(limit));
  const [newest] = candidates;
  checkLater(refused, newest, limit);
  if (newest !== undefined) return newest;
  throw noneOf(store, wanted, { all, own });
}

async function readRecorded(store: Store, { recorded }: Wanted, options: Reading): Promise<Manifest | undefined> {
  if (recorded === undefined) return undefined;
  try {
    const manifest = await readManifest(store, recorded.name, options);
    checkDigest(manifest, recorded.digest);
    return manifest;
  } catch (error) {
    if (!(error instanceof BackupError) || error.code !== "NotFound") throw error;
    const message = `the newest backup that was made, ${recorded.name}, is not in ${store.place} any more: to restore an older one, name it`;
    throw new BackupError("Missing", message, { cause: error });
  }
}

/** A rejected object with a later name may be the newest backup, replaced in the store. */
function checkLater(refused: readonly Refused[], newest: Manifest | undefined, limit: string | undefined): void {
  const from = newest === undefined ? 0 : Math.floor(Date.parse(newest.time) / 1000) * 1000;
  const to = limit === undefined ? Number.POSITIVE_INFINITY : Date.parse(limit);
  const timeOf = ({ name }: Refused): number => parseName(name)?.time.getTime() ?? 0;
  const [later] = refused
    .filter((one) => timeOf(one) >= from && timeOf(one) <= to)
    .toSorted((a, b) => timeOf(b) - timeOf(a));
  if (later === undefined) return;
  const otherwise = newest === undefined ? "" : `; to restore ${newest.name}, name it`;
  throw new BackupError(later.error.code, `${later.error.message}${otherwise}`, { cause: later.error });
}

function noneOf(
  { place }: Store,
  { cluster, until }: Wanted,
  { all, own }: { readonly all: readonly Manifest[]; readonly own: readonly Manifest[] },
): BackupError {
  const [earlier] = all;
  if (own.length > 0) {
    const oldest = own.at(-1)?.until ?? "";
    return new BackupError(
      "NotFound",
      `the oldest backup in ${place} is of ${oldest}, after ${until?.time ?? ""}: ask for a later time`,
    );
  }
  if (earlier === undefined) {
    const message = `there is no backup of ${cluster.namespace}/${cluster.name} in ${place}: set sourceCluster to take one of another cluster`;
    return new BackupError("NotFound", message);
  }
  const message = `the store has backups of an earlier cluster of this name only, the newest of them ${earlier.name}: to restore it, name it`;
  return new BackupError("OtherCluster", message);
}

/** Whether the log of another position begins at or before one, and how it ends. */
export interface Positions {
  /** Whether the first position has all of the second. */
  readonly includes: (one: string, other: string) => boolean;
}

/**
 * The pieces of the log that lead from a full backup to the wanted point, in order. Fails if a piece is missing, and if the log ends
 * before that point.
 */
export async function findLog(
  store: Store,
  { full, until }: { readonly full: Manifest; readonly until: Until },
  { positions, ...options }: Reading & { readonly positions: Positions },
): Promise<readonly Manifest[]> {
  const { backups, refused } = await listBackups(store, { cluster: full.cluster, type: "log" }, options);
  const oldestFirst = backups.filter(({ cluster }) => cluster.lineage === full.cluster.lineage).toReversed();
  const chain: Manifest[] = [];
  let { position } = full;
  const isDone = (): boolean =>
    (until.position !== undefined && positions.includes(position, until.position)) ||
    (until.time !== undefined && Date.parse((chain.at(-1) ?? full).until) > Date.parse(until.time));
  for (const piece of oldestFirst) {
    if (isDone()) break;
    if (positions.includes(position, piece.position) || !positions.includes(position, piece.from ?? "")) continue;
    chain.push(piece);
    ({ position } = piece);
  }
  if (isDone()) return chain;
  const why = refused[0] === undefined ? "" : `; ${refused[0].error.message}`;
  const target = until.position ?? until.time ?? "";
  const later = oldestFirst.find((piece) => !positions.includes(position, piece.position));
  const message =
    later === undefined
      ? `the log in ${store.place} ends at ${position} (${(chain.at(-1) ?? full).until}), before ${target}: ask for an earlier point`
      : `a piece of the log in ${store.place} between ${position} and ${later.from} is missing, so ${target} cannot be reached: ask for a point up to ${(chain.at(-1) ?? full).until}`;
  throw new BackupError("Missing", `${message}${why}`);
}
