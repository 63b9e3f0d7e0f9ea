/**
 * Compacts old revisions every five minutes, as kube-apiserver does with etcd. Each pass compacts the revision that was current at the
 * pass before.
 */
import type { ApiServer } from "@capstan/apiserver";
import type { Clock } from "@capstan/runtime";

const INTERVAL = 5 * 60_000;

/** Starts the compaction. It stops with the clock. */
export function startCompaction(store: Pick<ApiServer["store"], "compact" | "revision">, clock: Clock): void {
  const compactLater = (revisionToCompact: number): void => {
    clock.later(INTERVAL, () => {
      const { revision } = store;
      store.compact(revisionToCompact);
      compactLater(revision);
    });
  };
  compactLater(store.revision);
}
