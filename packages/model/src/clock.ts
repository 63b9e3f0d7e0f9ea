/** The clock that callers inject: the current time, and timers. */

/** A pending call that can be cancelled. */
export interface Timer {
  cancel(): void;
  /** Lets the process exit before the timer fires. */
  unref?(): void;
}

/**
 * Time. `now` is monotonic and measures durations; `wall` is the wall clock and is only written into objects, because it can jump;
 * `later` schedules one call.
 *
 * @example
 * const remind = (clock: Clock) => clock.later(60_000, () => console.log("a minute has passed"));
 */
export interface Clock {
  /** Milliseconds since some start; never goes back. */
  now(): number;
  /** Milliseconds since 1970; may jump. */
  wall(): number;
  /** Calls `run` once after `delay` milliseconds. */
  later(delay: number, run: () => void): Timer;
}
