/**
 * For how long something has been so, by the operator's own clock: it counts from when the operator first saw it, and writes that down.
 * What kubelets and the API server stamp with their clocks only tells one time from another.
 */

/** Something that was seen to be so, and when it was seen first. */
export interface Watched {
  readonly what: string;
  readonly since: number;
}

/** Counts in one look at the world; what is not asked for any more is over, and forgotten. */
export class Stopwatch {
  readonly #former: ReadonlyMap<string, number>;
  readonly #now: number;
  readonly #running = new Map<string, number>();

  constructor(former: readonly Watched[], now: number) {
    this.#former = new Map(former.map(({ what, since }) => [what, since]));
    this.#now = now;
  }

  /** When this was first seen. A clock that was put back since then begins anew. */
  since(what: string): number {
    const since = Math.min(this.#former.get(what) ?? this.#now, this.#now);
    this.#running.set(what, since);
    return since;
  }

  /** What is so now, to be written down. */
  get running(): readonly Watched[] {
    return [...this.#running].map(([what, since]) => ({ what, since }));
  }
}
