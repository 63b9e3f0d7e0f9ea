/** Which backups are kept, and the removal of the others. */
import { StoreError, readUpTo } from "../store/store.ts";
import type { Store, StoreCall, StoredObject } from "../store/store.ts";
import { callOf, listBackups } from "./catalog.ts";
import type { Positions, Reading, Refused } from "./catalog.ts";
import { nameOfObject, objectNames, parseName, prefixOf } from "./manifest.ts";
import type { Manifest } from "./manifest.ts";

/** Keeps backups that are within both count and age, and always the newest one. */
export interface Retention {
  readonly count?: number;
  readonly ageMs?: number;
}

const DAY = 86_400_000;

/** The backups that are not kept. Expects them newest first. */
export function toRemove<B extends { readonly time: string }>(
  backups: readonly B[],
  { count, ageMs }: Retention,
  now: number,
): B[] {
  return backups.filter(({ time }, at) => {
    if (at === 0) return false;
    const isOverCount = count !== undefined && at >= count;
    const isOld = ageMs !== undefined && now - Date.parse(time) >= ageMs;
    return isOverCount || isOld;
  });
}

/** What is pruned, and when. */
export interface PruneOptions extends Reading {
  /** The backup that was just made or verified. It stays, and only others of the same cluster and schedule may be removed. */
  readonly proven: Manifest;
  readonly retention: Retention;
  readonly now: number;
  readonly positions: Positions;
}

/**
 * Removes backups beyond the retention, the manifest first: content without a manifest is not a backup. Also removes the log before the
 * oldest backup that stays, and content that broken uploads left a day ago. Backups of an earlier cluster with the same name stay. Ages
 * are measured by the clock of the store, so that an agent with a wrong clock does not age backups. Rejected objects are neither counted
 * nor removed.
 */
export async function prune(
  store: Store,
  { proven, retention, now, positions, ...options }: PruneOptions,
): Promise<{ readonly kept: number; readonly removed: number; readonly refused: readonly Refused[] }> {
  const call = callOf(options);
  const { cluster, schedule } = proven;
  const { backups, refused } = await listBackups(store, { cluster, type: "full" }, options);
  const isOwn = (other: Manifest): boolean =>
    other.cluster.uid === cluster.uid && (other.schedule === undefined || other.schedule === schedule);
  const own = backups.filter(isOwn);
  const objects = await store.list(prefixOf({ cluster, type: "full" }), call);
  const today = Math.min(now, ...newestTime(objects));
  const surplus = toRemove(own, retention, today).filter(({ name }) => name !== proven.name);
  const gone = new Set(surplus.map(({ name }) => name));
  const oldest = own.findLast(({ name }) => !gone.has(name));
  const log = oldest === undefined ? [] : await oldLog(store, { oldest, positions }, options);
  for (const { name } of [...surplus, ...log]) await removeBackup(store, name, call);
  await removeLeftovers(store, { objects, today, gone }, call);
  return { kept: own.length - gone.size, removed: gone.size, refused };
}

/** Pieces of the log whose writes are all in the oldest backup that stays. */
async function oldLog(
  store: Store,
  { oldest, positions }: { readonly oldest: Manifest; readonly positions: Positions },
  options: Reading,
): Promise<readonly Manifest[]> {
  const { cluster, position } = oldest;
  const { backups } = await listBackups(store, { cluster, type: "log" }, options);
  return backups.filter((piece) => piece.cluster.uid === cluster.uid && positions.includes(position, piece.position));
}

/** The newest modification time: a lower bound for the store's clock. */
function newestTime(objects: readonly StoredObject[]): number[] {
  return objects.length === 0 ? [] : [Math.max(...objects.map(({ modified }) => modified.getTime()))];
}

interface Leftovers {
  readonly objects: readonly StoredObject[];
  readonly today: number;
  readonly gone: ReadonlySet<string>;
}

/** Removes contents that are a day old and have no manifest. */
async function removeLeftovers(store: Store, { objects, today, gone }: Leftovers, call: StoreCall): Promise<void> {
  const found = objects.map((object) => ({ object, of: nameOfObject(object.name) }));
  const described = new Set(found.flatMap(({ of }) => (of?.is === "manifest" ? [of.name] : [])));
  for (const { object, of } of found) {
    if (of?.is !== "content" || described.has(of.name) || gone.has(of.name) || parseName(of.name) === undefined)
      continue;
    if (today - object.modified.getTime() > DAY && (await hasNoManifest(store, of.name, call))) {
      await store.remove(object.name, call);
    }
  }
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
