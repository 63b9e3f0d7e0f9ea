/**
 * The objects of one kind: bytes are kept, objects are made when read, and everything that is read is frozen.
 *
 * A store has two faces. The reflector holds the `Store` itself and is the only one to write; everybody else holds a `Reader`.
 */
import type { KubeObject, ObjectMeta, StoredObject } from "@capstan/model";
import { isLater, keyText, namespaceOfKey } from "../api.ts";
import { OWNER_LABEL } from "../owner-label.ts";
import { Arena } from "./arena.ts";
import type { Extent } from "./arena.ts";
import { freeze } from "./freeze.ts";
import { Indexes, orNone } from "./indexes.ts";
import type { IndexValues, UserCalls } from "./indexes.ts";
import { guarded } from "./transform.ts";
import { keepManagers, keptParts } from "./managed-fields.ts";
import type { KeepsManager } from "./managed-fields.ts";
import type { SentObject } from "../watch/sent.ts";
import { equalityOf, matchesQuery } from "./selector.ts";
import type { Query } from "./selector.ts";

/** What anybody may do with a store. */
export interface Reader {
  /** Whether a list was completed: before, the absence of an object means nothing. */
  readonly isSynced: boolean;
  get(key: string): StoredObject | undefined;
  find(query: Query): readonly StoredObject[];
  /** How many objects are there. */
  readonly size: number;
}

/** What a write of our own left behind, shown until the watch has caught up with it. */
type Overlay = { readonly version: string; readonly object: StoredObject };

/** What is kept of an object. It is the extent of its text itself: one object less for each of many. */
interface Entry extends Extent {
  readonly key: string;
  version: string;
  /** The object, while it is among the recently used. */
  object: StoredObject | undefined;
  recent: number;
}

/** What a store is made with. */
export interface StoreOptions {
  /** Whose managed fields are kept; everybody's by default. */
  readonly keepsManager?: KeepsManager | undefined;
  /** Changes an object before it is kept; what it removes costs no memory. */
  readonly transform?: ((object: StoredObject) => StoredObject) | undefined;
  readonly indexes?: { readonly [name: string]: IndexValues } | undefined;
  /** Is told how the transform and the indexes fare. */
  readonly calls?: UserCalls | undefined;
  /** Bytes that the kind may take, as many as it needs if not said; beyond it, texts that were not used lately are deflated. */
  readonly budget?: number | undefined;
}

/** How many objects stay as objects. */
const RECENT_OBJECTS = 1024;

/** Indexes that are made by themselves, for labels that are asked for. */
const LABEL_INDEXES = 16;

/** The store of one kind. */
export class Store implements Reader {
  readonly #arena: Arena;
  readonly #entries = new Map<string, Entry>();
  readonly #indexes = new Indexes();
  readonly #calls: UserCalls | undefined;
  readonly #overlays = new Map<string, Overlay>();
  /** Objects that we deleted and the watch still shows, by key with their uid. */
  readonly #buried = new Map<string, string>();
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
    // Asked for in every reconcile: made here, it costs a look at each object; made later, it would cost making each object again.
    this.#indexes.define(labelIndexName(OWNER_LABEL), labelValues(OWNER_LABEL), []);
    for (const [name, values] of Object.entries(options.indexes ?? {}))
      this.#indexes.define(name, orNone(name, values, options.calls), []);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Bytes taken, and whether they are more than allowed. */
  get usage(): { readonly bytes: number; readonly isOverBudget: boolean } {
    const bytes = this.#arena.liveBytes;
    return { bytes, isOverBudget: bytes > this.#budget };
  }

  keys(): IterableIterator<string> {
    return this.#entries.keys();
  }

  /** The version of an object as the watch told it; overlays do not count. */
  versionOf(key: string): string | undefined {
    return this.#entries.get(key)?.version;
  }

  get(key: string): StoredObject | undefined {
    const overlay = this.#overlays.get(key);
    const object = overlay === undefined ? this.stored(key) : overlay.object;
    return object !== undefined && this.#isBuried(key, object) ? undefined : object;
  }

  /** The object as the watch told it. */
  stored(key: string): StoredObject | undefined {
    const entry = this.#entries.get(key);
    return entry && this.#objectOf(entry);
  }

  find(query: Query): readonly StoredObject[] {
    const found: StoredObject[] = [];
    for (const key of this.#candidates(query)) {
      if (this.#overlays.has(key)) continue;
      const object = this.stored(key);
      if (object !== undefined && matchesQuery(object.metadata, query) && !this.#isBuried(key, object))
        found.push(object);
    }
    for (const [key, { object }] of this.#overlays) {
      if (matchesQuery(object.metadata, query) && this.#isIndexed(object, query) && !this.#isBuried(key, object)) {
        found.push(object);
      }
    }
    return found;
  }

  /** Whether a first list can go in as it was sent: nobody has to look at more than its metadata. */
  get keepsBytes(): boolean {
    return this.#transform === undefined && !this.#looksInside;
  }

  /** Takes an object of a first list as it was sent; it must not be there yet. */
  putBytes(sent: SentObject): void {
    const { metadata } = sent;
    const key = keyText(sent);
    const version = metadata.resourceVersion;
    const parts = this.#keepsManager === undefined ? [sent.bytes] : keptParts(sent, this.#keepsManager);
    const entry = this.#enter(key);
    entry.version = version;
    this.#arena.writeParts(entry, parts);
    this.#indexes.replace(key, undefined, { apiVersion: "", kind: "", metadata });
    this.#retire(key, version);
  }

  /** An object as it is kept. */
  trimmed(object: StoredObject): StoredObject {
    const trimmed = this.#trim(object);
    return freeze(this.#transform === undefined ? trimmed : this.#transform(trimmed));
  }

  /** Takes an object from the watch and answers the former one. The caller sees to it that it is later than what is there. */
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
    this.#retire(key, entry.version);
    // Of a first list nothing is in use yet: kept as objects, it would only make the heap grow.
    if (this.isSynced) this.#remember(entry, object);
    return { object: freeze(object), old };
  }

  /** Takes an object out and answers what it was. */
  remove(key: string, version?: string): StoredObject | undefined {
    const entry = this.#entries.get(key);
    if (version !== undefined) this.#retire(key, version);
    if (entry === undefined) return undefined;
    const old = this.#objectOf(entry);
    this.#release(entry);
    this.#entries.delete(key);
    this.#buried.delete(key);
    this.#indexes.replace(key, old, undefined);
    return old;
  }

  /** Shows the result of a write of our own until the watch has told it. A version that the watch has passed shows nothing. */
  overlay(object: StoredObject): void {
    const key = keyText(object);
    const version = object.metadata.resourceVersion;
    const known = this.#overlays.get(key)?.version ?? this.versionOf(key);
    if (known !== undefined && !isLater(version, known)) return;
    this.#overlays.set(key, { version, object: this.trimmed(object) });
  }

  /** Hides an object that we deleted until the watch has told that it is gone. A namesake with another uid is never hidden. */
  bury(object: StoredObject): void {
    const key = keyText(object);
    if (this.#entries.has(key) || this.#overlays.has(key)) this.#buried.set(key, object.metadata.uid);
  }

  /**
   * Everything up to a version is known, so older overlays end. Answers those that the watch never told: what we wrote was undone
   * in a gap, and since readers have seen it, they must hear that it is gone.
   */
  settle(version: string): readonly StoredObject[] {
    const undone: StoredObject[] = [];
    for (const [key, overlay] of this.#overlays) {
      if (isLater(overlay.version, version)) continue;
      this.#overlays.delete(key);
      if (this.#entries.has(key)) continue;
      undone.push(overlay.object);
      this.#buried.delete(key);
    }
    return undone;
  }

  /** What was known is worth nothing any more, not even what we wrote ourselves; the objects are taken out one by one. */
  forget(): void {
    this.isSynced = false;
    this.#overlays.clear();
    this.#buried.clear();
  }

  #isBuried(key: string, { metadata }: StoredObject): boolean {
    return this.#buried.size > 0 && this.#buried.get(key) === metadata.uid;
  }

  #retire(key: string, version: string): void {
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

  /** Made when it is first asked for, from the keys: many operators never ask. */
  #inNamespace(namespace: string): Iterable<string> {
    if (!this.#indexes.has("namespace")) this.#indexes.define("namespace", namespacesOf, this.#places());
    return this.#indexes.lookup("namespace", namespace) ?? [];
  }

  *#places(): Generator<readonly [string, KubeObject]> {
    for (const key of this.#entries.keys()) {
      yield [key, { apiVersion: "", kind: "", metadata: { namespace: namespaceOfKey(key) } }];
    }
  }

  /** An index that is a value is made when it is first asked for; one that has only a name must have been declared. */
  #indexed({ name, value, values }: NonNullable<Query["index"]>): Iterable<string> {
    if (values !== undefined && !this.#indexes.has(values)) {
      this.#looksInside = true;
      this.#indexes.define(values, orNone(name, values, this.#calls), this.#all());
    }
    return this.#indexes.lookup(values ?? name, value) ?? [];
  }

  /** Overlays are in no index: whether they would be is computed. */
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

  /** Gives up what is kept of an object: the next one of its key takes the entry over, or nobody does. */
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
