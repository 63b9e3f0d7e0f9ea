/** An injected clock: the server reads time and sets timers only through it. */

/** A pending callback that can be cancelled. */
export interface Timer {
  cancel(): void;
}

/** The source of time. A test or a simulator passes its own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  after(milliseconds: number, run: () => void): Timer;
}

/** The system clock. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds);
    timer.unref();
    return { cancel: () => clearTimeout(timer) };
  },
};
