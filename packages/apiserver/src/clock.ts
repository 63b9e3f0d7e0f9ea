/** Time as a thing that is held: the server reads it and waits on it only through this. */

/** Something that will happen later and can be called off. */
export interface Timer {
  cancel(): void;
}

/** Where time comes from. A test or a simulator hands in its own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  after(milliseconds: number, run: () => void): Timer;
}

/** The clock on the wall. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds);
    timer.unref();
    return { cancel: () => clearTimeout(timer) };
  },
};
