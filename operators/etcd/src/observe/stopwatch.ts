/**
 * For how long something has been so, by the operator's own clock: it counts from when the operator first saw it, and writes that down.
 * What kubelets and the API server stamp with their clocks only tells one time from another; and a clock that is put forward makes
 * nothing last longer: what this process has seen is measured by a clock that only runs, and what was written down before it began, or
 * by another, counts when this process has seen it for a while itself.
 */

/** Something that was seen to be so, and when it was seen first. */
export interface Watched {
  readonly what: string;
  readonly since: number;
}

/** What this process itself has seen of one cluster: since when, by a clock that only runs, and for how long it had been so by what was written down. */
export type Sightings = Map<string, { readonly at: number; readonly before: number }>;

/** The process's own measure. */
export interface Steady {
  /** Milliseconds of a clock that nobody can put forward or back. */
  readonly at: number;
  readonly sightings: Sightings;
  /** So long this process must have seen something itself before what was written down counts. */
  readonly confirmAfter: number;
}

/** So much two clocks may differ before one of them was put forward or back. */
const SLACK = 5_000;

/** Counts in one look at the world; what is not asked for any more is over, and forgotten. */
export class Stopwatch {
  readonly #former: ReadonlyMap<string, number>;
  readonly #now: number;
  readonly #steady: Steady;
  readonly #before: Sightings;
  readonly #running = new Map<string, number>();

  constructor(former: readonly Watched[], now: number, steady: Steady) {
    this.#former = new Map(former.map(({ what, since }) => [what, since]));
    this.#now = now;
    this.#steady = steady;
    this.#before = new Map(steady.sightings);
    steady.sightings.clear();
  }

  /** Since when this is certain to be so: never longer ago than the process's own clock bears out. */
  since(what: string): number {
    const { at, sightings, confirmAfter } = this.#steady;
    const written = Math.min(this.#former.get(what) ?? this.#now, this.#now);
    const sight = this.#before.get(what) ?? sightings.get(what) ?? { at, before: this.#now - written };
    sightings.set(what, sight);
    const own = at - sight.at;
    const whole = this.#now - own - sight.before;
    // Clocks drift by a little, and what is written down is not to be written all the time for that.
    this.#running.set(what, Math.abs(whole - written) > SLACK ? whole : written);
    return own >= confirmAfter ? whole : this.#now - own;
  }

  /** When this was noted, as it is written down. */
  noted(what: string): number {
    this.since(what);
    return this.#running.get(what) ?? this.#now;
  }

  /** What is so now, to be written down. */
  get running(): readonly Watched[] {
    return [...this.#running].map(([what, since]) => ({ what, since }));
  }
}
