/** Forgets old revisions every five minutes, as an API server has its etcd do: what is older than the time before last cannot be asked for. */
import type { ApiServer } from "@capstan/apiserver";
import type { Clock } from "@capstan/runtime";

const INTERVAL = 5 * 60_000;

/** Starts to forget; it ends with the clock. */
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
