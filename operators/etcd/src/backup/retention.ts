/** Which backups are there, which are kept, which go. */
import { StoreError } from "../store/index.ts";
import type { Store, StoreCall, StoredObject } from "../store/index.ts";
import { BackupError } from "./errors.ts";
import { readManifest } from "./fetch-backup.ts";
import { nameOfContent, nameOfManifest, objectNames } from "./manifest.ts";
import type { Manifest } from "./manifest.ts";

/** What is kept: those that are among so many newest and younger than so long, and always the newest. */
export interface Retention {
  readonly count?: number;
  readonly ageMs?: number;
}

const DAY = 86_400_000;
const AT_ONCE = 8;

/** The complete backups whose names begin so, newest first. One whose description cannot be read is passed over and told. */
export async function listBackups(
  store: Store,
  prefix: string,
  call: StoreCall = {},
): Promise<{ readonly backups: readonly Manifest[]; readonly unreadable: readonly string[] }> {
  const names = (await store.list(prefix, call)).flatMap(({ name }) => nameOfManifest(name) ?? []);
  const backups: Manifest[] = [];
  const unreadable: string[] = [];
  for (let at = 0; at < names.length; at += AT_ONCE) {
    const batch = names.slice(at, at + AT_ONCE).map(async (name) => {
      try {
        backups.push(await readManifest(store, name, call));
      } catch (error) {
        // Somebody else's file, or a backup that another operator removed just now.
        if (!(error instanceof BackupError)) throw error;
        if (error.code !== "NotFound") unreadable.push(name);
      }
    });
    await Promise.all(batch);
  }
  return { backups: backups.sort((a, b) => compare(b.time, a.time) || compare(b.name, a.name)), unreadable };
}

/** The backup that is meant: the one named, or the newest if all are of one cluster. */
export async function findBackup(store: Store, name: string | undefined, call: StoreCall = {}): Promise<Manifest> {
  if (name !== undefined) return readManifest(store, name, call);
  const { backups } = await listBackups(store, "", call);
  const clusters = new Set(backups.map(({ cluster }) => `${cluster.namespace}/${cluster.name}`));
  if (clusters.size > 1) {
    const message = `${store.place} has backups of ${[...clusters].join(", ")}: say which backup`;
    throw new BackupError("Ambiguous", message);
  }
  const [latest] = backups;
  const [newest] = byRevision(backups.filter(({ cluster }) => cluster.clusterId === latest?.cluster.clusterId));
  if (newest) return newest;
  throw new BackupError("NotFound", `there is no backup in ${store.place}`);
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
export interface PruneOptions extends StoreCall {
  /** The one that was just made or tried: it stays, and only others of the very same cluster and policy may go, or of none. */
  readonly proven: Manifest;
  readonly retention: Retention;
  readonly now: number;
}

/**
 * Removes what is not kept, the description first: what has none is no backup. Also what broken uploads left a day ago. A cluster
 * that was made anew under the same name is another one: it does not push out what is left of the one before. Ages are counted by
 * the store's own clock: an agent whose clock runs ahead makes no backup old.
 */
export async function prune(
  store: Store,
  { proven, retention, now, ...call }: PruneOptions,
): Promise<{ readonly kept: readonly Manifest[]; readonly removed: readonly string[] }> {
  const { namespace, name: clusterName, clusterId } = proven.cluster;
  const prefix = `${namespace}/${clusterName}/`;
  const { backups } = await listBackups(store, prefix, call);
  const isOwn = ({ cluster, policy }: Manifest): boolean =>
    cluster.clusterId === clusterId && (policy === undefined || policy === proven.policy);
  const own = byRevision(backups.filter(isOwn));
  const objects = await store.list(prefix, call);
  const today = Math.min(now, ...newestTime(objects));
  const surplus = toRemove(own, retention, today).filter(({ name }) => name !== proven.name);
  const gone = new Set(surplus.map(({ name }) => name));
  for (const name of gone) await removeBackup(store, name, call);
  for (const name of leftovers(objects, today)) {
    if (!gone.has(name) && (await hasNoDescription(store, name, call)))
      await store.remove(objectNames(name).content, call);
  }
  const isKept = ({ name, policy }: Manifest): boolean =>
    !gone.has(name) && (policy === undefined || policy === proven.policy);
  return { kept: backups.filter(isKept), removed: [...gone] };
}

/** No object is younger than the store's clock. */
function newestTime(objects: readonly StoredObject[]): number[] {
  return objects.length === 0 ? [] : [Math.max(...objects.map(({ modified }) => modified.getTime()))];
}

/** The names of contents that are a day old and beside which no description is listed. */
function leftovers(objects: readonly StoredObject[], today: number): string[] {
  const described = new Set(objects.flatMap(({ name }) => nameOfManifest(name) ?? []));
  return objects.flatMap(({ name, modified }) => {
    const backup = nameOfContent(name);
    return backup !== undefined && !described.has(backup) && today - modified.getTime() > DAY ? [backup] : [];
  });
}

/** A list may leave something out; only what cannot be found by its own name either is not there. */
async function hasNoDescription(store: Store, name: string, call: StoreCall): Promise<boolean> {
  try {
    await readManifest(store, name, call);
    return false;
  } catch (error) {
    if (!(error instanceof BackupError)) throw error;
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
