/** Shares watches between controllers: one for each kind, namespace and selector, however many controllers use it. */
import type { StoredObject } from "@capstan/model";
import { keyText, kindId } from "../api.ts";
import type { AnyKind, Api, Scope } from "../api.ts";
import { meantNamespaces } from "./every-namespace.ts";
import type { Clock, Random } from "../clock.ts";
import { isResource } from "../resource.ts";
import type { WatchTuning } from "../watch/states.ts";
import type { Signal } from "../watch/watcher.ts";
import type { IndexValues, UserCalls } from "./indexes.ts";
import { Informer } from "./informer.ts";
import type { WatchHealth } from "./informer.ts";
import type { Change } from "./reflector.ts";
import type { Query } from "./selector.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Reader } from "./store.ts";
import type { Transform } from "./transform.ts";

/** Selects the objects and fields that are cached. */
export interface Selection {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly metadataOnly?: boolean | undefined;
}

/** Cache settings of a kind. */
export interface CacheSettings extends Selection {
  /** Namespaces to watch, with the selection of each. Default: those of the operator. */
  readonly namespaces?: readonly string[] | { readonly [namespace: string]: Selection } | undefined;
  /** Changes objects before they are cached. An object for which it fails is cached unchanged, and the failure is logged. */
  readonly transform?: Transform | undefined;
  readonly indexes?: { readonly [name: string]: IndexValues } | undefined;
  /**
   * Bytes that each watch of the kind may use. Default: no limit. Beyond it, objects that were not read recently are deflated, except for
   * half of the bytes: that takes a third to a half of the memory, and each read of such an object costs 20 to 130 us of CPU instead of
   * 1.
   */
  readonly budget?: number | undefined;
}

export interface CachesOptions {
  readonly api: Api;
  readonly clock: Clock;
  readonly random: Random;
  readonly tuning?: WatchTuning | undefined;
  /** Namespaces to watch; empty: all of them. */
  readonly namespaces?: readonly string[] | undefined;
  readonly settings?: ((kind: AnyKind) => CacheSettings | undefined) | undefined;
  /** Whether the managed fields of a manager are kept, because it is our own. */
  readonly isOurManager?: ((manager: string) => boolean) | undefined;
  readonly onSignal?: ((of: WatchName, signal: Signal) => void) | undefined;
  /** Receives failures and timings of user functions that the caches of a kind call. */
  readonly callsOf?: ((kind: AnyKind) => UserCalls) | undefined;
}

/** The identity of a watch. */
export interface WatchName {
  readonly kind: AnyKind;
  readonly namespace: string | undefined;
}

/** All watches of an operator. */
export class Caches implements AsyncDisposable {
  readonly #options: CachesOptions;
  readonly #views = new Map<string, View>();
  #namespaces: readonly string[];

  constructor(options: CachesOptions) {
    this.#options = options;
    this.#namespaces = meantNamespaces(options.namespaces);
  }

  /** The objects of a kind. The first call starts the watch. */
  of(kind: AnyKind): View {
    const id = kindId(kind);
    let view = this.#views.get(id);
    if (view === undefined) {
      const settings = this.#options.settings?.(kind) ?? {};
      view = new View(kind, settings, (watch) => this.#start(kind, watch, settings));
      this.#views.set(id, view);
      view.setScopes(this.#scopes(kind, settings));
    }
    return view;
  }

  /** The view of a kind if it exists already. */
  peek(kind: AnyKind): View | undefined {
    return this.#views.get(kindId(kind));
  }

  /** Ends the watches of a kind without listeners, and drops its objects. */
  async release(kind: AnyKind): Promise<void> {
    const view = this.#views.get(kindId(kind));
    if (view === undefined || view.isUsed) return;
    this.#views.delete(kindId(kind));
    await view[Symbol.asyncDispose]();
  }

  /** Watches these namespaces from now on; namespaces that stay keep their watch and their objects. */
  setNamespaces(namespaces: readonly string[]): void {
    this.#namespaces = meantNamespaces(namespaces);
    for (const view of this.#views.values()) view.setScopes(this.#scopes(view.kind, view.settings));
  }

  /** The namespaces that are watched; empty: all of them. */
  get namespaces(): readonly string[] {
    return this.#namespaces;
  }

  /** Whether every object of a kind in a namespace is visible here. */
  covers(kind: AnyKind, namespace: string): boolean {
    const scopes = this.#scopes(kind, this.peek(kind)?.settings ?? {});
    return scopes.some(
      (scope) =>
        scope.labelSelector === undefined &&
        scope.fieldSelector === undefined &&
        (scope.namespace === undefined || scope.namespace === namespace),
    );
  }

  /** Resolves when every watch has its first list. */
  async synced(): Promise<void> {
    await Promise.all([...this.#views.values()].map((view) => view.synced()));
  }

  get health(): readonly WatchHealth[] {
    return [...this.#views.values()].flatMap((view) => view.health);
  }

  /**
   * The cached objects of built-in kinds for the next process. Own kinds are excluded because their defaults may change, and so are
   * transformed ones.
   */
  snapshot(): Snapshot {
    const lasting = [...this.#views.values()].filter(
      ({ kind, settings }) => settings.transform === undefined && !isResource(kind),
    );
    return lasting.flatMap((view) => view.known());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const views = [...this.#views.values()];
    this.#views.clear();
    await Promise.all(views.map((view) => view[Symbol.asyncDispose]()));
  }

  #scopes(kind: AnyKind, settings: CacheSettings): readonly Scope[] {
    const { labelSelector, fieldSelector, metadataOnly } = settings;
    const base: Scope = { labelSelector, fieldSelector, metadataOnly };
    const stated = settings.namespaces ?? this.#namespaces;
    const places = isList(stated)
      ? meantNamespaces(stated).map((namespace) => [namespace, {}] as const)
      : Object.entries(stated);
    if (kind.scope === "Cluster" || places.length === 0) return [base];
    return places.map(([namespace, own]) => ({ ...base, ...own, namespace }));
  }

  #start(kind: AnyKind, { scope, isLate }: NewWatch, settings: CacheSettings): Informer {
    const { namespace } = scope;
    const { api, clock, random, tuning, onSignal } = this.#options;
    const keepsManager = this.#options.isOurManager ?? (() => false);
    const { transform, indexes, budget } = settings;
    return new Informer({
      api,
      kind,
      scope,
      isLate,
      clock,
      random,
      tuning,
      store: { keepsManager, transform, indexes, budget, calls: this.#options.callsOf?.(kind) },
      onSignal: onSignal && ((signal) => onSignal({ kind, namespace }, signal)),
    });
  }
}

function isList(stated: NonNullable<CacheSettings["namespaces"]>): stated is readonly string[] {
  return Array.isArray(stated);
}

interface NewWatch {
  readonly scope: Scope;
  readonly isLate: boolean;
}

/** One kind, in one watch or one watch for each namespace. */
export class View implements Reader, AsyncDisposable {
  readonly kind: AnyKind;
  readonly settings: CacheSettings;
  readonly #start: (watch: NewWatch) => Informer;
  readonly #informers = new Map<string, Informer>();
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #syncListeners = new Set<() => void>();

  constructor(kind: AnyKind, settings: CacheSettings, start: (watch: NewWatch) => Informer) {
    this.kind = kind;
    this.settings = settings;
    this.#start = start;
  }

  setScopes(scopes: readonly Scope[]): void {
    const wanted = new Map(scopes.map((scope) => [scope.namespace ?? "", scope]));
    const isLate = this.#informers.size > 0;
    for (const [namespace, informer] of this.#informers) {
      if (wanted.has(namespace)) continue;
      this.#informers.delete(namespace);
      informer.giveUp();
    }
    for (const [namespace, scope] of wanted) {
      if (this.#informers.has(namespace)) continue;
      const informer = this.#start({ scope, isLate });
      this.#informers.set(namespace, informer);
      for (const listener of this.#listeners) informer.subscribe(listener);
      informer.onSynced(() => this.#tellSynced());
    }
  }

  async synced(): Promise<void> {
    await Promise.all([...this.#informers.values()].map((informer) => informer.synced));
  }

  get isSynced(): boolean {
    for (const informer of this.#informers.values()) if (!informer.reader.isSynced) return false;
    return true;
  }

  /** Whether reconciles may run: no first list is awaited. A namespace that was added later and fails holds up only its own objects. */
  get isUsable(): boolean {
    for (const informer of this.#informers.values()) if (informer.isAwaited) return false;
    return true;
  }

  /** Whether every object in the namespace of a key is known. A namespace that is not watched cannot become known. */
  isSyncedFor(key: string): boolean {
    return this.#informerOf(key)?.reader.isSynced ?? true;
  }

  /** Whether there are listeners. */
  get isUsed(): boolean {
    return this.#listeners.size > 0;
  }

  /** Calls the listener whenever a watch of the kind completes a list, or is no longer awaited. */
  onSynced(listener: () => void): void {
    this.#syncListeners.add(listener);
  }

  #tellSynced(): void {
    for (const listener of this.#syncListeners) listener();
  }

  get size(): number {
    let size = 0;
    for (const informer of this.#informers.values()) size += informer.reader.size;
    return size;
  }

  known(): Snapshot {
    return [...this.#informers.values()].flatMap((informer) => informer.known() ?? []);
  }

  get health(): readonly WatchHealth[] {
    return [...this.#informers.values()].map((informer) => informer.health);
  }

  get(key: string): StoredObject | undefined {
    return this.#informerOf(key)?.reader.get(key);
  }

  /** The resourceVersion of an object in the last watch event. */
  versionOf(key: string): string | undefined {
    return this.#informerOf(key)?.versionOf(key);
  }

  find(query: Query): readonly StoredObject[] {
    const whole = this.#informers.get("");
    if (whole !== undefined) return whole.reader.find(query);
    if (query.namespace !== undefined) return this.#informers.get(query.namespace)?.reader.find(query) ?? [];
    return [...this.#informers.values()].flatMap((informer) => informer.reader.find(query));
  }

  /** Calls the listener for the existing objects and for every later change. */
  subscribe(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    for (const informer of this.#informers.values()) informer.subscribe(listener);
    return () => {
      this.#listeners.delete(listener);
      // The current informers: namespaces may have been added since.
      for (const informer of this.#informers.values()) informer.unsubscribe(listener);
    };
  }

  /** Shows the result of our own write at once. */
  overlay(object: StoredObject): void {
    this.#informerOf(keyText(object))?.overlay(object);
  }

  /** Hides an object that we deleted at once. */
  bury(object: StoredObject): void {
    this.#informerOf(keyText(object))?.bury(object);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const informers = [...this.#informers.values()];
    this.#informers.clear();
    this.#listeners.clear();
    await Promise.all(informers.map((informer) => informer[Symbol.asyncDispose]()));
  }

  #informerOf(key: string): Informer | undefined {
    const whole = this.#informers.get("");
    if (whole !== undefined) return whole;
    const slash = key.indexOf("/");
    return slash < 0 ? undefined : this.#informers.get(key.slice(0, slash));
  }
}
