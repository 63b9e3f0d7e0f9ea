/** A clock for tests: time stands still until it is advanced, and timers run in order. */
import type { Clock, Timer } from "../clock.ts";
import { Heap } from "../queue/heap.ts";

interface Waiting extends Timer {
  rank: number;
  slot: number;
  readonly order: number;
  readonly run: () => void;
}

/** The number of event loop rounds without a due timer after which time advances. */
const QUIET_ROUNDS = 2;

/**
 * A clock that only a test advances.
 *
 * @example
 * const clock = new VirtualClock(Date.UTC(2030, 0, 1));
 * await using world = await testOperator(app, { clock });
 * await clock.advance(60_000);
 */
export class VirtualClock implements Clock {
  #now = 0;
  #offset: number;
  #order = 0;
  readonly #timers = new Heap<Waiting>((a, b) => a.rank < b.rank || (a.rank === b.rank && a.order < b.order));

  /** Starts at the given wall-clock time. */
  constructor(start: number = Date.UTC(2030, 0, 1)) {
    this.#offset = start;
  }

  now(): number {
    return this.#now;
  }

  wall(): number {
    return this.#offset + this.#now;
  }

  later(delay: number, run: () => void): Timer {
    const waiting: Waiting = {
      // Whole milliseconds, rounded up: a timer must never be early, not even by a rounding error.
      rank: Math.ceil(this.#now + Math.max(0, delay)),
      slot: -1,
      order: this.#order++,
      run,
      cancel: () => this.#timers.remove(waiting),
    };
    this.#timers.push(waiting);
    return waiting;
  }

  /** Changes the wall clock without letting time pass, as an administrator or NTP may do. */
  jump(milliseconds: number): void {
    this.#offset += milliseconds;
  }

  /** The time of the next timer, if there is one. */
  get next(): number | undefined {
    return this.#timers.peek()?.rank;
  }

  /** Runs pending callbacks without letting time pass. */
  async quiet(): Promise<void> {
    for (let round = 0; round < QUIET_ROUNDS; round++) await new Promise<void>((resolve) => setImmediate(resolve));
  }

  /** Lets time pass: runs each timer at its time, and everything that it started before the next. */
  async advance(milliseconds: number): Promise<void> {
    const end = Math.ceil(this.#now + milliseconds);
    await this.quiet();
    while ((this.next ?? Infinity) <= end) await this.step();
    this.#now = end;
  }

  /** Advances to the next timer and runs it; returns whether there was one. */
  async step(): Promise<boolean> {
    const timer = this.#timers.pop();
    if (timer === undefined) return false;
    this.#now = timer.rank;
    timer.run();
    await this.quiet();
    return true;
  }
}
