/** Subscribes a controller to the kinds that trigger it: each change goes to the event handlers of its kind, which enqueue keys. */
import { kindId } from "../api.ts";
import type { AnyKind } from "../api.ts";
import { childId } from "../apply/writer.ts";
import type { Informer } from "../cache/informer.ts";
import type { Change } from "../cache/change.ts";
import type { WatchDeclaration } from "../define.ts";
import type { ReconcileEnvironment } from "../reconcile/environment.ts";
import type { SelfInflictedEvents } from "./self-inflicted.ts";
import { mapped, owned, self } from "./event-handler.ts";
import type { EventHandler, Enqueue } from "./event-handler.ts";
import type { UserFailures } from "./user-failures.ts";

export interface SubscriptionsOptions {
  readonly userFailures: UserFailures;
  readonly selfInflicted: SelfInflictedEvents;
  /** Enqueues a key. */
  readonly enqueue: Enqueue;
  /** Called when a kind has completed a list. */
  readonly onSynced: () => void;
}

/** The event handlers of one kind. */
export interface KindHandlers {
  readonly kind: AnyKind;
  readonly handlers: readonly EventHandler[];
}

/** The event handlers that a definition declares, by kind. */
export function handlersOf(
  { definition, tracked }: ReconcileEnvironment,
  userFailures: UserFailures,
): readonly KindHandlers[] {
  const { kind, owns, reads, options } = definition;
  const byKind = new Map<string, { readonly kind: AnyKind; readonly handlers: EventHandler[] }>();
  const add = (of: AnyKind, handler: EventHandler): void => {
    const known = byKind.get(kindId(of));
    if (known === undefined) byKind.set(kindId(of), { kind: of, handlers: [handler] });
    else known.handlers.push(handler);
  };
  add(kind, self(kind, userFailures.predicate("predicate", kind, options.predicate)));
  for (const child of owns) add(child, owned(child, kind, { onlyControllerOwner: options.onlyControllerOwner }));
  for (const other of new Map([...owns, ...reads].map((each) => [kindId(each), each])).values()) {
    add(other, tracked.trigger(other));
  }
  for (const declaration of options.watches) add(declaration.kind, mappedBy(declaration, userFailures));
  return [...byKind.values()];
}

/** The event handler of a watch declaration. */
export function mappedBy({ kind, map, predicate }: WatchDeclaration, userFailures: UserFailures): EventHandler {
  return mapped(
    kind,
    userFailures.map(kind, map),
    userFailures.predicate(`predicate of ${kind.kind}`, kind, predicate),
  );
}

/** The subscriptions of one controller. */
export class Subscriptions {
  readonly #environment: ReconcileEnvironment;
  readonly #options: SubscriptionsOptions;
  /** The informers that reconciles may read, with the number of subscriptions of each, and the end of listening for its lists. */
  readonly #informers = new Map<Informer, { count: number; readonly end: () => void }>();
  readonly #ends = new Set<() => void>();

  constructor(environment: ReconcileEnvironment, options: SubscriptionsOptions) {
    this.#environment = environment;
    this.#options = options;
  }

  /** Calls the handlers for existing objects and for each change, until the returned function is called. */
  add({ kind, handlers }: KindHandlers): () => void {
    const informer = this.#environment.caches.of(kind);
    const use = this.#informers.get(informer) ?? { count: 0, end: informer.onSynced(this.#options.onSynced) };
    this.#informers.set(informer, use);
    use.count++;
    const end = informer.subscribe((change) => this.#handle(kind, change, handlers));
    this.#ends.add(end);
    return () => {
      if (!this.#ends.delete(end)) return;
      end();
      if (--use.count === 0) this.#leave(informer);
    };
  }

  /** Nothing stays behind of a watch that has ended. */
  #leave(informer: Informer): void {
    this.#informers.get(informer)?.end();
    this.#informers.delete(informer);
  }

  /** Whether no first list is awaited. */
  get isUsable(): boolean {
    for (const informer of this.#informers.keys()) if (!informer.isUsable) return false;
    return true;
  }

  /** Whether every informer is complete for the namespace of a key. */
  isSyncedFor(key: string): boolean {
    for (const informer of this.#informers.keys()) if (!informer.isSyncedFor(key)) return false;
    return true;
  }

  /** Ends all subscriptions. */
  end(): void {
    for (const end of this.#ends) end();
    this.#ends.clear();
  }

  #handle(kind: AnyKind, change: Change, handlers: readonly EventHandler[]): void {
    const { selfInflicted, enqueue } = this.#options;
    const id = childId(kind, change.key);
    if (change.type === "removed") this.#environment.learned.delete(id);
    const filtered = selfInflicted.filter(id, change, enqueue);
    for (const handler of handlers) {
      try {
        handler(change, filtered);
      } catch (error) {
        // A failing handler does not keep the event from the others, and the watch continues.
        const object = `${kind.kind} ${change.key}`;
        this.#options.userFailures.note("trigger", { object, version: change.metadata.resourceVersion }, error);
      }
    }
  }
}
