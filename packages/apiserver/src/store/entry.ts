/** One object at one revision: its JSON text as bytes outside of the JavaScript heap, and its value while it is in use. */
import { deepFreeze, parseExactJson, toGoJson, type KubeObject } from "@capstan/model";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * The value of a key in the store. Entries are immutable; a write creates a new one. Most are written once and read as text, so the text
 * stays outside of garbage collection. The parsed value takes three times as much memory and is recreated on demand.
 */
export class Entry {
  readonly key: string;
  readonly revision: number;
  /** The text, or, until it is read, the entry that differs only in its revision. */
  #text: Uint8Array | Entry;
  #value: KubeObject | WeakRef<KubeObject> | undefined;

  constructor(key: string, revision: number, text: Uint8Array | Entry) {
    this.key = key;
    this.revision = revision;
    this.#text = text;
  }

  /** The entry of a frozen object, which it holds until `letGo`. */
  static of(key: string, revision: number, object: KubeObject): Entry {
    const entry = new Entry(key, revision, toLine(toGoJson(object)));
    entry.#value = object;
    return entry;
  }

  /** The object in its storage version, frozen. */
  get object(): KubeObject {
    const held = this.#held;
    if (held !== undefined) return held;
    const made = this.#text instanceof Entry ? atVersion(this.#text.object, this.revision) : this.#parsed();
    this.#value = new WeakRef(made);
    return made;
  }

  /** Whether this is the value in memory; a released value does not count. */
  holds(object: KubeObject): boolean {
    return this.#held === object;
  }

  /**
   * The text of the object in its storage version and a newline, in UTF-8. All readers and watchers share these bytes, which must not be
   * changed.
   */
  get line(): Uint8Array {
    if (this.#text instanceof Entry) this.#text = toLine(toGoJson(this.object));
    return this.#text;
  }

  /** The text of the object in its storage version. */
  get json(): string {
    return decoder.decode(this.line.subarray(0, -1));
  }

  /**
   * Releases the value. A weak reference does not suffice: its target survives the collections of the young generation, and every written
   * object would wait as garbage for one of the old generation.
   */
  letGo(): void {
    if (!(this.#value instanceof WeakRef)) this.#value = undefined;
  }

  get #held(): KubeObject | undefined {
    return this.#value instanceof WeakRef ? this.#value.deref() : this.#value;
  }

  #parsed(): KubeObject {
    // The text was created from such an object.
    return deepFreeze<unknown>(parseExactJson(this.json)) as KubeObject;
  }
}

/** The text of an object in the format of an entry. */
export function toLine(json: string): Uint8Array {
  return encoder.encode(`${json}\n`);
}

/** The same object with another resourceVersion, for the event of a deletion. */
export function atRevision(entry: Entry, revision: number): Entry {
  return new Entry(entry.key, revision, entry);
}

function atVersion(object: KubeObject, revision: number): KubeObject {
  const metadata = Object.freeze({ ...object.metadata, resourceVersion: String(revision) });
  return Object.freeze({ ...object, metadata });
}
