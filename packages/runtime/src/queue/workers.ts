/** Runs requests of a queue: as many at once as allowed, with pauses for the event loop, until it is stopped. */
import type { Clock } from "../clock.ts";
import type { Queue, ReconcileRequest } from "./queue.ts";

/** The number of consecutive requests after which the event loop gets time for other work. */
const yieldEvery = 500;

/** What requests read: they wait for it. */
export interface CacheState {
  /** Whether any request may run. */
  readonly isUsable: boolean;
  /** Whether the request of a key may run; until then it is held. */
  isSyncedFor(key: string): boolean;
}

export interface WorkersOptions<C> {
  readonly queue: Queue<C>;
  readonly clock: Clock;
  readonly concurrency: number;
  readonly caches: CacheState;
  /** Runs a request; the returned function ends it in the queue, which may start the next one. Neither fails. */
  readonly run: (request: ReconcileRequest<C>) => Promise<() => void>;
}

/** The workers of one queue. */
export class Workers<C> {
  readonly #options: WorkersOptions<C>;
  readonly #canRun = (key: string): boolean => this.#options.caches.isSyncedFor(key);
  /** Keys that run, with their start time. */
  readonly #started = new Map<string, number>();
  #idle = Promise.withResolvers<void>();
  #isWorking = false;
  /** Requests since the queue was last empty, or since the last pause. */
  #inARow = 0;
  #isYielding = false;

  constructor(options: WorkersOptions<C>) {
    this.#options = options;
  }

  /** Starts to take requests. */
  start(): void {
    this.#isWorking = true;
    this.wake();
  }

  /** Takes no more requests. */
  stop(): void {
    this.#isWorking = false;
  }

  /** Resolves when no request runs. */
  async idle(): Promise<void> {
    if (this.#started.size > 0) await this.#idle.promise;
  }

  /** Seconds that the running requests have taken so far: their sum and the longest. */
  get running(): { readonly sum: number; readonly longest: number } {
    const now = this.#options.clock.now();
    let sum = 0;
    let longest = 0;
    for (const started of this.#started.values()) {
      sum += now - started;
      longest = Math.max(longest, now - started);
    }
    return { sum: sum / 1000, longest: longest / 1000 };
  }

  /** Takes requests as long as workers are free. Called whenever a request may run that could not run before. */
  wake(): void {
    const { queue, concurrency, caches } = this.#options;
    if (!this.#isWorking || !caches.isUsable) return;
    queue.release(this.#canRun);
    while (this.#isWorking && this.#started.size < concurrency && !this.#isYielding) {
      const request = queue.take(this.#canRun);
      if (request === undefined) {
        this.#inARow = 0;
        return;
      }
      if (++this.#inARow >= yieldEvery) this.#yield();
      void this.#run(request);
    }
  }

  async #run(request: ReconcileRequest<C>): Promise<void> {
    const { clock, run } = this.#options;
    this.#started.set(request.key, clock.now());
    const end = await run(request);
    this.#started.delete(request.key);
    end();
    if (this.#started.size === 0) {
      this.#idle.resolve();
      this.#idle = Promise.withResolvers<void>();
    }
    this.wake();
  }

  /** Requests without waits would block the event loop: yield so that lease renewals, probes and signals run. */
  #yield(): void {
    this.#isYielding = true;
    this.#options.clock.later(0, () => {
      this.#isYielding = false;
      this.#inARow = 0;
      this.wake();
    });
  }
}
