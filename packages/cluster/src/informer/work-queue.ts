/** A work queue: adding a queued key again has no effect, and failed keys are retried with backoff. */
import type { Clock, Log } from "@capstan/runtime";

/** The result of a reconcile: undefined when it is done, or the milliseconds until the next one. */
export type RequeueAfter = number | undefined;

/** The options of a work queue. */
export interface WorkQueueOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly reconcile: (key: string) => Promise<RequeueAfter>;
  /** The number of concurrent reconciles. Default: 1. */
  readonly concurrency?: number;
}

const INITIAL_BACKOFF = 5;
const MAX_BACKOFF = 30_000;

/** A queue of keys and its workers. */
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

  /** Enqueues a key. */
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
    // `add` must not run the reconcile on its caller's stack.
    await Promise.resolve();
    try {
      const requeueAfter = await reconcile(key);
      this.#failures.delete(key);
      return requeueAfter;
    } catch (error) {
      const failures = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, failures);
      if (!this.#isStopped) log.warn(`${name}: cannot reconcile ${key}; retrying with backoff`, { error, failures });
      return Math.min(MAX_BACKOFF, INITIAL_BACKOFF * 2 ** Math.min(failures, 20));
    }
  }
}
