/** The cached objects of one kind, in one watch or one watch for each namespace, and the listeners to their changes. */
import type { StoredObject } from "@capstan/model";
import { keyText } from "../api.ts";
import type { AnyKind, Scope } from "../api.ts";
import type { WatcherEvent } from "../watch/watcher.ts";
import { existing, vanished } from "./change.ts";
import type { Change } from "./change.ts";
import { Reflector } from "./reflector.ts";
import type { ReflectorOptions, WatchHealth } from "./reflector.ts";
import type { Query } from "./selector.ts";
import type { CacheSettings } from "./settings.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Reader, Store } from "./store.ts";

export interface InformerOptions extends Omit<
  ReflectorOptions,
  "scope" | "isLate" | "onChange" | "onSynced" | "onEvent"
> {
  readonly settings?: CacheSettings | undefined;
  /** The scopes to watch, at most one for each namespace. */
  readonly scopes: readonly Scope[];
  readonly onEvent?: ((scope: Scope, event: WatcherEvent) => void) | undefined;
}

/** One kind, in one watch or one watch for each namespace. */
export class Informer implements Reader, AsyncDisposable {
  readonly kind: AnyKind;
  readonly settings: CacheSettings;
  readonly #options: InformerOptions;
  /** By namespace; empty for all of them. */
  readonly #reflectors = new Map<string, Reflector>();
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #syncListeners = new Set<() => void>();

  constructor(options: InformerOptions) {
    this.kind = options.kind;
    this.settings = options.settings ?? {};
    this.#options = options;
    this.setScopes(options.scopes);
  }

  /** Watches these scopes from now on; a scope that stays keeps its watch and its objects. */
  setScopes(scopes: readonly Scope[]): void {
    const wanted = new Map(scopes.map((scope) => [scope.namespace ?? "", scope]));
    const isLate = this.#reflectors.size > 0;
    for (const [namespace, reflector] of this.#reflectors) {
      if (wanted.has(namespace)) continue;
      this.#reflectors.delete(namespace);
      this.#end(reflector);
    }
    for (const [namespace, scope] of wanted) {
      if (!this.#reflectors.has(namespace)) this.#reflectors.set(namespace, this.#start(scope, isLate));
    }
  }

  #start(scope: Scope, isLate: boolean): Reflector {
    const { onEvent } = this.#options;
    return new Reflector({
      ...this.#options,
      scope,
      isLate,
      onChange: (change) => {
        for (const listener of this.#listeners) listener(change);
      },
      onSynced: () => {
        for (const listener of this.#syncListeners) listener();
      },
      onEvent: onEvent && ((event) => onEvent(scope, event)),
    });
  }

  /** Ends one watch while others continue: listeners get a removal for each of its objects. */
  #end(reflector: Reflector): void {
    void reflector[Symbol.asyncDispose]();
    for (const key of reflector.store.keys()) {
      const object = reflector.store.stored(key);
      if (object === undefined) continue;
      for (const listener of this.#listeners) listener(vanished(key, object));
    }
  }

  /** Resolves when every watch has its first list. */
  async synced(): Promise<void> {
    await Promise.all([...this.#reflectors.values()].map((reflector) => reflector.synced));
  }

  get isSynced(): boolean {
    for (const reflector of this.#reflectors.values()) if (!reflector.store.isSynced) return false;
    return true;
  }

  /** Whether reconciles may run: no first list is awaited. A namespace that was added later and fails holds up only its own objects. */
  get isUsable(): boolean {
    for (const reflector of this.#reflectors.values()) if (reflector.isAwaited) return false;
    return true;
  }

  /** Whether every object in the namespace of a key is known. A namespace that is not watched cannot become known. */
  isSyncedFor(key: string): boolean {
    return this.#storeOf(key)?.isSynced ?? true;
  }

  /** Whether there are listeners. */
  get isUsed(): boolean {
    return this.#listeners.size > 0;
  }

  /** Calls the listener whenever a watch of the kind completes a list, or is no longer awaited. */
  onSynced(listener: () => void): () => void {
    const entry = (): void => listener();
    this.#syncListeners.add(entry);
    return () => void this.#syncListeners.delete(entry);
  }

  /** The number of functions that are called for changes and completed lists. */
  get listeners(): number {
    return this.#listeners.size + this.#syncListeners.size;
  }

  get size(): number {
    let size = 0;
    for (const reflector of this.#reflectors.values()) size += reflector.store.size;
    return size;
  }

  known(): Snapshot {
    return [...this.#reflectors.values()].flatMap((reflector) => reflector.known() ?? []);
  }

  get health(): readonly WatchHealth[] {
    return [...this.#reflectors.values()].map((reflector) => reflector.health);
  }

  get(key: string): StoredObject | undefined {
    return this.#storeOf(key)?.get(key);
  }

  /** The resourceVersion of an object in the last watch event. */
  versionOf(key: string): string | undefined {
    return this.#storeOf(key)?.versionOf(key);
  }

  find(query: Query): readonly StoredObject[] {
    const whole = this.#reflectors.get("");
    if (whole !== undefined) return whole.store.find(query);
    if (query.namespace !== undefined) return this.#reflectors.get(query.namespace)?.store.find(query) ?? [];
    return [...this.#reflectors.values()].flatMap((reflector) => reflector.store.find(query));
  }

  /** Calls the listener for the existing objects and for every later change, until the returned function is called. */
  subscribe(listener: (change: Change) => void): () => void {
    for (const { store } of this.#reflectors.values()) {
      for (const key of store.keys()) {
        const object = store.stored(key);
        if (object !== undefined) listener(existing(key, object));
      }
    }
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Shows the result of our own write at once. */
  overlay(object: StoredObject): void {
    this.#storeOf(keyText(object))?.overlay(object);
  }

  /** Hides an object that we deleted at once. */
  hide(object: StoredObject): void {
    this.#storeOf(keyText(object))?.hide(object);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const reflectors = [...this.#reflectors.values()];
    this.#reflectors.clear();
    this.#listeners.clear();
    await Promise.all(reflectors.map((reflector) => reflector[Symbol.asyncDispose]()));
  }

  #storeOf(key: string): Store | undefined {
    const whole = this.#reflectors.get("");
    if (whole !== undefined) return whole.store;
    const slash = key.indexOf("/");
    return slash < 0 ? undefined : this.#reflectors.get(key.slice(0, slash))?.store;
  }
}
