/** The newest backup that the operator made, as recorded in the status of backups. The content of the store is compared with it. */
import { isDeepStrictEqual } from "node:util";
import type { RecordedBackup } from "../backup/catalog.ts";
import { toStoreJob } from "../backup/parts.ts";
import type { StoreSpec } from "../backup/resource.ts";

/**
 * A backup with its records in the status.
 *
 * @example
 * const isOf = ({ spec }: RecordingBackup, cluster: string) => spec.cluster === cluster;
 */
export interface RecordingBackup {
  readonly spec: { readonly cluster: string; readonly store?: StoreSpec };
  readonly status?: { readonly last?: RecordedLast | undefined } | undefined;
}

interface RecordedLast extends RecordedBackup {
  readonly time: string;
  readonly revision: number;
  readonly clusterId?: string | undefined;
  readonly forks?: number | undefined;
}

/**
 * Cluster and store of the backups.
 *
 * @example
 * const nameOf = ({ cluster }: RecordedOf) => cluster.name;
 */
export interface RecordedOf {
  readonly store: StoreSpec;
  readonly cluster: { readonly namespace?: string | undefined; readonly name: string };
}

/**
 * The last backup that was made of the cluster in that store. Retention always keeps it. The agent uses the same order.
 *
 * @example
 * const recorded = recordedFor([], { store: { volume: { claim: "backups", path: "" } }, cluster: { name: "db" } }, "default");
 */
export function recordedFor(
  backups: readonly RecordingBackup[],
  { store, cluster }: RecordedOf,
  namespace: string,
): RecordedBackup | undefined {
  if ((cluster.namespace ?? namespace) !== namespace) return undefined;
  const lasts = backups.flatMap(({ spec, status }) =>
    spec.cluster === cluster.name && isSamePlace(spec.store, store) && status?.last ? [status.last] : [],
  );
  const [latest] = lasts.toSorted(byTime);
  const [newest] = lasts.filter(({ clusterId }) => clusterId === latest?.clusterId).toSorted(byRevision);
  return newest && { name: newest.name, ...(newest.digest === undefined ? {} : { digest: newest.digest }) };
}

/** Credentials and certificates do not identify a store. */
function isSamePlace(one: StoreSpec | undefined, other: StoreSpec): boolean {
  return one !== undefined && isDeepStrictEqual(toStoreJob(one), toStoreJob(other));
}

function byTime(one: RecordedLast, other: RecordedLast): number {
  return Date.parse(other.time) - Date.parse(one.time);
}

function byRevision(one: RecordedLast, other: RecordedLast): number {
  return (other.forks ?? 0) - (one.forks ?? 0) || other.revision - one.revision || byTime(one, other);
}
