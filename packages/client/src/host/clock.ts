/** Time as something that is handed in: what time it is, and a call later on. */

/** A call that was asked for and may be called off. */
export interface Timer {
  cancel(): void;
  /** Lets the process end although the call is still to come. */
  unref?(): void;
}

/** Time. */
export interface Clock {
  /** Milliseconds since some start; never goes back. */
  now(): number;
  /** Milliseconds since 1970; may jump. */
  wall(): number;
  /** Calls `run` once after `delay` milliseconds. */
  later(delay: number, run: () => void): Timer;
}

/** `setTimeout` counts in a 32-bit integer and calls at once when given more: such a wait is as good as for ever. */
const longestDelay = 2 ** 31 - 1;

/** The time of the machine. */
export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  later(delay, run) {
    const timer = setTimeout(run, Math.min(delay, longestDelay));
    return { cancel: () => clearTimeout(timer), unref: () => timer.unref() };
  },
};

/** Waits, unless the signal ends the waiting with its reason. */
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
