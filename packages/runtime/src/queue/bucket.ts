/** A token bucket: a limit on reconciles per second that allows bursts. */

export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** The time is an argument of each call. */
export class Bucket {
  readonly #rate: Rate;
  #tokens: number;
  #filledAt: number;

  constructor(rate: Rate, now: number) {
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#filledAt = now;
  }

  /** Takes a token and returns 0 if there is one. Otherwise returns the milliseconds until there is one. */
  take(now: number): number {
    this.#fill(now);
    if (this.#tokens < 1) return Math.max(1, ((1 - this.#tokens) / this.#rate.perSecond) * 1000);
    this.#tokens -= 1;
    return 0;
  }

  #fill(now: number): void {
    const gained = ((now - this.#filledAt) / 1000) * this.#rate.perSecond;
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + Math.max(0, gained));
    this.#filledAt = now;
  }
}
