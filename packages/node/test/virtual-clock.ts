/** A clock that stands still until a test advances it. */
import type { Clock, Timer } from "@capstan/client";

export class VirtualClock implements Clock {
  #now = 0;
  #timers: { readonly at: number; readonly run: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  wall(): number {
    return Date.UTC(2030, 0, 1) + this.#now;
  }

  later(delay: number, run: () => void): Timer {
    const timer = { at: this.#now + Math.max(0, delay), run };
    const index = this.#timers.findIndex(({ at }) => at > timer.at);
    this.#timers.splice(index === -1 ? this.#timers.length : index, 0, timer);
    return { cancel: () => void (this.#timers = this.#timers.filter((one) => one !== timer)) };
  }

  /** Advances the time, runs each timer at its time, and lets its effects settle before the next. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await this.quiet();
    for (let next = this.#timers[0]; next !== undefined && next.at <= end; next = this.#timers[0]) {
      this.#timers.shift();
      this.#now = Math.max(this.#now, next.at);
      next.run();
      await this.quiet();
    }
    this.#now = end;
  }

  async quiet(rounds = 30): Promise<void> {
    for (let round = 0; round < rounds; round++) await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
