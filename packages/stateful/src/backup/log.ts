/** The stored log of writes: the pieces that lead from a full backup to a point, and their removal. */
import { findBackup, listBackups } from "./catalog.ts";
import type { Catalog, ClusterName, WantedBackup } from "./catalog.ts";
import { BackupError } from "./errors.ts";
import { prefixOf } from "./manifest.ts";
import type { Manifest } from "./manifest.ts";
import { prune, removeBackup } from "./retention.ts";
import type { PruneOptions, Pruned } from "./retention.ts";

/** The backups of an application that the library runs. */
export type Backups = Catalog<Manifest>;

/** A requested full backup, and the point up to which the log is replayed. */
export interface Wanted extends WantedBackup {
  readonly cluster: ClusterName & { readonly uid?: string | undefined };
  readonly until?: Until | undefined;
}

/** A point in time: at most one of both. */
export interface Until {
  /** ISO 8601. */
  readonly time?: string | undefined;
  readonly position?: string | undefined;
}

/** Finds the requested full backup: the named one, or the newest one before the point. */
export async function findFull(catalog: Backups, wanted: Wanted): Promise<Manifest> {
  const { time } = wanted.until ?? {};
  const timeOf = ({ until }: Manifest): number => Date.parse(until);
  const manifest = await findBackup(catalog, wanted, {
    prefixOf: (cluster) => prefixOf({ cluster, type: "full" }),
    limit: time === undefined ? undefined : { before: Date.parse(time), timeOf },
  });
  if (manifest.type === "full") return manifest;
  throw new BackupError("NotFound", `${manifest.name} is a part of the log: name a full backup`);
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
  catalog: Backups,
  { full, until }: { readonly full: Manifest; readonly until: Until },
  positions: Positions,
): Promise<readonly Manifest[]> {
  const { store } = catalog;
  const { backups, refused } = await listBackups(catalog, prefixOf({ cluster: full.cluster, type: "log" }));
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

/** Prunes full backups, then the log before the oldest one that stays. */
export async function pruneWithLog(
  catalog: Backups,
  { positions, ...options }: PruneOptions<Manifest> & { readonly positions: Positions },
): Promise<Pruned<Manifest>> {
  const { cluster } = options.proven;
  const pruned = await prune(catalog, { ...options, prefix: prefixOf({ cluster, type: "full" }) });
  const oldest = pruned.kept.at(-1);
  if (oldest === undefined) return pruned;
  const { backups } = await listBackups(catalog, prefixOf({ cluster, type: "log" }));
  const isOld = (piece: Manifest): boolean =>
    piece.cluster.uid === cluster.uid && positions.includes(oldest.position, piece.position);
  for (const { name } of backups.filter(isOld)) await removeBackup(catalog, name);
  return pruned;
}
