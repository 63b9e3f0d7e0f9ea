/** Remembers what a controller wrote until its cache shows it, so that no turn decides on a world that lacks its own last writes. */
import type { Kind, KubeObject, ObjectOf, StoredObject } from "@capstan/model";
import { watch } from "@capstan/runtime";
import type { Clock, WatchDeclaration } from "@capstan/runtime";

interface Entry<T> {
  /** What was written; undefined for what was deleted. */
  readonly object: T | undefined;
  readonly version: string;
  readonly at: number;
}

/** What was created and gone again before the cache heard of it is forgotten after this many milliseconds. */
const LONGEST = 30_000;

/** The writes of one controller to objects of one kind. */
export class Ledger<K extends Kind<StoredObject>> {
  /** Tells the ledger what the cache has seen; belongs among the watches of the controller. */
  readonly watch: WatchDeclaration;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry<ObjectOf<K>>>();

  constructor(kind: K, clock: Clock) {
    this.#clock = clock;
    this.watch = watch<Kind>(kind, (object) => this.#seen(object));
  }

  /** An object was created or changed. */
  wrote<T extends ObjectOf<K>>(object: T): T {
    const { uid, resourceVersion } = object.metadata;
    this.#enter(uid, { object, version: resourceVersion, at: this.#clock.now() });
    return object;
  }

  /** An object was deleted: it is gone, or on its way out as the answer shows. */
  deleted(object: ObjectOf<K>, answer: KubeObject | { readonly kind: string }): void {
    const { uid, resourceVersion } = object.metadata;
    if (answer.kind === object.kind && isLeaving(answer as KubeObject)) this.wrote(answer as ObjectOf<K>);
    else this.#enter(uid, { object: undefined, version: resourceVersion, at: this.#clock.now() });
  }

  /** What the cache shows, brought up to date with what was written; `belongs` picks what the cache does not know yet. */
  current<T extends ObjectOf<K>>(cached: readonly T[], belongs: (object: T) => boolean): readonly T[] {
    if (this.#entries.size === 0) return cached;
    const found = new Set<string>();
    const objects: T[] = [];
    for (const object of cached) {
      found.add(object.metadata.uid);
      const entry = this.#entries.get(object.metadata.uid);
      if (entry === undefined || !isLater(entry.version, object.metadata.resourceVersion, entry.object)) {
        objects.push(object);
      } else if (entry.object !== undefined) objects.push(entry.object as T);
    }
    const now = this.#clock.now();
    for (const [uid, { object, at }] of this.#entries) {
      if (object === undefined || found.has(uid) || now - at >= LONGEST) continue;
      if (belongs(object as T)) objects.push(object as T);
    }
    return objects;
  }

  #seen({ metadata: { uid = "", resourceVersion = "" } }: KubeObject): readonly string[] {
    const entry = this.#entries.get(uid);
    if (entry?.object !== undefined && !isLater(entry.version, resourceVersion, entry.object)) {
      this.#entries.delete(uid);
    }
    return [];
  }

  #enter(uid: string, entry: Entry<ObjectOf<K>>): void {
    this.#entries.delete(uid);
    for (const [old, { at }] of this.#entries) {
      if (entry.at - at < LONGEST) break;
      this.#entries.delete(old);
    }
    this.#entries.set(uid, entry);
  }
}

/** Whether an object that was deleted is still there for a while; of one that is gone at once no cache will tell again. */
function isLeaving({ metadata }: KubeObject): boolean {
  if (metadata.deletionTimestamp === undefined) return false;
  const { deletionGracePeriodSeconds = 0, finalizers = [] } = metadata as Leaving;
  return deletionGracePeriodSeconds > 0 || finalizers.length > 0;
}

interface Leaving {
  readonly deletionGracePeriodSeconds?: number;
  readonly finalizers?: readonly string[];
}

/** Whether what was written is newer than what is shown; of what was deleted nothing newer can be shown. */
function isLater(version: string, than: string, object: unknown): boolean {
  if (object === undefined) return true;
  return version.length === than.length ? version > than : version.length > than.length;
}
