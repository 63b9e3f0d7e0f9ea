/** The clock of the machine, and waits on a clock. */
import type { Clock } from "@capstan/model";

export type { Clock, Timer } from "@capstan/model";

/** `setTimeout` uses a 32-bit integer and fires at once for larger values; this maximum is practically forever. */
const longestDelay = 2 ** 31 - 1;

/** The system clock. */
export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  later(delay, run) {
    const timer = setTimeout(run, Math.min(delay, longestDelay));
    return { cancel: () => clearTimeout(timer), unref: () => timer.unref() };
  },
};

/** Waits; rejects with the signal's reason on abort. */
export function sleep(clock: Clock, delay: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason as Error);
    const onAbort = (): void => {
      timer.cancel();
      reject(signal?.reason as Error);
    };
    const timer = clock.later(delay, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
