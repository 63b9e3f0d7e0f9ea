/** Runs what goes on beside the reconciles of a controller and reaches outside the cluster: its daemons and its sources. */
import { unlessAborted } from "../clock.ts";
import { outsideTrigger } from "../trigger/reconcile-trigger.ts";
import { runSource } from "../trigger/source.ts";
import type { Enqueue } from "../trigger/event-handler.ts";
import { Daemons } from "./daemons.ts";
import type { ReconcileEnvironment } from "./environment.ts";

export interface BackgroundOptions {
  /** Enqueues a key. */
  readonly enqueue: Enqueue;
  /** The keys of all objects of the controller's kind. */
  readonly keys: () => Iterable<string>;
}

/** The daemons and sources of one controller. */
export class Background {
  readonly #environment: ReconcileEnvironment;
  readonly #options: BackgroundOptions;
  readonly #sources: Promise<void>[] = [];
  #daemons: Daemons | undefined;
  #unsubscribe: (() => void) | undefined;

  constructor(environment: ReconcileEnvironment, options: BackgroundOptions) {
    this.#environment = environment;
    this.#options = options;
  }

  /** Starts the sources, which run until the signal is aborted, and the daemons. */
  start(signal: AbortSignal): void {
    const { enqueue, keys } = this.#options;
    const { clock, log, definition } = this.#environment;
    for (const source of definition.options.sources) {
      const onError = (error: unknown): void =>
        log.error(`source "${source.name}" failed; it is opened again`, { error });
      this.#sources.push(runSource(source, { clock, signal, enqueue, keys, onError }));
    }
    this.#startDaemons();
  }

  #startDaemons(): void {
    const { enqueue } = this.#options;
    const { clock, log, definition, informer } = this.#environment;
    const { daemon } = definition.handlers;
    if (daemon === undefined) return;
    const daemons = new Daemons({
      run: daemon,
      clock,
      log,
      get: (key) => informer.get(key),
      wake: (key, why) => enqueue(key, { trigger: outsideTrigger("source", why) }),
    });
    this.#daemons = daemons;
    this.#unsubscribe = informer.subscribe((change) => daemons.handle(change));
  }

  /** Ends the daemons and waits for them. */
  async stopDaemons(): Promise<void> {
    this.#unsubscribe?.();
    await this.#daemons?.stop();
  }

  /** Waits until the sources have ended, or the signal is aborted. */
  async sourcesEnded(signal: AbortSignal): Promise<void> {
    await unlessAborted(Promise.all(this.#sources), signal);
  }
}
