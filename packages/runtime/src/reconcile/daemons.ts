/** A task for each object that runs as long as the object is there: for what must be watched or kept open without end. */
import type { Kind, ObjectOf, StoredObject } from "@capstan/model";
import type { Change } from "../cache/reflector.ts";
import { sleep } from "../clock.ts";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { isRequeue } from "./outcome.ts";
import type { ReconcileResult } from "./outcome.ts";

/**
 * What a daemon is given.
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
  /** The object as it is now; undefined when it has just gone. */
  readonly object: () => ObjectOf<K> | undefined;
  /** Aborted when the object is to go, or this replica no longer works. */
  readonly signal: AbortSignal;
  /** Wakes the object for a reconcile. */
  readonly wake: (why: string) => void;
  readonly log: Log;
}

/** A daemon of which the kind is not known. */
export type Daemon = (context: DaemonContext<Kind>) => Promise<ReconcileResult> | ReconcileResult;

/** What daemons run with. */
export interface DaemonsOptions {
  readonly run: Daemon;
  readonly clock: Clock;
  readonly log: Log;
  readonly get: (key: string) => StoredObject | undefined;
  readonly wake: (key: string, why: string) => void;
}

/** How long a daemon that failed rests before it is started again. */
const REST = 5_000;

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

  /** Follows the objects: one that is there has a daemon, one that is leaving has none. */
  see({ type, key, object }: Change): void {
    const isThere = type !== "removed" && object.metadata.deletionTimestamp === undefined;
    const known = this.#running.get(key);
    if (known !== undefined && (!isThere || known.uid !== object.metadata.uid)) {
      this.#running.delete(key);
      known.stop.abort();
    }
    if (isThere && !this.#running.has(key) && !this.#isStopped) this.#start(key, object.metadata.uid);
  }

  /** Ends them all, and waits until they have. */
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

  /** One that fails, or returns a requeue, is started again; one that ends by itself has nothing more to do. */
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
        await sleep(clock, REST, signal).catch(() => undefined);
      }
    }
  }
}
