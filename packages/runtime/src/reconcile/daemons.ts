/** A task for each object that runs as long as the object exists: for connections or streams that stay open. */
import type { Kind, ObjectOf, StoredObject } from "@capstan/model";
import type { Change } from "../cache/change.ts";
import { sleep } from "../clock.ts";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { isRequeue } from "./outcome.ts";
import type { ReconcileResult } from "./outcome.ts";

/**
 * The context of a daemon.
 *
 * @example
 * const poll = async ({ signal, wake }: DaemonContext<typeof Memcached>) => {
 *   const response = await fetch("https://example.com/events", { signal });
 *   wake(`the provider answered ${response.status}`);
 *   return requeue("1m");
 * };
 * controller(Memcached, { daemon: poll }, () => undefined);
 */
export interface DaemonContext<K extends Kind> {
  /** The current object; undefined when it has just been deleted. */
  readonly object: () => ObjectOf<K> | undefined;
  /** Aborted when the object is being deleted, or this replica stops reconciling. */
  readonly signal: AbortSignal;
  /** Enqueues the object for a reconcile. */
  readonly wake: (why: string) => void;
  readonly log: Log;
}

/** A daemon without the type of its kind. */
export type Daemon = (context: DaemonContext<Kind>) => Promise<ReconcileResult> | ReconcileResult;

export interface DaemonsOptions {
  readonly run: Daemon;
  readonly clock: Clock;
  readonly log: Log;
  readonly get: (key: string) => StoredObject | undefined;
  readonly wake: (key: string, why: string) => void;
}

/** The delay before a failed daemon is restarted, in milliseconds. */
const restartDelay = 5_000;

/** The daemons of one controller. */
export class Daemons {
  readonly #options: DaemonsOptions;
  readonly #running = new Map<
    string,
    { readonly uid: string; readonly stop: AbortController; readonly end: Promise<void> }
  >();
  #isStopped = false;

  constructor(options: DaemonsOptions) {
    this.#options = options;
  }

  /** Follows the objects: an existing one has a daemon, one that is being deleted does not. */
  handle({ type, key, object }: Change): void {
    const isThere = type !== "removed" && object.metadata.deletionTimestamp === undefined;
    const known = this.#running.get(key);
    if (known !== undefined && (!isThere || known.uid !== object.metadata.uid)) {
      this.#running.delete(key);
      known.stop.abort();
    }
    if (isThere && !this.#running.has(key) && !this.#isStopped) this.#start(key, object.metadata.uid);
  }

  /** Ends all daemons and waits for them. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const running = [...this.#running.values()];
    this.#running.clear();
    for (const { stop } of running) stop.abort();
    await Promise.all(running.map(({ end }) => end));
  }

  #start(key: string, uid: string): void {
    const stop = new AbortController();
    this.#running.set(key, { uid, stop, end: this.#keep(key, stop.signal) });
  }

  /** A daemon that fails, or returns a requeue, is restarted; one that returns nothing is complete. */
  async #keep(key: string, signal: AbortSignal): Promise<void> {
    const { run, clock, get, wake } = this.#options;
    const log = this.#options.log.with({ object: key });
    const object = (): StoredObject | undefined => get(key);
    const context = { object, signal, log, wake: (why: string) => wake(key, why) } as unknown as DaemonContext<Kind>;
    while (!signal.aborted) {
      try {
        const result = await run(context);
        if (!isRequeue(result)) return;
        await sleep(clock, result.requeue, signal).catch(() => undefined);
      } catch (error) {
        if (signal.aborted) return;
        log.error("the daemon failed; it is started again", { error });
        await sleep(clock, restartDelay, signal).catch(() => undefined);
      }
    }
  }
}
