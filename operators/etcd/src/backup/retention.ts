/** Lists backups in a store, and decides which to keep. */
import { BackupError, readUpTo, StoreError } from "capstan/stateful";
import type { Store, StoreCall, StoredObject } from "capstan/stateful";
import { readManifest } from "./fetch-backup.ts";
import { checkDigest, nameOfContent, nameOfManifest, objectNames, parseName } from "./manifest.ts";
import type { Manifest, Trust } from "./manifest.ts";

/** Keeps backups that are within both count and age, and always the newest one. */
export interface Retention {
  readonly count?: number;
  readonly ageMs?: number;
}

const DAY = 86_400_000;
const AT_ONCE = 8;

/** An object with the name of a backup that is rejected, with the reason. */
export interface Refused {
  readonly name: string;
  readonly error: BackupError;
}

/** Complete and authentic backups with this name prefix, newest first, and rejected objects with such a name. Other files are ignored. */
export async function listBackups(
  store: Store,
  prefix: string,
  options: StoreCall & Trust = {},
): Promise<{ readonly backups: readonly Manifest[]; readonly refused: readonly Refused[] }> {
  const names = namesOf(await store.list(prefix, callOf(options)));
  const backups: Manifest[] = [];
  const refused: Refused[] = [];
  for (let at = 0; at < names.length; at += AT_ONCE) {
    const batch = names.slice(at, at + AT_ONCE).map(async (name) => {
      try {
        backups.push(await readManifest(store, name, options));
      } catch (error) {
        // Another operator may have removed it meanwhile.
        if (!(error instanceof BackupError)) throw error;
        if (error.code !== "NotFound") refused.push({ name, error });
      }
    });
    await Promise.all(batch);
  }
  return { backups: backups.sort((a, b) => compare(b.time, a.time) || compare(b.name, a.name)), refused };
}

function namesOf(objects: readonly StoredObject[]): readonly string[] {
  return objects.flatMap(({ name: object }) => {
    const name = nameOfManifest(object);
    return name !== undefined && parseName(name) !== undefined ? [name] : [];
  });
}

function callOf({ signal }: StoreCall): StoreCall {
  return signal ? { signal } : {};
}

/** The requested backup. */
export interface Wanted {
  /** Default: the newest. */
  readonly backup?: string | undefined;
  /** sha256 of its manifest, if recorded. */
  readonly digest?: string | undefined;
  /** The cluster of the backup. A uid excludes an earlier cluster of the same name. Default: the only cluster in the store. */
  readonly cluster?: { readonly namespace: string; readonly name: string; readonly uid?: string } | undefined;
  /** The newest backup known to exist. If the store does not have it, the restore fails instead of taking another. */
  readonly recorded?: Recorded | undefined;
}

/** A backup as recorded outside of the store. */
export interface Recorded {
  readonly name: string;
  readonly digest?: string | undefined;
}

/** Finds the requested backup: the named or the newest one. Fails rather than return an older one as the newest. */
export async function findBackup(store: Store, desired: Wanted, options: StoreCall & Trust = {}): Promise<Manifest> {
  const manifest =
    desired.backup === undefined
      ? await findNewest(store, desired, options)
      : await readManifest(store, desired.backup, options);
  checkDigest(manifest, desired.digest);
  checkCluster(manifest, desired);
  return manifest;
}

function checkCluster({ name, cluster }: Manifest, { cluster: asked }: Wanted): void {
  if (asked === undefined || (cluster.namespace === asked.namespace && cluster.name === asked.name)) return;
  const message = `the backup ${name} is of the cluster ${cluster.namespace}/${cluster.name}, not of ${asked.namespace}/${asked.name}: set sourceCluster to take it`;
  throw new BackupError("OtherCluster", message);
}

async function findNewest(store: Store, desired: Wanted, options: StoreCall & Trust): Promise<Manifest> {
  const { cluster } = desired;
  const recorded = await readRecorded(store, desired, options);
  const { backups, refused } = await listBackups(store, cluster === undefined ? "" : prefixOf(cluster), options);
  // A list may be incomplete.
  const all = recorded === undefined ? backups : [recorded, ...backups.filter(({ name }) => name !== recorded.name)];
  checkSingle(store, all);
  const own = all.filter((one) => cluster?.uid === undefined || (one.cluster.uid ?? cluster.uid) === cluster.uid);
  const [latest] = own.toSorted((a, b) => compare(b.time, a.time) || compare(b.name, a.name));
  const [newest] = byRevision(own.filter((one) => one.cluster.clusterId === latest?.cluster.clusterId));
  checkLater(refused, newest);
  if (newest !== undefined) return newest;
  throw all[0] === undefined ? await noneOf(store, desired, options) : ofEarlier(all[0]);
}

function prefixOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}/`;
}

async function readRecorded(
  store: Store,
  { recorded }: Wanted,
  options: StoreCall & Trust,
): Promise<Manifest | undefined> {
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

function checkSingle(store: Store, backups: readonly Manifest[]): void {
  const clusters = new Set(backups.map(({ cluster }) => `${cluster.namespace}/${cluster.name}`));
  if (clusters.size < 2) return;
  const message = `${store.place} has backups of ${[...clusters].join(", ")}: say which backup`;
  throw new BackupError("Ambiguous", message);
}

/** A rejected object with a later name may be the newest backup, replaced in the store. */
function checkLater(refused: readonly Refused[], newest: Manifest | undefined): void {
  const moment = newest === undefined ? 0 : Math.floor(Date.parse(newest.time) / 1000) * 1000;
  const timeOf = ({ name }: Refused): number => parseName(name)?.time.getTime() ?? 0;
  const [later] = refused.filter((one) => timeOf(one) >= moment).toSorted((a, b) => timeOf(b) - timeOf(a));
  if (later === undefined) return;
  const otherwise = newest === undefined ? "" : `; to restore ${newest.name}, name it`;
  throw new BackupError(later.error.code, `${later.error.message}${otherwise}`, { cause: later.error });
}

function ofEarlier({ name }: Manifest): BackupError {
  const message = `the store has backups of an earlier cluster of this name only, the newest of them ${name}: to restore it, name it`;
  return new BackupError("OtherCluster", message);
}

async function noneOf(store: Store, { cluster }: Wanted, options: StoreCall): Promise<BackupError> {
  if (cluster === undefined) return new BackupError("NotFound", `there is no backup in ${store.place}`);
  const names = namesOf(await store.list("", callOf(options)));
  const others = new Set(names.map((name) => name.slice(0, name.lastIndexOf("/"))));
  const hint = others.size === 0 ? "" : `, but of ${[...others].slice(0, 5).join(", ")}: set sourceCluster to take one`;
  const message = `there is no backup of ${cluster.namespace}/${cluster.name} in ${store.place}${hint}`;
  return new BackupError("NotFound", message);
}

/** Backups of one cluster, newest first. Clocks may be wrong; revisions only grow, except when a cluster continues from a single member. */
export function byRevision(backups: readonly Manifest[]): Manifest[] {
  const isLater = ({ forks = 0 }: Manifest, other: Manifest): number => forks - (other.forks ?? 0);
  const order = (a: Manifest, b: Manifest): number => isLater(b, a) || b.revision - a.revision;
  return backups.toSorted((a, b) => order(a, b) || compare(b.time, a.time) || compare(b.name, a.name));
}

/** The backups that are not kept. Expects them newest first. */
export function toRemove(backups: readonly Manifest[], { count, ageMs }: Retention, now: number): Manifest[] {
  return backups.filter(({ time }, at) => {
    if (at === 0) return false;
    const isOverCount = count !== undefined && at >= count;
    const isOld = ageMs !== undefined && now - Date.parse(time) >= ageMs;
    return isOverCount || isOld;
  });
}

export interface PruneOptions extends StoreCall, Trust {
  /**
   * The backup that was just made or verified. It stays, and only others of the same cluster and policy, or without policy, may be
   * removed.
   */
  readonly proven: Manifest;
  readonly retention: Retention;
  readonly now: number;
}

/**
 * Removes backups beyond the retention, the manifest first: content without a manifest is not a backup. Also removes content that broken
 * uploads left a day ago. Backups of an earlier cluster with the same name stay. Ages are measured by the clock of the store, so that an
 * agent with a wrong clock does not age backups. Rejected objects are neither counted nor removed.
 */
export async function prune(
  store: Store,
  { proven, retention, now, ...options }: PruneOptions,
): Promise<{
  readonly kept: readonly Manifest[];
  readonly removed: readonly string[];
  readonly refused: readonly Refused[];
}> {
  const { clusterId } = proven.cluster;
  const call = callOf(options);
  const prefix = prefixOf(proven.cluster);
  const { backups, refused } = await listBackups(store, prefix, options);
  const isOwn = ({ cluster, policy }: Manifest): boolean =>
    cluster.clusterId === clusterId && (policy === undefined || policy === proven.policy);
  const own = byRevision(backups.filter(isOwn));
  const objects = await store.list(prefix, call);
  const today = Math.min(now, ...newestTime(objects));
  const surplus = toRemove(own, retention, today).filter(({ name }) => name !== proven.name);
  const gone = new Set(surplus.map(({ name }) => name));
  for (const name of gone) await removeBackup(store, name, call);
  for (const name of leftovers(objects, today)) {
    if (!gone.has(name) && (await hasNoManifest(store, name, call)))
      await store.remove(objectNames(name).content, call);
  }
  const isKept = ({ name, policy }: Manifest): boolean =>
    !gone.has(name) && (policy === undefined || policy === proven.policy);
  return { kept: backups.filter(isKept), removed: [...gone], refused };
}

/** The newest modification time: a lower bound for the store's clock. */
function newestTime(objects: readonly StoredObject[]): number[] {
  return objects.length === 0 ? [] : [Math.max(...objects.map(({ modified }) => modified.getTime()))];
}

/** Names of contents that are a day old and have no manifest in the list. */
function leftovers(objects: readonly StoredObject[], today: number): string[] {
  const described = new Set(objects.flatMap(({ name }) => nameOfManifest(name) ?? []));
  return objects.flatMap(({ name, modified }) => {
    const backup = nameOfContent(name);
    const isOurs = backup !== undefined && parseName(backup) !== undefined && !described.has(backup);
    return isOurs && today - modified.getTime() > DAY ? [backup] : [];
  });
}

/** A list may be incomplete: a manifest is missing only if reading it by name fails as well. */
async function hasNoManifest(store: Store, name: string, call: StoreCall): Promise<boolean> {
  try {
    await readUpTo(await store.get(objectNames(name).manifest, call), 0);
    return false;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return error.code === "NotFound";
  }
}

async function removeBackup(store: Store, name: string, call: StoreCall): Promise<void> {
  const { manifest, content } = objectNames(name);
  try {
    await store.remove(manifest, call);
    await store.remove(content, call);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new StoreError(error.code, `could not remove the old backup ${name}: ${error.message}`, { cause: error });
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
