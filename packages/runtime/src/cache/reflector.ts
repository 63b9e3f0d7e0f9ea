/** Keeps a store up to date with one watch: all known objects of one kind in one scope. */
import { kindId } from "../api.ts";
import type { AnyKind, Api, Scope } from "../api.ts";
import type { Clock, Random } from "../clock.ts";
import { messageOf } from "../failure.ts";
import type { WatchTuning } from "../watch/states.ts";
import { runWatcher } from "../watch/watcher.ts";
import type { WatcherEvent } from "../watch/watcher.ts";
import type { Change } from "./change.ts";
import { scopeText } from "./snapshot.ts";
import type { KnownKind } from "./snapshot.ts";
import { Store } from "./store.ts";
import type { StoreOptions } from "./store.ts";
import { StoreWriter } from "./store-writer.ts";

/** The health of a watch. */
export interface WatchHealth {
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly isSynced: boolean;
  /** Whether all reconciles wait for its first list. If a watch was added later and fails, only the objects of its own namespace wait. */
  readonly isAwaited: boolean;
  readonly isFailing: boolean;
  readonly lastError: string | undefined;
  readonly objects: number;
  readonly bytes: number;
  readonly isOverBudget: boolean;
  /** The time of the last event or response, on the clock. */
  readonly lastEventAt: number | undefined;
}

export interface ReflectorOptions {
  readonly api: Api;
  readonly kind: AnyKind;
  readonly scope: Scope;
  readonly clock: Clock;
  readonly random: Random;
  /** Whether it was added while other watches of its kind were running. */
  readonly isLate?: boolean;
  readonly tuning?: WatchTuning | undefined;
  readonly store?: StoreOptions | undefined;
  readonly onChange: (change: Change) => void;
  /** Called whenever a list is complete, and when the watch is no longer awaited. */
  readonly onSynced: () => void;
  readonly onEvent?: ((event: WatcherEvent) => void) | undefined;
}

/** A running watch and its store. */
export class Reflector implements AsyncDisposable {
  readonly kind: AnyKind;
  readonly scope: Scope;
  readonly #clock: Clock;
  readonly #isLate: boolean;
  readonly store: Store;
  readonly #stop = new AbortController();
  readonly #onSynced: () => void;
  readonly #finished: Promise<void>;
  readonly #synced = Promise.withResolvers<void>();
  #lastEventAt: number | undefined;
  /** The last resourceVersion that is completely in the store. */
  #version: string | undefined;
  #lastError: unknown;

  constructor(options: ReflectorOptions) {
    this.kind = options.kind;
    this.scope = options.scope;
    this.#clock = options.clock;
    this.#isLate = options.isLate ?? false;
    this.store = new Store(options.store);
    this.#onSynced = options.onSynced;
    const { signal } = this.#stop;
    const writer = new StoreWriter(this.store, (change) => {
      if (!signal.aborted) options.onChange(change);
    });
    const onEvent = (event: WatcherEvent): void => {
      writer.handle(event);
      this.#note(event);
      options.onEvent?.(event);
    };
    const { api, kind, scope, clock, random, tuning } = options;
    this.#finished = runWatcher({ api, kind, scope, clock, random, tuning, signal, known: this.store, onEvent });
  }

  /** Resolves when the first list is complete. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  get isAwaited(): boolean {
    return !this.store.isSynced && !(this.#isLate && this.#lastError !== undefined);
  }

  get health(): WatchHealth {
    const { bytes, isOverBudget } = this.store.usage;
    return {
      kind: this.kind.kind,
      namespace: this.scope.namespace,
      isSynced: this.store.isSynced,
      isAwaited: this.isAwaited,
      isFailing: this.#lastError !== undefined,
      lastError: this.#lastError === undefined ? undefined : messageOf(this.#lastError),
      objects: this.store.size,
      bytes,
      isOverBudget,
      lastEventAt: this.#lastEventAt,
    };
  }

  /** All known objects with their resourceVersion; undefined before the first list is complete. */
  known(): KnownKind | undefined {
    if (this.#version === undefined || !this.store.isSynced) return undefined;
    const objects = [...this.store.keys()].flatMap((key) => this.store.stored(key) ?? []);
    return { kind: kindId(this.kind), scope: scopeText(this.scope), version: this.#version, objects };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#synced.resolve();
    await this.#finished;
  }

  #note(event: WatcherEvent): void {
    if (event.type === "failed") {
      const wasAwaited = this.isAwaited;
      this.#lastError = event.error;
      if (wasAwaited && !this.isAwaited) this.#onSynced();
      return;
    }
    this.#lastEventAt = this.#clock.now();
    this.#version = versionAfter(event);
    if (this.#version === undefined) return;
    this.#lastError = undefined;
    if (event.type !== "synced") return;
    this.#synced.resolve();
    this.#onSynced();
  }
}

/** The resourceVersion up to which everything is known after an event; undefined while a list is under way. */
function versionAfter(event: Exclude<WatcherEvent, { readonly type: "failed" }>): string | undefined {
  switch (event.type) {
    case "synced":
    case "progressed":
      return event.version;
    case "changed":
    case "removed":
      return event.object.metadata.resourceVersion;
    case "restarted":
    case "listed":
    case "unlisted":
    case "vanished":
      return undefined;
  }
}
