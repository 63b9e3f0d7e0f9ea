/** The newest backup that the operator made, as the statuses of EtcdBackups record it: what the store has is compared with it. */
import { isDeepStrictEqual } from "node:util";
import { toStoreJob } from "./parts.ts";
import type { StoreSpec } from "./parts.ts";
import type { Recorded } from "./retention.ts";

/** An EtcdBackup, as far as it matters. */
export interface RecordingBackup {
  readonly spec: { readonly cluster: string; readonly store?: StoreSpec };
  readonly status?: { readonly last?: RecordedLast | undefined } | undefined;
}

interface RecordedLast extends Recorded {
  readonly time: string;
  readonly revision: number;
  readonly clusterId?: string | undefined;
  readonly forks?: number | undefined;
}

/** Whose backups, and where. */
export interface RecordedOf {
  readonly store: StoreSpec;
  readonly cluster: { readonly namespace?: string | undefined; readonly name: string };
}

/** The last one that any EtcdBackup of the cluster made in that store. Retention always keeps it. It is chosen as the agent chooses. */
export function recordedFor(
  backups: readonly RecordingBackup[],
  { store, cluster }: RecordedOf,
  namespace: string,
): Recorded | undefined {
  if ((cluster.namespace ?? namespace) !== namespace) return undefined;
  const lasts = backups.flatMap(({ spec, status }) =>
    spec.cluster === cluster.name && isSamePlace(spec.store, store) && status?.last ? [status.last] : [],
  );
  const [latest] = lasts.toSorted(byTime);
  const [newest] = lasts.filter(({ clusterId }) => clusterId === latest?.clusterId).toSorted(byRevision);
  return newest && { name: newest.name, ...(newest.digest === undefined ? {} : { digest: newest.digest }) };
}

/** Credentials and certificates say how a store is reached, not which one it is. */
function isSamePlace(one: StoreSpec | undefined, other: StoreSpec): boolean {
  return one !== undefined && isDeepStrictEqual(toStoreJob(one), toStoreJob(other));
}

function byTime(one: RecordedLast, other: RecordedLast): number {
  return Date.parse(other.time) - Date.parse(one.time);
}

function byRevision(one: RecordedLast, other: RecordedLast): number {
  return (other.forks ?? 0) - (one.forks ?? 0) || other.revision - one.revision || byTime(one, other);
}
