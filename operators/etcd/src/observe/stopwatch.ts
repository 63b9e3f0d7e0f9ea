/**
 * For how long something has been so, by the operator's own clock: it counts from when the operator first saw it, and writes that down.
 * What kubelets and the API server stamp with their clocks only tells one time from another; and a clock that is put forward makes
 * nothing last longer: what this process has seen is measured by a clock that only runs, and the calendar of before it began
 * counts when this process has seen it for a while itself. What processes have seen so is added up: many short lives make a long one.
 */

/** Something that was seen to be so, and when it was seen first. */
export interface RecordedSightings {
  readonly what: string;
  readonly since: number;
  /** Milliseconds for which processes have seen it themselves, about: it is not written all the time. */
  readonly seen?: number;
}

/** What this process itself has seen of one cluster. */
export type Sightings = Map<string, Sighting>;

interface Sighting {
  /** Since when, by a clock that only runs. */
  readonly at: number;
  /** For how long it had been so before, by the calendar. */
  readonly before: number;
  /** For how long other processes had seen it. */
  readonly seen: number;
}

/** The process's own measure. */
export interface MonotonicClock {
  /** Milliseconds of a clock that nobody can put forward or back. */
  readonly at: number;
  readonly sightings: Sightings;
  /** So long this process must have seen something itself before what was written down counts. */
  readonly confirmAfter: number;
}

/** So much two clocks may differ before one of them was put forward or back. */
const clockSlack = 5_000;

/** What was seen is written down when it has grown by so much; by a process that lives for long also only by a share of itself. */
const recordStep = { least: 15_000, share: 0.2 };

/** Counts in one look at the world; what is not asked for any more is over, and forgotten. */
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

  /** Since when this is certain to be so: never longer ago than clocks that only run bear out. For whatever gives somebody up. */
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

  /** Since when this may be so: what was written down counts at once. For whatever makes careful. */
  noted(what: string): number {
    this.since(what);
    return this.#running.get(what)?.since ?? this.#now;
  }

  /** What is so now, to be written down. */
  get running(): readonly RecordedSightings[] {
    return [...this.#running.values()];
  }

  /** Clocks drift by a little, and what is written down is not to be written all the time for that. */
  #record(what: string, { written, seen, whole, certain, isLong }: Durations): RecordedSightings {
    const since = Math.abs(this.#now - whole - written) > clockSlack ? this.#now - whole : written;
    const next = certain - seen >= Math.max(recordStep.least, isLong ? seen * recordStep.share : 0) ? certain : seen;
    return next === 0 ? { what, since } : { what, since, seen: next };
  }
}

/** How long something has been so: by what is written, and by what is known now. */
interface Durations {
  readonly written: number;
  readonly seen: number;
  readonly whole: number;
  readonly certain: number;
  /** This process has seen it for a while. */
  readonly isLong: boolean;
}
