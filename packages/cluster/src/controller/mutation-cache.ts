/** Remembers what a controller wrote until its cache shows it, so that no turn decides on a world that lacks its own last writes. */
import type { Kind, KubeObject, ObjectOf, StoredObject } from "@capstan/model";
import { watches } from "@capstan/runtime";
import type { Clock, WatchDeclaration } from "@capstan/runtime";

interface Entry<T> {
  /** What was written; undefined for what was deleted. */
  readonly object: T | undefined;
  readonly version: string;
  readonly at: number;
}

/** What was created and gone again before the cache heard of it is forgotten after this many milliseconds. */
const ENTRY_TTL = 30_000;

/** The writes of one controller to objects of one kind. */
export class MutationCache<K extends Kind<StoredObject>> {
  /** Tells the ledger what the cache has seen; belongs among the watches of the controller. */
  readonly watch: WatchDeclaration;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry<ObjectOf<K>>>();

  constructor(kind: K, clock: Clock) {
    this.#clock = clock;
    this.watch = watches<Kind>(kind, (object) => this.#observe(object));
  }

  /** An object was created or changed. */
  wrote<T extends ObjectOf<K>>(object: T): T {
    const { uid, resourceVersion } = object.metadata;
    this.#store(uid, { object, version: resourceVersion, at: this.#clock.now() });
    return object;
  }

  /** An object was deleted: it is gone, or on its way out as the answer shows. */
  deleted(object: ObjectOf<K>, response: KubeObject | { readonly kind: string }): void {
    const { uid, resourceVersion } = object.metadata;
    if (response.kind === object.kind && isTerminating(response as KubeObject)) this.wrote(response as ObjectOf<K>);
    else this.#store(uid, { object: undefined, version: resourceVersion, at: this.#clock.now() });
  }

  /** What the cache shows, brought up to date with what was written; `belongs` picks what the cache does not know yet. */
  current<T extends ObjectOf<K>>(cached: readonly T[], belongs: (object: T) => boolean): readonly T[] {
    if (this.#entries.size === 0) return cached;
    const found = new Set<string>();
    const objects: T[] = [];
    for (const object of cached) {
      found.add(object.metadata.uid);
      const entry = this.#entries.get(object.metadata.uid);
      if (entry === undefined || !isNewer(entry.version, object.metadata.resourceVersion, entry.object)) {
        objects.push(object);
      } else if (entry.object !== undefined) objects.push(entry.object as T);
    }
    const now = this.#clock.now();
    for (const [uid, { object, at }] of this.#entries) {
      if (object === undefined || found.has(uid) || now - at >= ENTRY_TTL) continue;
      if (belongs(object as T)) objects.push(object as T);
    }
    return objects;
  }

  #observe({ metadata: { uid = "", resourceVersion = "" } }: KubeObject): readonly string[] {
    const entry = this.#entries.get(uid);
    if (entry?.object !== undefined && !isNewer(entry.version, resourceVersion, entry.object)) {
      this.#entries.delete(uid);
    }
    return [];
  }

  #store(uid: string, entry: Entry<ObjectOf<K>>): void {
    this.#entries.delete(uid);
    for (const [old, { at }] of this.#entries) {
      if (entry.at - at < ENTRY_TTL) break;
      this.#entries.delete(old);
    }
    this.#entries.set(uid, entry);
  }
}

/** Whether an object that was deleted is still there for a while; of one that is gone at once no cache will tell again. */
function isTerminating({ metadata }: KubeObject): boolean {
  if (metadata.deletionTimestamp === undefined) return false;
  const { deletionGracePeriodSeconds = 0, finalizers = [] } = metadata as TerminatingMetadata;
  return deletionGracePeriodSeconds > 0 || finalizers.length > 0;
}

interface TerminatingMetadata {
  readonly deletionGracePeriodSeconds?: number;
  readonly finalizers?: readonly string[];
}

/** Whether what was written is newer than what is shown; of what was deleted nothing newer can be shown. */
function isNewer(version: string, than: string, object: unknown): boolean {
  if (object === undefined) return true;
  return version.length === than.length ? version > than : version.length > than.length;
}
