/** The objects of one resource in key order, and their recent changes. */
import { atRevision, type Entry } from "./entry.ts";

/** One change. `entry` is the object after it; for a deletion its last state, at the revision of the deletion. */
export interface Change {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly revision: number;
  readonly key: string;
  readonly entry: Entry;
  /** The object before the change; absent if it was added. */
  readonly previous: Entry | undefined;
  /** Time of the change in milliseconds; it decides when the change is compacted. */
  readonly time: number;
}

/** Objects and changes of one resource. Only the store writes to it. */
export class Collection {
  readonly #byKey = new Map<string, Entry>();
  /** Sorted. */
  #keys: string[] = [];
  #history: Change[] = [];
  /** Changes up to and including this revision are compacted. */
  #forgottenUpTo: number;

  constructor(forgottenUpTo: number) {
    this.#forgottenUpTo = forgottenUpTo;
  }

  get size(): number {
    return this.#keys.length;
  }

  get forgottenUpTo(): number {
    return this.#forgottenUpTo;
  }

  get(key: string): Entry | undefined {
    return this.#byKey.get(key);
  }

  /** Entries with keys that start with a prefix, in key order. */
  withPrefix(prefix: string): Entry[] {
    if (prefix === "") return this.#entriesAt(0, this.#keys.length);
    return this.#entriesAt(firstAtLeast(this.#keys, prefix), firstAtLeast(this.#keys, endOfPrefix(prefix)));
  }

  /** Entries at a revision. The caller has checked that it is not compacted. */
  withPrefixAt(prefix: string, revision: number): Entry[] {
    const undo = this.#statesBefore(prefix, revision);
    if (undo.size === 0) return this.withPrefix(prefix);
    const kept = this.withPrefix(prefix).filter((entry) => !undo.has(entry.key));
    for (const entry of undo.values()) if (entry !== undefined) kept.push(entry);
    return kept.sort((a, b) => compareKeys(a.key, b.key));
  }

  put(entry: Entry, time: number): Change {
    const previous = this.#byKey.get(entry.key);
    if (previous === undefined) this.#insertKey(entry.key);
    this.#byKey.set(entry.key, entry);
    const type = previous === undefined ? "ADDED" : "MODIFIED";
    return this.#remember({ type, revision: entry.revision, key: entry.key, entry, previous, time });
  }

  /** Removes the object of a key; the caller has checked that it exists. */
  remove(previous: Entry, revision: number, time: number): Change {
    const { key } = previous;
    this.#byKey.delete(key);
    this.#keys.splice(firstAtLeast(this.#keys, key), 1);
    return this.#remember({ type: "DELETED", revision, key, entry: atRevision(previous, revision), previous, time });
  }

  /** Takes back the last change of a key. Watches that may have seen it must start again. */
  undo({ key, previous, revision }: Change): void {
    const isThere = this.#byKey.has(key);
    if (previous !== undefined) {
      if (!isThere) this.#insertKey(key);
      this.#byKey.set(key, previous);
    } else if (isThere) {
      this.#byKey.delete(key);
      this.#keys.splice(firstAtLeast(this.#keys, key), 1);
    }
    this.#history = this.#history.filter((change) => change.revision !== revision);
  }

  /** The next changes after a revision, oldest first. The caller has checked that they are not compacted. */
  changesAfter(revision: number, atMost: number): Change[] {
    const first = this.#firstChangeAfter(revision);
    return this.#history.slice(first, first + atMost);
  }

  /** Compacts changes up to a revision. */
  forget(revision: number): void {
    if (revision <= this.#forgottenUpTo) return;
    this.#history = this.#history.slice(this.#firstChangeAfter(revision));
    this.#forgottenUpTo = revision;
  }

  /** Compacts changes before a point in time, and the oldest ones beyond a number. */
  forgetOld(before: number, keepAtMost: number): void {
    let drop = Math.max(0, this.#history.length - keepAtMost);
    while (drop < this.#history.length && (this.#history[drop]?.time ?? before) < before) drop++;
    const last = this.#history[drop - 1];
    if (last !== undefined) this.forget(last.revision);
  }

  entries(): readonly Entry[] {
    return this.#entriesAt(0, this.#keys.length);
  }

  /** Takes over sorted entries from a snapshot or from disk. */
  load(entries: readonly Entry[]): void {
    for (const entry of entries) this.#byKey.set(entry.key, entry);
    this.#keys = entries.map((entry) => entry.key);
  }

  /** The state of each changed key at a revision; `undefined` if it did not exist. */
  #statesBefore(prefix: string, revision: number): Map<string, Entry | undefined> {
    const states = new Map<string, Entry | undefined>();
    for (let index = this.#firstChangeAfter(revision); index < this.#history.length; index++) {
      const change = this.#history[index];
      if (change === undefined || !change.key.startsWith(prefix) || states.has(change.key)) continue;
      states.set(change.key, change.previous);
    }
    return states;
  }

  #firstChangeAfter(revision: number): number {
    let low = 0;
    let high = this.#history.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#history[middle]?.revision ?? 0) > revision) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #remember(change: Change): Change {
    this.#history.push(change);
    return change;
  }

  #insertKey(key: string): void {
    const last = this.#keys.at(-1);
    if (last === undefined || last < key) this.#keys.push(key);
    else this.#keys.splice(firstAtLeast(this.#keys, key), 0, key);
  }

  #entriesAt(from: number, to: number): Entry[] {
    const entries: Entry[] = [];
    for (let index = from; index < to; index++) {
      const entry = this.#byKey.get(this.#keys[index] ?? "");
      if (entry !== undefined) entries.push(entry);
    }
    return entries;
  }
}

/** The order of keys. Names are ASCII, so code units and bytes agree. */
export function compareKeys(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The index of the first key that is not smaller. */
function firstAtLeast(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? "") < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The smallest key after all keys with a prefix. Prefixes end with `/`. */
function endOfPrefix(prefix: string): string {
  const last = prefix.charCodeAt(prefix.length - 1);
  return prefix.slice(0, -1) + String.fromCharCode(last + 1);
}
