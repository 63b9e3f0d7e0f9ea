/** The clock of the machine, for a server: its timers do not keep the process alive. */
import type { Clock } from "@capstan/model";

export type { Clock, Timer } from "@capstan/model";

/** The system clock. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  later(delay, run) {
    const timer = setTimeout(run, delay);
    timer.unref();
    return { cancel: () => clearTimeout(timer) };
  },
};
