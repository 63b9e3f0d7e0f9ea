/**
 * Measures how long a state lasts, by the operator's clock: from its first observation, which is recorded in the status. Timestamps of
 * kubelets and the API server only identify a state. Setting the clock forward makes nothing last longer: this process measures with a
 * monotonic clock, and the recorded start counts only after this process has observed the state for a while itself. The observation times
 * of all processes add up.
 */

/**
 * A state, and its first observation.
 *
 * @example
 * const sighting: RecordedSightings = { what: "db-0 is not ready", since: 0 };
 */
export interface RecordedSightings {
  readonly what: string;
  readonly since: number;
  /** Milliseconds for which processes have observed it, approximately: it is not written all the time. */
  readonly seen?: number;
}

/**
 * What this process has observed of one cluster.
 *
 * @example
 * const sightings: Sightings = new Map();
 */
export type Sightings = Map<string, Sighting>;

interface Sighting {
  /** Start, by the monotonic clock. */
  readonly at: number;
  /** Duration before, by the wall clock. */
  readonly before: number;
  /** Duration for which other processes observed it. */
  readonly seen: number;
}

export interface MonotonicClock {
  /** Milliseconds of the monotonic clock. */
  readonly at: number;
  readonly sightings: Sightings;
  /** How long this process must have observed a state before its recorded start counts. */
  readonly confirmAfter: number;
}

/** Larger differences between the clocks mean that one was set. */
const clockSlack = 5_000;

/** The observed duration is recorded when it has grown by the minimum; after a long observation, also by a share of itself. */
const recordStep = { least: 15_000, share: 0.2 };

/**
 * Measures within one reconcile. States that are not asked for any more are over and forgotten.
 *
 * @example
 * const stopwatch = new Stopwatch([], Date.now(), { at: performance.now(), sightings: new Map(), confirmAfter: 60_000 });
 */
export class Stopwatch {
  readonly #former: ReadonlyMap<string, RecordedSightings>;
  readonly #now: number;
  readonly #steady: MonotonicClock;
  readonly #before: Sightings;
  readonly #running = new Map<string, RecordedSightings>();

  constructor(former: readonly RecordedSightings[], now: number, steady: MonotonicClock) {
    this.#former = new Map(former.map((one) => [one.what, one]));
    this.#now = now;
    this.#steady = steady;
    this.#before = new Map(steady.sightings);
    steady.sightings.clear();
  }

  /** Since when the state is certain, by monotonic clocks only. For decisions that remove a member. */
  since(what: string): number {
    const { at, sightings, confirmAfter } = this.#steady;
    const { since = this.#now, seen = 0 } = this.#former.get(what) ?? {};
    const written = Math.min(since, this.#now);
    const sight = this.#before.get(what) ?? sightings.get(what) ?? { at, before: this.#now - written, seen };
    sightings.set(what, sight);
    const own = at - sight.at;
    const whole = own + sight.before;
    const certain = Math.max(own + sight.seen, own >= confirmAfter ? whole : 0);
    this.#running.set(what, this.#record(what, { written, seen, whole, certain, isLong: own >= confirmAfter }));
    return this.#now - certain;
  }

  /** Since when the state may exist: a recorded start counts at once. For decisions that only wait. */
  noted(what: string): number {
    this.since(what);
    return this.#running.get(what)?.since ?? this.#now;
  }

  /** The present states, for the status. */
  get running(): readonly RecordedSightings[] {
    return [...this.#running.values()];
  }

  /** A small clock drift must not cause a write of the status. */
  #record(what: string, { written, seen, whole, certain, isLong }: Durations): RecordedSightings {
    const since = Math.abs(this.#now - whole - written) > clockSlack ? this.#now - whole : written;
    const next = certain - seen >= Math.max(recordStep.least, isLong ? seen * recordStep.share : 0) ? certain : seen;
    return next === 0 ? { what, since } : { what, since, seen: next };
  }
}

/** Durations of a state: recorded, and as known now. */
interface Durations {
  readonly written: number;
  readonly seen: number;
  readonly whole: number;
  readonly certain: number;
  /** This process has observed it for a while. */
  readonly isLong: boolean;
}
