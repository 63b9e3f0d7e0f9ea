/** A clock whose timers end with the cluster: nothing of it must go on, or keep the process alive, after it was stopped. */
import type { Clock } from "@capstan/runtime";

/** A clock that can be stopped. */
export interface EndingClock extends Clock {
  /** Calls every timer off. */
  end(): void;
}

/** The same time, with timers that can be called off together. */
export function endingClock(clock: Clock): EndingClock {
  const timers = new Set<{ cancel(): void }>();
  let isEnded = false;
  return {
    now: () => clock.now(),
    wall: () => clock.wall(),
    later(delay, run) {
      if (isEnded) return { cancel: () => undefined };
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
    end() {
      isEnded = true;
      for (const timer of timers) timer.cancel();
      timers.clear();
    },
  };
}
