/**
 * Shares the event loop between flows. All requests run on one thread: without pauses, a hundred expensive requests of one client that
 * arrive together would run one after the other before anything else.
 */
import type { Stopwatch } from "../clock.ts";
import type { TurnWatch } from "../turn/turn-watch.ts";
import { FairQueue } from "./fair-queue.ts";
import type { Flow } from "./flow.ts";

/** A turn that is longer than this starts no further request, in milliseconds. */
const turnBudget = 10;
/** The most requests that start in one turn. It adapts: the cost of a request is known only when it has run. */
const mostStarts = 16;

/** Lets requests wait for a later turn of the event loop, in which priority levels, and flows within a level, take turns. */
export class Pacer {
  readonly #turns: TurnWatch;
  readonly #stopwatch: Stopwatch | undefined;
  readonly #levels = new Map<string, FairQueue<() => void>>();
  #isScheduled = false;
  /** The number of requests that the current turn may start, and has started. */
  #starts = 4;
  #started = 0;

  constructor(turns: TurnWatch, stopwatch: Stopwatch | undefined) {
    this.#turns = turns;
    this.#stopwatch = stopwatch;
  }

  /** Resolves when the request may continue; `undefined` if it may now. */
  pause({ level, key }: Flow): Promise<void> | undefined {
    if (this.#stopwatch === undefined) return undefined;
    this.#schedule();
    if (this.#levels.size === 0 && this.#started < this.#starts && this.#turns.spent < turnBudget) {
      this.#started++;
      return undefined;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const queue = this.#levels.get(level) ?? new FairQueue<() => void>();
    this.#levels.set(level, queue);
    queue.push(key, resolve);
    return promise;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#stopwatch?.afterInput(() => this.#takeTurn());
  }

  /** Starts the next requests, after the input of a turn. */
  #takeTurn(): void {
    this.#isScheduled = false;
    this.#starts = this.#turns.last < turnBudget ? Math.min(mostStarts, 2 * this.#starts) : 1;
    this.#started = 0;
    while (this.#levels.size > 0 && this.#started < this.#starts) {
      this.#started++;
      this.#startNext();
    }
    if (this.#levels.size > 0) this.#schedule();
  }

  #startNext(): void {
    for (const [level, queue] of this.#levels) {
      this.#levels.delete(level);
      queue.shift()?.();
      if (queue.size > 0) this.#levels.set(level, queue);
      return;
    }
  }
}
