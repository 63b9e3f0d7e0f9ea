/** The versioned store: a revision counter, objects by resource and key, and a feed of changes. */
import { deepFreeze } from "@capstan/model";
import type { Clock } from "../clock.ts";
import type { AnyDraft } from "../builtin/draft.ts";
import type { ResourceName } from "../builtin/context.ts";
import { Collection, type Change } from "./collection.ts";
import { Entry } from "./entry.ts";

/** The limits of the stored history. */
export interface HistoryLimits {
  /** Milliseconds. */
  readonly age: number;
  /** The number of changes per resource. */
  readonly count: number;
}

/** Called for every change of a resource, in order, right after the change. */
export type Listener = (change: Change) => void;

/** A change and its resource. */
export interface ResourceChange {
  readonly resource: ResourceName;
  readonly change: Change;
}

/** Takes back changes that are not durable, in the order in which they were made. */
export type Undo = (changes: readonly ResourceChange[]) => void;

/** Persists changes. */
export interface Journal {
  /** Throws a StatusError if there is no space for a change that makes an object this many bytes longer. */
  admit(growth: number): void;
  write(resource: ResourceName, change: Change): void;
  /** Resolves when all writes so far are durable; `undefined` if they already are. Rejects if they are taken back. */
  settled(): Promise<void> | undefined;
  /** Sets the function that takes back changes that the disk rejects. */
  whenRejected(undo: Undo): void;
  /** Replaces the whole state. */
  replace(snapshot: Snapshot): void;
}

/** The whole state of a store at one revision. Cheap to take: entries are shared, not copied. */
export interface Snapshot {
  readonly revision: number;
  readonly resources: ReadonlyMap<ResourceName, readonly Entry[]>;
}

const defaultLimits: HistoryLimits = { age: 5 * 60_000, count: 100_000 };

/** The number of changes of a resource between two compactions. */
const forgetEvery = 256;

const milestoneEvery = 60_000;

/** The number of recent writes that keep their value in memory: about the number of concurrent requests. */
const heldValues = 16;

/** The maximum number of changes that a slow watch gets at once. */
const changesAtOnce = 1000;

export interface StoreOptions {
  readonly clock: Clock;
  readonly limits?: HistoryLimits;
  readonly revision?: number;
  readonly journal?: Journal;
  /** Reports errors that listeners throw; the writer is not affected. */
  readonly report?: (error: unknown) => void;
}

/** A store. Every method is synchronous: a state does not change until the caller awaits something. */
export class Store {
  readonly #clock: Clock;
  readonly #limits: HistoryLimits;
  readonly #report: (error: unknown) => void;
  readonly #collections = new Map<ResourceName, Collection>();
  readonly #listeners = new Map<ResourceName, Set<Listener>>();
  #journal: Journal | undefined;
  #revision: number;
  /** Revisions below this are compacted for every resource. */
  #floor: number;
  #restored: (() => void)[] = [];
  /** One revision per minute, oldest first: it becomes the compacted revision when it is old enough. */
  readonly #milestones: { readonly time: number; readonly revision: number }[] = [];
  #compactedUpTo = 0;
  /** The last entries that were written, oldest first. */
  readonly #written: Entry[] = [];

  constructor(options: StoreOptions) {
    this.#clock = options.clock;
    this.#report = options.report ?? (() => {});
    this.#limits = options.limits ?? defaultLimits;
    this.#revision = options.revision ?? 1;
    this.#floor = options.revision ?? 0;
    this.#journal = options.journal;
    this.#journal?.whenRejected((changes) => this.#undo(changes));
  }

  /** The revision of the last change. */
  get revision(): number {
    return this.#revision;
  }

  /**
   * Earlier states can no longer be listed. As in etcd this depends on their age alone; changes may be kept longer, as in the watch
   * cache.
   */
  get compactedUpTo(): number {
    return this.#compactedUpTo;
  }

  collection(resource: ResourceName): Collection {
    let collection = this.#collections.get(resource);
    if (collection === undefined) {
      collection = new Collection(this.#floor);
      this.#collections.set(resource, collection);
    }
    return collection;
  }

  get(resource: ResourceName, key: string): Entry | undefined {
    return this.#collections.get(resource)?.get(key);
  }

  /** Stores a draft under a key, new or not, and sets the next resourceVersion. The draft is frozen and must not be used again. */
  put(resource: ResourceName, key: string, draft: AnyDraft): Entry {
    const revision = this.#revision + 1;
    draft.metadata.resourceVersion = String(revision);
    // Serializes first: an object that nests too deep would fail every read and must not be stored.
    const entry = Entry.of(key, revision, deepFreeze(draft));
    this.#journal?.admit(entry.line.length - (this.get(resource, key)?.line.length ?? 0));
    this.#revision = revision;
    this.#holdFor(entry);
    this.#publish(resource, this.collection(resource).put(entry, this.#clock.wall()));
    return entry;
  }

  /** Removes an object; returns its last state, at the revision of the removal. */
  remove(resource: ResourceName, entry: Entry): Entry {
    const revision = ++this.#revision;
    const change = this.collection(resource).remove(entry, revision, this.#clock.wall());
    this.#publish(resource, change);
    return change.entry;
  }

  /** The next changes of a resource after a revision, oldest first, up to a limit; `undefined` if some are compacted. */
  changesAfter(resource: ResourceName, revision: number): readonly Change[] | undefined {
    const collection = this.collection(resource);
    return revision < collection.forgottenUpTo ? undefined : collection.changesAfter(revision, changesAtOnce);
  }

  /** Listens to the changes of a resource until the returned function is called. */
  listen(resource: ResourceName, listener: Listener): () => void {
    let listeners = this.#listeners.get(resource);
    if (listeners === undefined) {
      listeners = new Set();
      this.#listeners.set(resource, listeners);
    }
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Calls back once when a restore replaces the state: watches must then start again. */
  onRestore(callback: () => void): () => void {
    this.#restored.push(callback);
    return () => {
      this.#restored = this.#restored.filter((one) => one !== callback);
    };
  }

  /** Resolves when all writes so far survive a crash; `undefined` if they already do. */
  settled(): Promise<void> | undefined {
    return this.#journal?.settled();
  }

  /** Compacts all changes up to a revision. */
  compact(revision: number = this.#revision): void {
    this.#floor = Math.max(this.#floor, revision);
    for (const collection of this.#collections.values()) collection.forget(revision);
  }

  /** The state at a revision, or the oldest one that is not compacted. */
  snapshot(revision: number = this.#revision): Snapshot {
    const oldest = Math.max(...[...this.#collections.values()].map(({ forgottenUpTo }) => forgottenUpTo));
    const at = Math.min(this.#revision, Math.max(revision, oldest));
    const resources = new Map<ResourceName, readonly Entry[]>();
    for (const [name, collection] of this.#collections) resources.set(name, collection.withPrefixAt("", at));
    return { revision: at, resources };
  }

  /**
   * Replaces the state by a snapshot. Watches end, because their history is gone. Revisions continue to increase, so that a revision
   * never names two states.
   */
  restore(snapshot: Snapshot): void {
    const next = { ...snapshot, revision: Math.max(this.#revision, snapshot.revision) + 1 };
    this.#journal?.replace(next);
    this.load(next);
    this.close();
  }

  /** Loads a persisted state. */
  load({ revision, resources }: Snapshot): void {
    this.#collections.clear();
    this.#revision = revision;
    this.#floor = revision;
    this.#compactedUpTo = revision;
    for (const [name, entries] of resources) this.collection(name).load(entries);
  }

  /** Ends all watches. */
  close(): void {
    const callbacks = this.#restored;
    this.#restored = [];
    for (const callback of callbacks) callback();
  }

  #publish(resource: ResourceName, change: Change): void {
    this.#journal?.write(resource, change);
    this.#compactOld(change);
    if (change.revision % forgetEvery === 0) this.#forgetOld(resource);
    const listeners = this.#listeners.get(resource);
    if (listeners !== undefined) for (const listener of listeners) this.#tell(listener, change);
  }

  /**
   * The state is then that of the disk again, and reads stay possible. Watches end and list again, because they may have seen the changes.
   * The revisions are not used again.
   */
  #undo(changes: readonly ResourceChange[]): void {
    for (const { resource, change } of changes.toReversed()) this.collection(resource).undo(change);
    this.compact();
    this.close();
  }

  /** Keeps the value in memory: the writer is about to return it, and watchers are about to read it. */
  #holdFor(entry: Entry): void {
    this.#written.push(entry);
    if (this.#written.length > heldValues) this.#written.shift()?.letGo();
  }

  /** A listener that throws affects neither other listeners nor the writer. */
  #tell(listener: Listener, change: Change): void {
    try {
      listener(change);
    } catch (error) {
      this.#report(error);
    }
  }

  #compactOld({ time, revision }: Change): void {
    const last = this.#milestones.at(-1);
    if (last === undefined || time - last.time >= milestoneEvery) this.#milestones.push({ time, revision });
    const [oldest] = this.#milestones;
    if (oldest === undefined || time - oldest.time < this.#limits.age) return;
    this.#compactedUpTo = oldest.revision;
    this.#milestones.shift();
  }

  #forgetOld(resource: ResourceName): void {
    this.collection(resource).forgetOld(this.#clock.wall() - this.#limits.age, this.#limits.count);
  }
}
