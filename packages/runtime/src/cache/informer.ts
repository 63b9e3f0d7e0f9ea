/** One watch with its store: all known objects of one kind in one scope. */
import { kindId } from "../api.ts";
import type { AnyKind, Api, Scope } from "../api.ts";
import type { Clock, Random } from "../clock.ts";
import { messageOf } from "../failure.ts";
import type { WatchTuning } from "../watch/states.ts";
import { runWatcher } from "../watch/watcher.ts";
import type { Signal } from "../watch/watcher.ts";
import { Reflector } from "./reflector.ts";
import type { Change } from "./reflector.ts";
import { scopeText } from "./snapshot.ts";
import type { KnownKind } from "./snapshot.ts";
import { Store } from "./store.ts";
import type { Reader, StoreOptions } from "./store.ts";

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
  readonly heardAt: number | undefined;
}

export interface InformerOptions {
  readonly api: Api;
  readonly kind: AnyKind;
  readonly scope: Scope;
  readonly clock: Clock;
  readonly random: Random;
  /** Whether it was added while other watches of its kind were running. */
  readonly isLate?: boolean;
  readonly tuning?: WatchTuning | undefined;
  readonly store?: StoreOptions | undefined;
  readonly onSignal?: ((signal: Signal) => void) | undefined;
}

/** A running watch and its store. */
export class Informer implements AsyncDisposable {
  readonly kind: AnyKind;
  readonly scope: Scope;
  readonly #clock: Clock;
  readonly #isLate: boolean;
  readonly #store: Store;
  readonly #stop = new AbortController();
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #syncListeners = new Set<() => void>();
  readonly #finished: Promise<void>;
  readonly #synced = Promise.withResolvers<void>();
  #heardAt: number | undefined;
  /** The last resourceVersion that is completely in the store. */
  #version: string | undefined;
  #lastError: unknown;

  constructor(options: InformerOptions) {
    this.kind = options.kind;
    this.scope = options.scope;
    this.#clock = options.clock;
    this.#isLate = options.isLate ?? false;
    this.#store = new Store(options.store);
    const reflector = new Reflector(this.#store, (change) => {
      for (const listener of this.#listeners) listener(change);
    });
    const onSignal = (signal: Signal): void => {
      reflector.handle(signal);
      this.#note(signal);
      options.onSignal?.(signal);
    };
    const { api, kind, scope, clock, random, tuning } = options;
    const { signal } = this.#stop;
    this.#finished = runWatcher({ api, kind, scope, clock, random, tuning, signal, known: this.#store, onSignal });
  }

  get reader(): Reader {
    return this.#store;
  }

  /** Resolves when the first list is complete. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  get isAwaited(): boolean {
    return !this.#store.isSynced && !(this.#isLate && this.#lastError !== undefined);
  }

  get health(): WatchHealth {
    const { bytes, isOverBudget } = this.#store.usage;
    return {
      kind: this.kind.kind,
      namespace: this.scope.namespace,
      isSynced: this.#store.isSynced,
      isAwaited: this.isAwaited,
      isFailing: this.#lastError !== undefined,
      lastError: this.#lastError === undefined ? undefined : messageOf(this.#lastError),
      objects: this.#store.size,
      bytes,
      isOverBudget,
      heardAt: this.#heardAt,
    };
  }

  /** All known objects with their resourceVersion; undefined before the first list is complete. */
  known(): KnownKind | undefined {
    if (this.#version === undefined || !this.#store.isSynced) return undefined;
    const objects = [...this.#store.keys()].flatMap((key) => this.#store.stored(key) ?? []);
    return { kind: kindId(this.kind), scope: scopeText(this.scope), version: this.#version, objects };
  }

  /** Calls the listener for the existing objects and then for every change. */
  subscribe(listener: (change: Change) => void): void {
    for (const key of this.#store.keys()) {
      const object = this.#store.stored(key);
      if (object !== undefined) {
        const { metadata } = object;
        listener({ type: "added", key, object, metadata, old: undefined, from: "list", writers: undefined });
      }
    }
    this.#listeners.add(listener);
  }

  unsubscribe(listener: (change: Change) => void): void {
    this.#listeners.delete(listener);
  }

  /** Calls the listener whenever a list is complete, and when the watch is no longer awaited. */
  onSynced(listener: () => void): void {
    this.#syncListeners.add(listener);
  }

  /** Shows the result of our own write at once. */
  overlay(object: Parameters<Store["overlay"]>[0]): void {
    this.#store.overlay(object);
  }

  /** Hides an object that we deleted at once. */
  bury(object: Parameters<Store["bury"]>[0]): void {
    this.#store.bury(object);
  }

  versionOf(key: string): string | undefined {
    return this.#store.versionOf(key);
  }

  /** Ends this watch while others continue: listeners get a removal for each of its objects. */
  giveUp(): void {
    const listeners = [...this.#listeners];
    void this[Symbol.asyncDispose]();
    for (const key of this.#store.keys()) {
      const object = this.#store.stored(key);
      if (object === undefined) continue;
      const { metadata } = object;
      const change = { type: "removed", key, object, metadata, old: object, from: "list", writers: undefined } as const;
      for (const listener of listeners) listener(change);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.clear();
    this.#stop.abort();
    this.#synced.resolve();
    await this.#finished;
  }

  #note(signal: Signal): void {
    if (signal.type === "failed") {
      const wasAwaited = this.isAwaited;
      this.#lastError = signal.error;
      if (wasAwaited && !this.isAwaited) this.#tellListeners();
      return;
    }
    this.#heardAt = this.#clock.now();
    this.#version = versionAfter(signal);
    if (this.#version === undefined) return;
    this.#lastError = undefined;
    if (signal.type !== "synced") return;
    this.#synced.resolve();
    this.#tellListeners();
  }

  #tellListeners(): void {
    for (const listener of this.#syncListeners) listener();
  }
}

/** The resourceVersion up to which everything is known after an event; undefined while a list is under way. */
function versionAfter(signal: Exclude<Signal, { readonly type: "failed" }>): string | undefined {
  switch (signal.type) {
    case "synced":
    case "progressed":
      return signal.version;
    case "changed":
    case "removed":
      return signal.object.metadata.resourceVersion;
    case "restarted":
    case "listed":
    case "unlisted":
    case "vanished":
      return undefined;
  }
}
