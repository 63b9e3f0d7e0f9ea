/** A clock whose timers stop with the cluster, so that no timer fires or keeps the process alive after the stop. */
import type { Clock } from "@capstan/runtime";

/** A clock that can be stopped. */
export interface ClusterClock extends Clock {
  /** Cancels every timer. */
  stop(): void;
}

/** The same time, with timers that `stop` cancels together. */
export function createClusterClock(clock: Clock): ClusterClock {
  const timers = new Set<{ cancel(): void }>();
  let isStopped = false;
  return {
    now: () => clock.now(),
    wall: () => clock.wall(),
    later(delay, run) {
      if (isStopped) return { cancel: () => undefined };
      const timer = clock.later(delay, () => {
        timers.delete(timer);
        run();
      });
      timers.add(timer);
      const cancel = (): void => {
        timers.delete(timer);
        timer.cancel();
      };
      return { cancel };
    },
    stop() {
      isStopped = true;
      for (const timer of timers) timer.cancel();
      timers.clear();
    },
  };
}
