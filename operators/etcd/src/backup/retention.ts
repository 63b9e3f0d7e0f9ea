/** Which backups are there, which are kept, which go. */
import { readUpTo, StoreError } from "../store/index.ts";
import type { Store, StoreCall, StoredObject } from "../store/index.ts";
import { BackupError } from "./errors.ts";
import { readManifest } from "./fetch-backup.ts";
import { checkDigest, nameOfContent, nameOfManifest, objectNames, parseName } from "./manifest.ts";
import type { Manifest, Trust } from "./manifest.ts";

/** What is kept: those that are among so many newest and younger than so long, and always the newest. */
export interface Retention {
  readonly count?: number;
  readonly ageMs?: number;
}

const DAY = 86_400_000;
const AT_ONCE = 8;

/** Something that has the name of a backup, and why it does not count as one. */
export interface Refused {
  readonly name: string;
  readonly error: BackupError;
}

/** The complete and authentic backups whose names begin so, newest first; and what has such a name and is refused. Other files are passed over. */
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
        // Another operator may have removed it just now.
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

/** Which backup is meant. */
export interface Wanted {
  /** Its name; left out: the newest. */
  readonly backup?: string | undefined;
  /** sha256 of its manifest, if that was recorded. */
  readonly digest?: string | undefined;
  /** Whose backup. With a uid, those of an earlier cluster of the same name are not meant. Left out: the only one in the store. */
  readonly cluster?: { readonly namespace: string; readonly name: string; readonly uid?: string } | undefined;
  /** The newest that is known to have been made: without it in the store, something else would be restored in its place. */
  readonly recorded?: Recorded | undefined;
}

/** A backup as its maker recorded it outside of the store. */
export interface Recorded {
  readonly name: string;
  readonly digest?: string | undefined;
}

/** The backup that is meant: the one named, or the newest. Fails rather than to take an older one for the newest. */
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
  // A list may leave something out.
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

/** What is refused and called later than the newest may be the newest, replaced in the store. */
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

/** Of one cluster, newest first: clocks may be wrong, revisions only grow, but for when a member goes on alone. */
export function byRevision(backups: readonly Manifest[]): Manifest[] {
  const isLater = ({ forks = 0 }: Manifest, other: Manifest): number => forks - (other.forks ?? 0);
  const order = (a: Manifest, b: Manifest): number => isLater(b, a) || b.revision - a.revision;
  return backups.toSorted((a, b) => order(a, b) || compare(b.time, a.time) || compare(b.name, a.name));
}

/** Which of the backups, newest first, are not kept. */
export function toRemove(backups: readonly Manifest[], { count, ageMs }: Retention, now: number): Manifest[] {
  return backups.filter(({ time }, at) => {
    if (at === 0) return false;
    const isOverCount = count !== undefined && at >= count;
    const isOld = ageMs !== undefined && now - Date.parse(time) >= ageMs;
    return isOverCount || isOld;
  });
}

/** What is removed, and because of which backup. */
export interface PruneOptions extends StoreCall, Trust {
  /** The one that was just made or tried: it stays, and only others of the very same cluster and policy may go, or of none. */
  readonly proven: Manifest;
  readonly retention: Retention;
  readonly now: number;
}

/**
 * Removes what is not kept, the manifest first: what has none is not a backup. Also what broken uploads left a day ago. A cluster
 * that was made later under the same name is another one: it does not push out what is left of the one before. Ages are counted by
 * the store's own clock: an agent whose clock runs ahead makes no backup old. What is refused neither counts nor is removed.
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

/** No object is younger than the store's clock. */
function newestTime(objects: readonly StoredObject[]): number[] {
  return objects.length === 0 ? [] : [Math.max(...objects.map(({ modified }) => modified.getTime()))];
}

/** The names of contents that are a day old and beside which no manifest is listed. */
function leftovers(objects: readonly StoredObject[], today: number): string[] {
  const described = new Set(objects.flatMap(({ name }) => nameOfManifest(name) ?? []));
  return objects.flatMap(({ name, modified }) => {
    const backup = nameOfContent(name);
    const isOurs = backup !== undefined && parseName(backup) !== undefined && !described.has(backup);
    return isOurs && today - modified.getTime() > DAY ? [backup] : [];
  });
}

/** A list may leave something out; only what cannot be found by its own name either is not there. */
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
