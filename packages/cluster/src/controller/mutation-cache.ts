/** Keeps the objects that a controller wrote until its informer shows them, so that a reconcile always sees its own writes. */
import type { Kind, KubeObject, ObjectOf, StoredObject } from "@capstan/model";
import { watch } from "@capstan/runtime";
import type { Clock, WatchDeclaration } from "@capstan/runtime";

interface Entry<T> {
  /** The written object; undefined after a delete. */
  readonly object: T | undefined;
  readonly version: string;
  readonly at: number;
}

/** Entries expire after this many milliseconds. It covers objects that were created and deleted before the informer saw them. */
const ENTRY_TTL = 30_000;

/** The writes of one controller to objects of one kind. */
export class MutationCache<K extends Kind<StoredObject>> {
  /** Reports to this cache what the informer has seen. Belongs in the `watches` of the controller. */
  readonly watch: WatchDeclaration;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry<ObjectOf<K>>>();

  constructor(kind: K, clock: Clock) {
    this.#clock = clock;
    this.watch = watch<Kind>(kind, (object) => this.#observe(object));
  }

  /** Records a create or update. */
  wrote<T extends ObjectOf<K>>(object: T): T {
    const { uid, resourceVersion } = object.metadata;
    this.#store(uid, { object, version: resourceVersion, at: this.#clock.now() });
    return object;
  }

  /** Records a delete: the object is gone, or terminating if the response says so. */
  deleted(object: ObjectOf<K>, response: KubeObject | { readonly kind: string }): void {
    const { uid, resourceVersion } = object.metadata;
    if (response.kind === object.kind && isTerminating(response as KubeObject)) this.wrote(response as ObjectOf<K>);
    else this.#store(uid, { object: undefined, version: resourceVersion, at: this.#clock.now() });
  }

  /** The cached objects, with newer writes applied. `belongs` selects written objects that the informer does not show yet. */
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

/** Whether a deleted object still exists for some time. An object without grace period and finalizers is gone at once. */
function isTerminating({ metadata }: KubeObject): boolean {
  if (metadata.deletionTimestamp === undefined) return false;
  const { deletionGracePeriodSeconds = 0, finalizers = [] } = metadata as TerminatingMetadata;
  return deletionGracePeriodSeconds > 0 || finalizers.length > 0;
}

interface TerminatingMetadata {
  readonly deletionGracePeriodSeconds?: number;
  readonly finalizers?: readonly string[];
}

/** Whether the write is newer than the cached object. A delete is always newer. */
function isNewer(version: string, than: string, object: unknown): boolean {
  if (object === undefined) return true;
  return version.length === than.length ? version > than : version.length > than.length;
}
