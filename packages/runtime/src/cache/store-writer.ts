/** Writes watcher events into a store and emits the changes. The only writer of a store. */
import type { StoredObject } from "@capstan/model";
import { isEarlier, keyText } from "../api.ts";
import { ListedBytes } from "../watch/listed-bytes.ts";
import type { WatcherEvent } from "../watch/watcher.ts";
import { vanished } from "./change.ts";
import type { Change } from "./change.ts";
import type { Store } from "./store.ts";

/**
 * A list into an empty store is stored as it arrives. Another list is staged: objects that differ from the store, undefined for equal
 * ones.
 */
type Listing = "first" | Map<string, StoredObject | undefined>;

/** Converts watcher events into changes. */
export class StoreWriter {
  readonly #store: Store;
  readonly #onChange: (change: Change) => void;
  /** The list that is under way. */
  #listing: Listing | undefined;
  /**
   * Deletions reported by first lists that broke off. A stale server may list such an object again, and then its list counts once
   * complete.
   */
  readonly #gone = new Set<string>();

  constructor(store: Store, onChange: (change: Change) => void) {
    this.#store = store;
    this.#onChange = onChange;
  }

  handle(event: WatcherEvent): void {
    switch (event.type) {
      case "restarted":
        this.#listing = this.#store.isSynced || this.#store.size + this.#gone.size > 0 ? new Map() : "first";
        return;
      case "listed":
        this.#stage(event.object);
        return;
      case "unlisted":
        this.#unstage(event.object);
        return;
      case "synced":
        this.#commit(event.version);
        return;
      case "changed":
        this.#put(event.object, "stream");
        return;
      case "removed":
        this.#removeDeleted(event.object);
        return;
      case "progressed":
        this.#caughtUp(event.version);
        return;
      case "vanished":
        this.#clear();
        return;
      case "failed":
        return;
    }
  }

  #stage(object: StoredObject | ListedBytes): void {
    const key = keyText(object);
    const known = this.#store.versionOf(key);
    const isFirst = known === undefined && !this.#store.isSynced && !this.#gone.has(key);
    const different = isFirst || known === object.metadata.resourceVersion ? undefined : objectOf(object);
    // The store has no readers before it is synced, so its first list is stored as it arrives.
    if (isFirst) this.#putFirst(object);
    if (this.#listing !== "first") this.#listing?.set(key, different);
    else if (different !== undefined) this.#put(different, "list");
  }

  /**
   * An object that is not staged when the list is complete is gone. A deletion with an earlier version belongs to a previous object of
   * the same name.
   */
  #unstage({ metadata }: StoredObject): void {
    const key = keyText({ metadata });
    const staged = this.#listing === "first" ? undefined : this.#listing;
    const version = staged?.get(key)?.metadata.resourceVersion ?? this.#store.versionOf(key);
    if (version !== undefined && isEarlier(metadata.resourceVersion, version)) return;
    staged?.delete(key);
    if (this.#listing !== "first") return;
    this.#gone.add(key);
    this.#remove(key, undefined, "list");
  }

  #putFirst(object: StoredObject | ListedBytes): void {
    if (object instanceof ListedBytes && this.#store.keepsBytes) {
      this.#store.putBytes(object);
      this.#onChange(new ListedObject(object, () => this.#store.trimmed(object.object)));
    } else {
      this.#put(objectOf(object), "list");
    }
  }

  #commit(version: string): void {
    const listing = this.#listing;
    this.#listing = undefined;
    this.#gone.clear();
    if (listing !== "first") this.#replaceBy(listing ?? new Map<string, undefined>());
    this.#store.isSynced = true;
    this.#caughtUp(version);
  }

  #replaceBy(staged: ReadonlyMap<string, StoredObject | undefined>): void {
    const gone = [...this.#store.keys()].filter((key) => !staged.has(key));
    for (const key of gone) this.#remove(key, undefined, "list");
    for (const object of staged.values()) if (object !== undefined) this.#put(object, "list");
  }

  #caughtUp(version: string): void {
    for (const object of this.#store.endOverlays(version)) this.#onChange(vanished(keyText(object), object));
  }

  #clear(): void {
    this.#listing = undefined;
    this.#gone.clear();
    this.#store.invalidate();
    // Deleting from a Map while iterating over it is safe.
    for (const key of this.#store.keys()) this.#remove(key, undefined, "list");
  }

  #put(incoming: StoredObject, from: Change["from"]): void {
    const key = keyText(incoming);
    const known = this.#store.stored(key);
    if (known !== undefined && known.metadata.uid !== incoming.metadata.uid) {
      // The name exists again with another uid: the deletion fell into a gap of the watch.
      this.#remove(key, undefined, from);
    }
    const { object, old } = this.#store.put(incoming);
    this.#onChange({
      type: old === undefined ? "added" : "updated",
      key,
      object,
      metadata: object.metadata,
      old,
      from,
      writers: incoming.metadata.managedFields,
    });
  }

  /** A deletion with an earlier version belongs to a previous object of the same name. */
  #removeDeleted(final: StoredObject): void {
    const key = keyText(final);
    const known = this.#store.versionOf(key);
    if (known === undefined || !isEarlier(final.metadata.resourceVersion, known)) this.#remove(key, final, "stream");
  }

  #remove(key: string, final: StoredObject | undefined, from: Change["from"]): void {
    const old = this.#store.remove(key, final?.metadata.resourceVersion);
    const object = final ?? old;
    if (object === undefined) return;
    const { metadata } = object;
    this.#onChange({ type: "removed", key, object, metadata, old, from, writers: final?.metadata.managedFields });
  }
}

/** An object of a first list. */
class ListedObject implements Change {
  readonly type = "added";
  readonly from = "list";
  readonly old = undefined;
  readonly writers = undefined;
  readonly key: string;
  readonly metadata: StoredObject["metadata"];
  readonly #make: () => StoredObject;

  constructor({ metadata }: ListedBytes, make: () => StoredObject) {
    this.key = keyText({ metadata });
    this.metadata = metadata;
    this.#make = make;
  }

  get object(): StoredObject {
    return this.#make();
  }
}

function objectOf(object: StoredObject | ListedBytes): StoredObject {
  return object instanceof ListedBytes ? object.object : object;
}
