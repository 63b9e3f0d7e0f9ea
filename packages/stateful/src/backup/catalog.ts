/** The backups in a store: those that can be trusted, and the one that is asked for. */
import { StoreError, readUpTo } from "../store/store.ts";
import type { Store, StoreCall, StoredObject } from "../store/store.ts";
import { readContent } from "./content.ts";
import { BackupError } from "./errors.ts";
import {
  checkManifest,
  contentFacts,
  LARGEST_MANIFEST,
  nameOfObject,
  objectNames,
  parseManifest,
} from "./manifest-format.ts";
import type { ManifestFormat, NameParts, StoredManifest } from "./manifest-format.ts";
import { checkDigest, checkSeal } from "./seal.ts";
import type { Trust } from "./seal.ts";

const AT_ONCE = 8;

/**
 * An object with the name of a backup that is rejected, with the reason.
 *
 * @example
 * const codeOf = ({ error }: Refused) => error.code;
 */
export interface Refused {
  readonly name: string;
  readonly error: BackupError;
}

/** How a store is read. */
export type Reading = StoreCall & Trust;

/**
 * The backups of an application in a store, and how they are read.
 *
 * @example
 * const placeOf = <M extends StoredManifest>({ store }: Catalog<M>) => store.place;
 */
export interface Catalog<M extends StoredManifest> extends Reading {
  readonly store: Store;
  readonly format: ManifestFormat<M>;
}

export function callOf({ signal }: StoreCall): StoreCall {
  return signal ? { signal } : {};
}

/**
 * Reads a manifest. Fails unless it is authentic and belongs to this name.
 *
 * @example
 * const timeOf = async <M extends StoredManifest>(catalog: Catalog<M>) => (await readManifest(catalog, "default/db/1")).time;
 */
export async function readManifest<M extends StoredManifest>(catalog: Catalog<M>, name: string): Promise<M> {
  const { format } = catalog;
  const manifest = parseManifest(format, await readText(catalog, name));
  checkManifest(format, manifest, { ...catalog, name });
  return manifest;
}

async function readText<M extends StoredManifest>(
  { store, format, ...call }: Catalog<M>,
  name: string,
): Promise<string> {
  try {
    const bytes = await readUpTo(await store.get(objectNames(format, name).manifest, callOf(call)), LARGEST_MANIFEST);
    if (bytes !== undefined) return bytes.toString("utf8");
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "NotFound") throw error;
    throw new BackupError("NotFound", `there is no backup ${name} in ${store.place}`, { cause: error });
  }
  const message = `the manifest of the backup ${name} has more than ${LARGEST_MANIFEST} bytes: name another backup`;
  throw new BackupError("Corrupt", message);
}

/**
 * The content of a backup as the application wrote it. Fails at its end at the latest if anything differs.
 *
 * @example
 * const read = async <M extends StoredManifest>(catalog: Catalog<M>, manifest: M) => {
 *   for await (const part of readBackup(catalog, manifest)) process.stdout.write(part);
 * };
 */
export async function* readBackup<M extends StoredManifest>(
  catalog: Catalog<M>,
  manifest: M,
): AsyncGenerator<Buffer, void, void> {
  checkSeal(manifest, manifest.name, catalog);
  yield* readContent(contentFacts(catalog.format, manifest), catalog);
}

/** A name of a cluster. */
export interface ClusterName {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Complete and authentic backups with a prefix, the latest first, and rejected objects with such names. Other files are ignored.
 *
 * @example
 * const countOf = async <M extends StoredManifest>(catalog: Catalog<M>) => (await listBackups(catalog, "default/db/")).backups.length;
 */
export async function listBackups<M extends StoredManifest>(
  catalog: Catalog<M>,
  prefix: string,
): Promise<{ readonly backups: readonly M[]; readonly refused: readonly Refused[] }> {
  const names = manifestNames(catalog, await catalog.store.list(prefix, callOf(catalog)));
  const backups: M[] = [];
  const refused: Refused[] = [];
  const read = async (name: string): Promise<void> => {
    try {
      backups.push(await readManifest(catalog, name));
    } catch (error) {
      // Another operator may have removed it meanwhile.
      if (!(error instanceof BackupError)) throw error;
      if (error.code !== "NotFound") refused.push({ name, error });
    }
  };
  for (let at = 0; at < names.length; at += AT_ONCE) await Promise.all(names.slice(at, at + AT_ONCE).map(read));
  return { backups: newestByTime(backups), refused };
}

function manifestNames<M extends StoredManifest>(
  { format }: Catalog<M>,
  objects: readonly StoredObject[],
): readonly string[] {
  return objects.flatMap(({ name: object }) => {
    const found = nameOfObject(format, object);
    return found?.is === "manifest" && format.parseName(found.name) !== undefined ? [found.name] : [];
  });
}

/**
 * Backups by their time, the latest first.
 *
 * @example
 * const latestOf = <M extends StoredManifest>(manifests: readonly M[]) => newestByTime(manifests)[0];
 */
export function newestByTime<B extends { readonly time: string; readonly name: string }>(backups: readonly B[]): B[] {
  return backups.toSorted((a, b) => compareText(b.time, a.time) || compareText(b.name, a.name));
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * A backup as recorded outside of the store.
 *
 * @example
 * const recorded: RecordedBackup = { name: "default/db/20260115T030000Z-ab12cd34" };
 */
export interface RecordedBackup {
  readonly name: string;
  /** sha256 of its manifest. */
  readonly digest?: string | undefined;
}

/**
 * The requested backup.
 *
 * @example
 * const wanted: WantedBackup = { cluster: { namespace: "default", name: "db" } };
 */
export interface WantedBackup {
  /** Default: the newest. */
  readonly backup?: string | undefined;
  /** sha256 of its manifest, if recorded. */
  readonly digest?: string | undefined;
  /** The cluster of the backup. A uid excludes an earlier cluster of the same name. Default: the only cluster in the store. */
  readonly cluster?: (ClusterName & { readonly uid?: string | undefined }) | undefined;
  /** The newest backup known to exist. If the store does not have it, the restore fails instead of taking another. */
  readonly recorded?: RecordedBackup | undefined;
}

/**
 * Limits the search for the newest backup.
 *
 * @example
 * const yesterday: FindOptions<{ time: string }> = {
 *   limit: { before: Date.now() - 86_400_000, timeOf: ({ time }) => Date.parse(time) },
 * };
 */
export interface FindOptions<M> {
  /** The place of a cluster's backups. Default: `<namespace>/<name>/`. */
  readonly prefixOf?: (cluster: ClusterName) => string;
  /** Only backups up to a time, in milliseconds since 1970. */
  readonly limit?: { readonly before: number; readonly timeOf: (manifest: M) => number } | undefined;
}

/**
 * Finds the requested backup: the named or the newest one. Fails rather than return an older one as the newest.
 *
 * @example
 * const newestOf = async <M extends StoredManifest>(catalog: Catalog<M>) =>
 *   await findBackup(catalog, { cluster: { namespace: "default", name: "db" } });
 */
export async function findBackup<M extends StoredManifest>(
  catalog: Catalog<M>,
  wanted: WantedBackup,
  options: FindOptions<M> = {},
): Promise<M> {
  const manifest =
    wanted.backup === undefined
      ? await findNewest(catalog, wanted, options)
      : await readManifest(catalog, wanted.backup);
  checkDigest(manifest, wanted.digest);
  const { name, cluster } = manifest;
  const { cluster: asked } = wanted;
  if (asked === undefined || (cluster.namespace === asked.namespace && cluster.name === asked.name)) return manifest;
  const message = `the backup ${name} is of the cluster ${cluster.namespace}/${cluster.name}, not of ${asked.namespace}/${asked.name}: set sourceCluster to take it`;
  throw new BackupError("OtherCluster", message);
}

async function findNewest<M extends StoredManifest>(
  catalog: Catalog<M>,
  wanted: WantedBackup,
  { prefixOf = ({ namespace, name }) => `${namespace}/${name}/`, limit }: FindOptions<M>,
): Promise<M> {
  const { store, format } = catalog;
  const { cluster } = wanted;
  const recorded = await readRecorded(catalog, wanted);
  const { backups, refused } = await listBackups(catalog, cluster === undefined ? "" : prefixOf(cluster));
  // A list may be incomplete.
  const all = recorded === undefined ? backups : [recorded, ...backups.filter(({ name }) => name !== recorded.name)];
  checkSingle(store, all);
  const own = all.filter((one) => cluster?.uid === undefined || (one.cluster.uid ?? cluster.uid) === cluster.uid);
  const early = limit === undefined ? own : own.filter((one) => limit.timeOf(one) <= limit.before);
  const [newest] = format.newestFirst(early);
  const latest = refusedSince(catalog, refused, newest, limit?.before);
  if (latest !== undefined) throw latest;
  if (newest !== undefined) return newest;
  const [oldest] = newestByTime(own).toReversed();
  if (oldest !== undefined && limit !== undefined) throw tooLate(store, new Date(limit.timeOf(oldest)), limit.before);
  throw all[0] === undefined ? await noneOf(catalog, wanted) : ofEarlier(all[0]);
}

async function readRecorded<M extends StoredManifest>(
  catalog: Catalog<M>,
  { recorded }: WantedBackup,
): Promise<M | undefined> {
  if (recorded === undefined) return undefined;
  try {
    const manifest = await readManifest(catalog, recorded.name);
    checkDigest(manifest, recorded.digest);
    return manifest;
  } catch (error) {
    if (!(error instanceof BackupError) || error.code !== "NotFound") throw error;
    const message = `the newest backup that was made, ${recorded.name}, is not in ${catalog.store.place} any more: to restore an older one, name it`;
    throw new BackupError("Missing", message, { cause: error });
  }
}

function checkSingle({ place }: Store, backups: readonly StoredManifest[]): void {
  const clusters = new Set(backups.map(({ cluster }) => `${cluster.namespace}/${cluster.name}`));
  if (clusters.size < 2) return;
  throw new BackupError("Ambiguous", `${place} has backups of ${[...clusters].join(", ")}: say which backup`);
}

/** A rejected object with a later name may be the newest backup, replaced in the store. */
function refusedSince<M extends StoredManifest>(
  { format }: Catalog<M>,
  refused: readonly Refused[],
  newest: M | undefined,
  before: number = Number.POSITIVE_INFINITY,
): BackupError | undefined {
  const from = newest === undefined ? 0 : Math.floor(Date.parse(newest.time) / 1000) * 1000;
  const timeOf = ({ name }: Refused): number => format.parseName(name)?.time.getTime() ?? 0;
  const [later] = refused
    .filter((one) => timeOf(one) >= from && timeOf(one) <= before)
    .toSorted((a, b) => timeOf(b) - timeOf(a));
  if (later === undefined) return undefined;
  const otherwise = newest === undefined ? "" : `; to restore ${newest.name}, name it`;
  return new BackupError(later.error.code, `${later.error.message}${otherwise}`, { cause: later.error });
}

function tooLate({ place }: Store, oldest: Date, before: number): BackupError {
  const [first, asked] = [oldest.toISOString(), new Date(before).toISOString()];
  return new BackupError(
    "NotFound",
    `the oldest backup in ${place} is of ${first}, after ${asked}: ask for a later time`,
  );
}

function ofEarlier({ name }: StoredManifest): BackupError {
  const message = `the store has backups of an earlier cluster of this name only, the newest of them ${name}: to restore it, name it`;
  return new BackupError("OtherCluster", message);
}

async function noneOf<M extends StoredManifest>(catalog: Catalog<M>, { cluster }: WantedBackup): Promise<BackupError> {
  const { store, format } = catalog;
  if (cluster === undefined) return new BackupError("NotFound", `there is no backup in ${store.place}`);
  const names = manifestNames(catalog, await store.list("", callOf(catalog)));
  const others = new Set(names.flatMap((name) => clusterOf(format.parseName(name))));
  others.delete(`${cluster.namespace}/${cluster.name}`);
  const hint = others.size === 0 ? "" : `, but of ${[...others].slice(0, 5).join(", ")}: set sourceCluster to take one`;
  const message = `there is no backup of ${cluster.namespace}/${cluster.name} in ${store.place}${hint}`;
  return new BackupError("NotFound", message);
}

function clusterOf(parts: NameParts | undefined): readonly string[] {
  return parts === undefined ? [] : [`${parts.cluster.namespace}/${parts.cluster.name}`];
}
