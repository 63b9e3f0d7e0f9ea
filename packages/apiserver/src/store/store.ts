/** The versioned store: one counter of revisions, objects by resource and key, and a feed of changes. */
import { deepFreeze } from "@capstan/model";
import type { Clock } from "../clock.ts";
import type { AnyDraft } from "../builtin/draft.ts";
import type { ResourceName } from "../builtin/context.ts";
import { Collection, type Change } from "./collection.ts";
import { Entry } from "./entry.ts";

/** How long and how much the store remembers of what changed. */
export interface HistoryLimits {
  /** Milliseconds. */
  readonly age: number;
  /** Changes of one resource. */
  readonly count: number;
}

/** Told about every change of a resource, in order, right after it happened. */
export type Listener = (change: Change) => void;

/** Where changes go to survive the process. */
export interface Journal {
  write(resource: ResourceName, change: Change): void;
  /** Resolves when everything written so far is safe; `undefined` when it already is. */
  settled(): Promise<void> | undefined;
  /** Why something that was written is still not safe, after one more try; `undefined` when all is well. */
  failure(): Error | undefined;
  /** Puts a whole state in place of everything. */
  replace(snapshot: Snapshot): void;
}

/** Everything a store holds, at one moment. Cheap to take: entries are shared, not copied. */
export interface Snapshot {
  readonly revision: number;
  readonly resources: ReadonlyMap<ResourceName, readonly Entry[]>;
}

const defaultLimits: HistoryLimits = { age: 5 * 60_000, count: 100_000 };

/** How many changes of a resource happen between two looks at what can be forgotten. */
const forgetEvery = 256;

const milestoneEvery = 60_000;

/** Of how many writes the values are held, not only the texts: about as many as there are requests at a time. */
const heldValues = 16;

/** How many changes are given at once to whoever catches up. */
const changesAtOnce = 1000;

/** What a store is made of. */
export interface StoreOptions {
  readonly clock: Clock;
  readonly limits?: HistoryLimits;
  readonly revision?: number;
  readonly journal?: Journal;
  /** Told what listeners throw: whoever writes has nothing to do with it. */
  readonly report?: (error: unknown) => void;
}

/** A store. Every method is synchronous: what was read does not change until the caller waits for something. */
export class Store {
  readonly #clock: Clock;
  readonly #limits: HistoryLimits;
  readonly #report: (error: unknown) => void;
  readonly #collections = new Map<ResourceName, Collection>();
  readonly #listeners = new Map<ResourceName, Set<Listener>>();
  #journal: Journal | undefined;
  #revision: number;
  /** Revisions below this are gone for every resource. */
  #floor: number;
  #restored: (() => void)[] = [];
  /** The revision of a moment each minute, oldest first: it becomes the end of the compacted past when the moment is old enough. */
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
  }

  /** The revision of the last change. */
  get revision(): number {
    return this.#revision;
  }

  /**
   * States of earlier revisions can no longer be listed. As with etcd that depends on their age alone; changes may be remembered for
   * longer, as by the watch cache before it.
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

  /** Stores a draft under a key, new or not, and gives it the next resourceVersion. The draft is frozen and must not be used again. */
  put(resource: ResourceName, key: string, draft: AnyDraft): Entry {
    const revision = this.#revision + 1;
    draft.metadata.resourceVersion = String(revision);
    // What has no text, because it is too deep, would be refused to everybody who reads it: it must not get in.
    const entry = Entry.of(key, revision, deepFreeze(draft));
    this.#revision = revision;
    this.#holdFor(entry);
    this.#publish(resource, this.collection(resource).put(entry, this.#clock.now()));
    return entry;
  }

  /** Removes an object; answers with its last state, at the revision of the removal. */
  remove(resource: ResourceName, entry: Entry): Entry {
    const revision = ++this.#revision;
    const change = this.collection(resource).remove(entry, revision, this.#clock.now());
    this.#publish(resource, change);
    return change.entry;
  }

  /** The next changes of a resource after a revision, oldest first, not all of very many; `undefined` when some are forgotten. */
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

  /** Calls back once when the state is replaced by a restore: whoever follows changes has lost track. */
  onRestore(callback: () => void): () => void {
    this.#restored.push(callback);
    return () => {
      this.#restored = this.#restored.filter((one) => one !== callback);
    };
  }

  /** Resolves when all writes so far would survive a crash; `undefined` when there is nothing to wait for. */
  settled(): Promise<void> | undefined {
    return this.#journal?.settled();
  }

  /** Why what the store holds is not on disk; nothing of it may be shown until it is. */
  failure(): Error | undefined {
    return this.#journal?.failure();
  }

  /** Forgets all changes up to a revision, as a compaction does. */
  compact(revision: number = this.#revision): void {
    this.#floor = Math.max(this.#floor, revision);
    for (const collection of this.#collections.values()) collection.forget(revision);
  }

  /** The state of a revision, or the oldest one that is still remembered. */
  snapshot(revision: number = this.#revision): Snapshot {
    const oldest = Math.max(...[...this.#collections.values()].map(({ forgottenUpTo }) => forgottenUpTo));
    const at = Math.min(this.#revision, Math.max(revision, oldest));
    const resources = new Map<ResourceName, readonly Entry[]>();
    for (const [name, collection] of this.#collections) resources.set(name, collection.withPrefixAt("", at));
    return { revision: at, resources };
  }

  /**
   * Puts a snapshot in place of everything. Watches end, because their history is no longer ours. Counting goes on, so that no revision
   * ever names two states.
   */
  restore(snapshot: Snapshot): void {
    const next = { ...snapshot, revision: Math.max(this.#revision, snapshot.revision) + 1 };
    this.#journal?.replace(next);
    this.load(next);
    this.close();
  }

  /** Begins with a state that is kept already. */
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

  /** Whoever wrote is about to answer with what was written, and watchers are about to look at it. */
  #holdFor(entry: Entry): void {
    this.#written.push(entry);
    if (this.#written.length > heldValues) this.#written.shift()?.letGo();
  }

  /** A listener that fails keeps nothing from the others, nor from whoever made the change. */
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
    this.collection(resource).forgetOld(this.#clock.now() - this.#limits.age, this.#limits.count);
  }
}
