/**
 * The objects of one kind: bytes are stored, objects are parsed on read, and every returned object is frozen.
 *
 * The reflector holds the `Store` itself and is its only writer; all other code holds a `Reader`.
 */
import type { KubeObject, ObjectMeta, StoredObject } from "@capstan/model";
import { isLater, keyText, namespaceOfKey } from "../api.ts";
import { OWNER_LABEL } from "./owner-label.ts";
import { Arena } from "./arena.ts";
import type { Extent } from "./arena.ts";
import { freeze } from "./freeze.ts";
import { Indexes, orNone } from "./indexes.ts";
import type { IndexValues, UserCalls } from "./indexes.ts";
import { guarded } from "./transform.ts";
import { keepManagers, keptParts } from "./managed-fields.ts";
import type { KeepsManager } from "./managed-fields.ts";
import type { ListedBytes } from "../watch/listed-bytes.ts";
import { equalityOf, matchesQuery } from "./selector.ts";
import type { Query } from "./selector.ts";

/** The read side of a store. */
export interface Reader {
  /** Whether a list was completed: before that, the absence of an object means nothing. */
  readonly isSynced: boolean;
  get(key: string): StoredObject | undefined;
  find(query: Query): readonly StoredObject[];
  /** The number of objects. */
  readonly size: number;
}

/** The result of our own write, shown until the watch has caught up with it. */
type Overlay = { readonly version: string; readonly object: StoredObject };

/** The entry of an object. It extends the extent of its bytes, to save one allocation per object. */
interface Entry extends Extent {
  readonly key: string;
  version: string;
  /** The parsed object, while it is among the recently used ones. */
  object: StoredObject | undefined;
  recent: number;
}

export interface StoreOptions {
  /** Selects the managers for which managed fields are kept. Default: all. */
  readonly keepsManager?: KeepsManager | undefined;
  /** Changes an object before it is stored; fields that it removes cost no memory. */
  readonly transform?: ((object: StoredObject) => StoredObject) | undefined;
  readonly indexes?: { readonly [name: string]: IndexValues } | undefined;
  /** Receives failures and timings of the transform and the indexes. */
  readonly calls?: UserCalls | undefined;
  /** Bytes that the kind may use. Default: no limit. Beyond it, objects that were not used recently are deflated. */
  readonly budget?: number | undefined;
}

/** The number of objects that stay parsed. */
const RECENT_OBJECTS = 1024;

/** The number of indexes that are created automatically for queried labels. */
const LABEL_INDEXES = 16;

/** The store of one kind. */
export class Store implements Reader {
  readonly #arena: Arena;
  readonly #entries = new Map<string, Entry>();
  readonly #indexes = new Indexes();
  readonly #calls: UserCalls | undefined;
  readonly #overlays = new Map<string, Overlay>();
  /** Objects that we deleted and the watch still shows: uid by key. */
  readonly #hidden = new Map<string, string>();
  readonly #keepsManager: KeepsManager | undefined;
  readonly #trim: (object: StoredObject) => StoredObject;
  readonly #transform: ((object: StoredObject) => StoredObject) | undefined;
  readonly #budget: number;
  /** Whether an index needs more of an object than its metadata. */
  #looksInside: boolean;
  readonly #recent: (Entry | undefined)[] = [];
  #recentNext = 0;
  #labelIndexes = 0;
  isSynced = false;

  constructor(options: StoreOptions = {}) {
    this.#keepsManager = options.keepsManager;
    this.#trim = options.keepsManager === undefined ? (object) => object : keepManagers(options.keepsManager);
    this.#calls = options.calls;
    this.#transform = options.transform && guarded(options.transform, options.calls);
    this.#looksInside = Object.keys(options.indexes ?? {}).length > 0;
    this.#budget = options.budget ?? Infinity;
    this.#arena = new Arena(this.#budget);
    this.#indexes.define("owner", (object) => object.metadata.ownerReferences?.map((owner) => owner.uid) ?? [], []);
    // Every reconcile queries it. Created here, it costs one call per object; created later, it would parse every object again.
    this.#indexes.define(labelIndexName(OWNER_LABEL), labelValues(OWNER_LABEL), []);
    for (const [name, values] of Object.entries(options.indexes ?? {}))
      this.#indexes.define(name, orNone(name, values, options.calls), []);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Bytes in use, and whether they exceed the budget. */
  get usage(): { readonly bytes: number; readonly isOverBudget: boolean } {
    const bytes = this.#arena.liveBytes;
    return { bytes, isOverBudget: bytes > this.#budget };
  }

  keys(): IterableIterator<string> {
    return this.#entries.keys();
  }

  /** The resourceVersion of an object in the last watch event; overlays do not count. */
  versionOf(key: string): string | undefined {
    return this.#entries.get(key)?.version;
  }

  get(key: string): StoredObject | undefined {
    const overlay = this.#overlays.get(key);
    const object = overlay === undefined ? this.stored(key) : overlay.object;
    return object !== undefined && this.#isHidden(key, object) ? undefined : object;
  }

  /** The object of the last watch event. */
  stored(key: string): StoredObject | undefined {
    const entry = this.#entries.get(key);
    return entry && this.#objectOf(entry);
  }

  find(query: Query): readonly StoredObject[] {
    const found: StoredObject[] = [];
    for (const key of this.#candidates(query)) {
      if (this.#overlays.has(key)) continue;
      const object = this.stored(key);
      if (object !== undefined && matchesQuery(object.metadata, query) && !this.#isHidden(key, object))
        found.push(object);
    }
    for (const [key, { object }] of this.#overlays) {
      if (matchesQuery(object.metadata, query) && this.#isIndexed(object, query) && !this.#isHidden(key, object)) {
        found.push(object);
      }
    }
    return found;
  }

  /** Whether a first list can be stored as raw bytes: no function needs more than the metadata. */
  get keepsBytes(): boolean {
    return this.#transform === undefined && !this.#looksInside;
  }

  /** Stores an object of a first list as raw bytes; its key must not exist yet. */
  putBytes(sent: ListedBytes): void {
    const { metadata } = sent;
    const key = keyText(sent);
    const version = metadata.resourceVersion;
    const parts = this.#keepsManager === undefined ? [sent.bytes] : keptParts(sent, this.#keepsManager);
    const entry = this.#enter(key);
    entry.version = version;
    this.#arena.writeParts(entry, parts);
    this.#indexes.replace(key, undefined, { apiVersion: "", kind: "", metadata });
    this.#endOverlay(key, version);
  }

  /** An object in its stored form. */
  trimmed(object: StoredObject): StoredObject {
    const trimmed = this.#trim(object);
    return freeze(this.#transform === undefined ? trimmed : this.#transform(trimmed));
  }

  /** Stores an object of the watch and returns the previous one. The caller makes sure that it is later than the stored one. */
  put(incoming: StoredObject): { readonly object: StoredObject; readonly old: StoredObject | undefined } {
    const trimmed = this.#trim(incoming);
    const object = this.#transform === undefined ? trimmed : this.#transform(trimmed);
    const key = keyText(object);
    const former = this.#entries.get(key);
    const old = former && this.#objectOf(former);
    if (former !== undefined) this.#release(former);
    const entry = former ?? this.#enter(key);
    entry.version = object.metadata.resourceVersion;
    this.#arena.write(entry, JSON.stringify(object));
    this.#indexes.replace(entry.key, old, object);
    this.#endOverlay(key, entry.version);
    // Objects of a first list are not in use yet: keeping them parsed would only grow the heap.
    if (this.isSynced) this.#remember(entry, object);
    return { object: freeze(object), old };
  }

  /** Removes an object and returns it. */
  remove(key: string, version?: string): StoredObject | undefined {
    const entry = this.#entries.get(key);
    if (version !== undefined) this.#endOverlay(key, version);
    if (entry === undefined) return undefined;
    const old = this.#objectOf(entry);
    this.#release(entry);
    this.#entries.delete(key);
    this.#hidden.delete(key);
    this.#indexes.replace(key, old, undefined);
    return old;
  }

  /** Shows the result of our own write until the watch has delivered it. A version that the watch has passed is ignored. */
  overlay(object: StoredObject): void {
    const key = keyText(object);
    const version = object.metadata.resourceVersion;
    const known = this.#overlays.get(key)?.version ?? this.versionOf(key);
    if (known !== undefined && !isLater(version, known)) return;
    this.#overlays.set(key, { version, object: this.trimmed(object) });
  }

  /**
   * Hides an object that we deleted until the watch has delivered its deletion. A new object of the same name has another uid and is not
   * hidden.
   */
  hide(object: StoredObject): void {
    const key = keyText(object);
    if (this.#entries.has(key) || this.#overlays.has(key)) this.#hidden.set(key, object.metadata.uid);
  }

  /**
   * Everything up to a version is known, so older overlays end. Returns the ones that the watch never delivered: our write was undone in
   * a gap, and since readers have seen it, they need a removal event.
   */
  endOverlays(version: string): readonly StoredObject[] {
    const undone: StoredObject[] = [];
    for (const [key, overlay] of this.#overlays) {
      if (isLater(overlay.version, version)) continue;
      this.#overlays.delete(key);
      if (this.#entries.has(key)) continue;
      undone.push(overlay.object);
      this.#hidden.delete(key);
    }
    return undone;
  }

  /** The contents are invalid, including our own writes; the caller removes the objects one by one. */
  invalidate(): void {
    this.isSynced = false;
    this.#overlays.clear();
    this.#hidden.clear();
  }

  #isHidden(key: string, { metadata }: StoredObject): boolean {
    return this.#hidden.size > 0 && this.#hidden.get(key) === metadata.uid;
  }

  #endOverlay(key: string, version: string): void {
    const overlay = this.#overlays.get(key);
    if (overlay !== undefined && !isLater(overlay.version, version)) this.#overlays.delete(key);
  }

  #candidates(query: Query): Iterable<string> {
    if (query.index !== undefined) return this.#indexed(query.index);
    if (query.owner !== undefined) return this.#indexes.lookup("owner", query.owner) ?? [];
    const equality = equalityOf(query);
    if (equality !== undefined) {
      const keys = this.#labelIndex(equality.label, equality.value);
      if (keys !== undefined) return keys;
    }
    if (query.namespace !== undefined) return this.#inNamespace(query.namespace);
    return this.#entries.keys();
  }

  /** Created from the keys on the first query: many operators never use it. */
  #inNamespace(namespace: string): Iterable<string> {
    if (!this.#indexes.has("namespace")) this.#indexes.define("namespace", namespacesOf, this.#places());
    return this.#indexes.lookup("namespace", namespace) ?? [];
  }

  *#places(): Generator<readonly [string, KubeObject]> {
    for (const key of this.#entries.keys()) {
      yield [key, { apiVersion: "", kind: "", metadata: { namespace: namespaceOfKey(key) } }];
    }
  }

  /** An index that is given as a function is created on its first query; one that is given by name must have been declared. */
  #indexed({ name, value, values }: NonNullable<Query["index"]>): Iterable<string> {
    if (values !== undefined && !this.#indexes.has(values)) {
      this.#looksInside = true;
      this.#indexes.define(values, orNone(name, values, this.#calls), this.#all());
    }
    return this.#indexes.lookup(values ?? name, value) ?? [];
  }

  /** Overlays are not in any index, so their values are computed here. */
  #isIndexed(object: StoredObject, { index }: Query): boolean {
    return index === undefined || this.#indexes.valuesOf(index.values ?? index.name, object).includes(index.value);
  }

  #labelIndex(label: string, value: string): Iterable<string> | undefined {
    const name = labelIndexName(label);
    if (!this.#indexes.has(name)) {
      if (this.#labelIndexes >= LABEL_INDEXES) return undefined;
      this.#labelIndexes++;
      this.#indexes.define(name, labelValues(label), this.#all());
    }
    return this.#indexes.lookup(name, value);
  }

  *#all(): Generator<readonly [string, KubeObject & { readonly metadata: ObjectMeta }]> {
    for (const entry of this.#entries.values()) yield [entry.key, this.#parse(entry)];
  }

  #objectOf(entry: Entry): StoredObject {
    if (entry.object !== undefined) return freeze(entry.object);
    const object = freeze(this.#parse(entry));
    this.#remember(entry, object);
    return object;
  }

  #parse(entry: Entry): StoredObject {
    // The text was written by put() or putBytes() from an object of this type.
    return JSON.parse(this.#arena.read(entry)) as StoredObject;
  }

  #enter(key: string): Entry {
    const entry = { slab: undefined, offset: 0, length: 0, key, version: "", object: undefined, recent: -1 };
    this.#entries.set(key, entry);
    return entry;
  }

  #remember(entry: Entry, object: StoredObject): void {
    entry.object = object;
    const place = this.#recentNext;
    this.#recentNext = (place + 1) % RECENT_OBJECTS;
    const former = this.#recent[place];
    if (former !== undefined && former.recent === place) former.object = undefined;
    this.#recent[place] = entry;
    entry.recent = place;
  }

  /** Releases the bytes of an entry: the next object of its key reuses the entry, or it is dropped. */
  #release(entry: Entry): void {
    this.#arena.free(entry);
    entry.object = undefined;
    if (entry.recent >= 0 && this.#recent[entry.recent] === entry) this.#recent[entry.recent] = undefined;
  }
}

function namespacesOf({ metadata }: KubeObject): readonly string[] {
  return [metadata?.namespace ?? ""];
}

function labelIndexName(label: string): string {
  return `label:${label}`;
}

function labelValues(label: string): IndexValues {
  return ({ metadata }) => {
    const found = metadata?.labels?.[label];
    return found === undefined ? [] : [found];
  };
}
