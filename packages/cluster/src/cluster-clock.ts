/** A clock whose timers end with the cluster: nothing of it must go on, or keep the process alive, after it was stopped. */
import type { Clock } from "@capstan/runtime";

/** A clock that can be stopped. */
export interface ClusterClock extends Clock {
  /** Calls every timer off. */
  stop(): void;
}

/** The same time, with timers that can be called off together. */
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
