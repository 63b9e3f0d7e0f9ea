/** Shares watches between controllers: one for each kind, namespace and selector, however many controllers use it. */
import { kindId } from "../api.ts";
import type { AnyKind, Api, Scope } from "../api.ts";
import { meantNamespaces } from "./every-namespace.ts";
import type { Clock, Random } from "../clock.ts";
import { RuntimeError } from "../errors.ts";
import { isResource } from "../resource.ts";
import type { WatchTuning } from "../watch/states.ts";
import type { WatcherEvent } from "../watch/watcher.ts";
import type { UserCalls } from "./indexes.ts";
import { Informer } from "./informer.ts";
import type { WatchHealth } from "./reflector.ts";
import type { CacheSettings } from "./settings.ts";
import type { Snapshot } from "./snapshot.ts";

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
  readonly onEvent?: ((of: WatchName, event: WatcherEvent) => void) | undefined;
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
  readonly #informers = new Map<string, Informer>();
  #namespaces: readonly string[];
  #hasEnded = false;

  constructor(options: CachesOptions) {
    this.#options = options;
    this.#namespaces = meantNamespaces(options.namespaces);
  }

  /** The objects of a kind. The first call starts the watch; a reconcile that outlives the operator gets an error instead. */
  of(kind: AnyKind): Informer {
    const id = kindId(kind);
    let informer = this.#informers.get(id);
    if (informer === undefined) {
      if (this.#hasEnded) throw new RuntimeError("Stopping", `Cannot watch ${kind.kind}: the operator has stopped.`);
      const settings = this.#options.settings?.(kind) ?? {};
      informer = this.#start(kind, settings);
      this.#informers.set(id, informer);
    }
    return informer;
  }

  /** The informer of a kind if it exists already. */
  peek(kind: AnyKind): Informer | undefined {
    return this.#informers.get(kindId(kind));
  }

  /** Ends the watches of a kind without listeners, and drops its objects. */
  async release(kind: AnyKind): Promise<void> {
    const informer = this.#informers.get(kindId(kind));
    if (informer === undefined || informer.isUsed) return;
    this.#informers.delete(kindId(kind));
    await informer[Symbol.asyncDispose]();
  }

  /** The number of functions that are called for changes and completed lists. */
  get listeners(): number {
    return this.#informers.values().reduce((sum, informer) => sum + informer.listeners, 0);
  }

  /** Watches these namespaces from now on; namespaces that stay keep their watch and their objects. */
  setNamespaces(namespaces: readonly string[]): void {
    this.#namespaces = meantNamespaces(namespaces);
    for (const informer of this.#informers.values()) informer.setScopes(this.#scopes(informer.kind, informer.settings));
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
    await Promise.all([...this.#informers.values()].map((informer) => informer.synced()));
  }

  get health(): readonly WatchHealth[] {
    return [...this.#informers.values()].flatMap((informer) => informer.health);
  }

  /**
   * The cached objects of built-in kinds for the next process. Own kinds are excluded because their defaults may change, and so are
   * transformed ones.
   */
  snapshot(): Snapshot {
    const lasting = [...this.#informers.values()].filter(
      ({ kind, settings }) => settings.transform === undefined && !isResource(kind),
    );
    return lasting.flatMap((informer) => informer.known());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#hasEnded = true;
    const informers = [...this.#informers.values()];
    this.#informers.clear();
    await Promise.all(informers.map((informer) => informer[Symbol.asyncDispose]()));
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

  #start(kind: AnyKind, settings: CacheSettings): Informer {
    const { api, clock, random, tuning, onEvent, callsOf } = this.#options;
    const keepsManager = this.#options.isOurManager ?? (() => false);
    const { transform, indexes, budget } = settings;
    const store = { keepsManager, transform, indexes, budget, calls: callsOf?.(kind) };
    return new Informer({
      api,
      kind,
      settings,
      scopes: this.#scopes(kind, settings),
      clock,
      random,
      tuning,
      store,
      onEvent: onEvent && (({ namespace }, event) => onEvent({ kind, namespace }, event)),
    });
  }
}

function isList(stated: NonNullable<CacheSettings["namespaces"]>): stated is readonly string[] {
  return Array.isArray(stated);
}
