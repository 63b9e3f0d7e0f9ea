/** Works on keys one at a time: a key that is asked for twice waits once, one that failed waits longer each time. */
import type { Clock, Log } from "@capstan/runtime";

/** What a piece of work answers: nothing when it is done, or after how many milliseconds to look again. */
export type RequeueAfter = number | undefined;

/** What a worker is made with. */
export interface WorkQueueOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly reconcile: (key: string) => Promise<RequeueAfter>;
  /** How many keys are worked on at once. */
  readonly concurrency?: number;
}

const INITIAL_BACKOFF = 5;
const MAX_BACKOFF = 30_000;

/** A queue of keys and the hands that empty it. */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #ready = new Set<string>();
  readonly #running = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #timers = new Map<string, { cancel(): void }>();
  #isStopped = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  /** Asks for a key to be worked on soon. */
  add(key: string): void {
    this.#timers.get(key)?.cancel();
    this.#timers.delete(key);
    this.#ready.add(key);
    this.#pump();
  }

  stop(): void {
    this.#isStopped = true;
    this.#ready.clear();
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
  }

  #pump(): void {
    const { concurrency = 1 } = this.#options;
    for (const key of this.#ready) {
      if (this.#isStopped || this.#running.size >= concurrency) return;
      if (this.#running.has(key)) continue;
      this.#ready.delete(key);
      this.#running.add(key);
      void this.#run(key);
    }
  }

  async #run(key: string): Promise<void> {
    const requeueAfter = await this.#attempt(key);
    this.#running.delete(key);
    if (this.#isStopped) return;
    if (requeueAfter !== undefined && !this.#ready.has(key)) {
      this.#timers.get(key)?.cancel();
      this.#timers.set(
        key,
        this.#options.clock.later(requeueAfter, () => this.add(key)),
      );
    }
    this.#pump();
  }

  async #attempt(key: string): Promise<RequeueAfter> {
    const { reconcile, log, name } = this.#options;
    // Whoever adds a key must not run its work on their own stack.
    await Promise.resolve();
    try {
      const requeueAfter = await reconcile(key);
      this.#failures.delete(key);
      return requeueAfter;
    } catch (error) {
      const failures = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, failures);
      if (!this.#isStopped) log.warn(`${name} could not work on ${key}; it is tried again`, { error, failures });
      return Math.min(MAX_BACKOFF, INITIAL_BACKOFF * 2 ** Math.min(failures, 20));
    }
  }
}
