/** Which backups are kept, and the removal of the others. */
import { StoreError, readUpTo } from "../store/store.ts";
import type { Store, StoreCall, StoredObject } from "../store/store.ts";
import { callOf, listBackups } from "./catalog.ts";
import type { Catalog, Refused } from "./catalog.ts";
import { nameOfObject, objectNames } from "./manifest-format.ts";
import type { StoredManifest } from "./manifest-format.ts";

/**
 * Keeps backups that are within both count and age, and always the newest one.
 *
 * @example
 * const lastWeek: Retention = { count: 7 };
 */
export interface Retention {
  readonly count?: number;
  readonly ageMs?: number;
}

const DAY = 86_400_000;

/**
 * The backups that are not kept. Expects them newest first.
 *
 * @example
 * const removed = toRemove([{ time: "2026-01-02T03:00:00Z" }, { time: "2026-01-01T03:00:00Z" }], { count: 1 }, Date.now());
 */
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

/**
 * What is pruned, and when.
 *
 * @example
 * const keepOne = <M>(proven: M): PruneOptions<M> => ({ proven, retention: { count: 1 }, now: Date.now() });
 */
export interface PruneOptions<M> {
  /** The backup that was just made or verified. It stays, and only others of its series may be removed. */
  readonly proven: M;
  readonly retention: Retention;
  readonly now: number;
  /** Where the backups of the series are. Default: those of the cluster. */
  readonly prefix?: string;
}

/**
 * The result of pruning.
 *
 * @example
 * const countOf = <M>({ removed }: Pruned<M>) => removed.length;
 */
export interface Pruned<M> {
  /** Backups that are left, the latest first: of the series, and of all series of the cluster. */
  readonly kept: readonly M[];
  readonly left: readonly M[];
  /** Names. */
  readonly removed: readonly string[];
  readonly refused: readonly Refused[];
}

/**
 * Removes backups beyond the retention, the manifest first: content without a manifest is not a backup. Also removes content that broken
 * uploads left a day ago. Backups of an earlier cluster with the same name stay. Ages are measured by the clock of the store, so that an
 * agent with a wrong clock does not age backups. Rejected objects are neither counted nor removed.
 *
 * @example
 * const keepTen = async <M extends StoredManifest>(catalog: Catalog<M>, proven: M) =>
 *   await prune(catalog, { proven, retention: { count: 10 }, now: Date.now() });
 */
export async function prune<M extends StoredManifest>(
  catalog: Catalog<M>,
  { proven, retention, now, prefix = `${proven.cluster.namespace}/${proven.cluster.name}/` }: PruneOptions<M>,
): Promise<Pruned<M>> {
  const { store, format } = catalog;
  const { backups, refused } = await listBackups(catalog, prefix);
  const own = format.newestFirst(backups.filter((other) => format.isSameSeries(other, proven)));
  const objects = await store.list(prefix, callOf(catalog));
  const today = Math.min(now, ...newestTime(objects));
  const surplus = toRemove(own, retention, today).filter(({ name }) => name !== proven.name);
  const gone = new Set(surplus.map(({ name }) => name));
  for (const name of gone) await removeBackup(catalog, name);
  await removeLeftovers(catalog, { objects, today, gone });
  const isLeft = ({ name }: M): boolean => !gone.has(name);
  return { kept: own.filter(isLeft), left: backups.filter(isLeft), removed: [...gone], refused };
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
async function removeLeftovers<M extends StoredManifest>(
  { store, format, ...call }: Catalog<M>,
  { objects, today, gone }: Leftovers,
): Promise<void> {
  const found = objects.map((object) => ({ object, of: nameOfObject(format, object.name) }));
  const described = new Set(found.flatMap(({ of }) => (of?.is === "manifest" ? [of.name] : [])));
  for (const { object, of } of found) {
    if (of?.is !== "content" || described.has(of.name) || gone.has(of.name)) continue;
    const isOld = format.parseName(of.name) !== undefined && today - object.modified.getTime() > DAY;
    const { manifest } = objectNames(format, of.name);
    if (isOld && (await isMissing(store, manifest, callOf(call)))) await store.remove(object.name, callOf(call));
  }
}

/** A list may be incomplete: a manifest is missing only if reading it by name fails as well. */
async function isMissing(store: Store, object: string, call: StoreCall): Promise<boolean> {
  try {
    await readUpTo(await store.get(object, call), 0);
    return false;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return error.code === "NotFound";
  }
}

/** Removes a backup, the manifest first. */
export async function removeBackup<M extends StoredManifest>(
  { store, format, ...call }: Catalog<M>,
  name: string,
): Promise<void> {
  const { manifest, content } = objectNames(format, name);
  try {
    await store.remove(manifest, callOf(call));
    await store.remove(content, callOf(call));
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new StoreError(error.code, `could not remove the old backup ${name}: ${error.message}`, { cause: error });
  }
}
