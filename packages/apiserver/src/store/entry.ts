/** One object as it was at one revision: its JSON text as bytes outside of the JavaScript heap, and its value while somebody needs it. */
import { deepFreeze, parseExactJson, toGoJson, type KubeObject } from "@capstan/model";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * What the store keeps under a key. Entries never change; a write makes a new one. Most are written once and read as text, so the text
 * stays, where no garbage collection looks at it. The value takes three times as much memory and is made again when it is needed.
 */
export class Entry {
  readonly key: string;
  readonly revision: number;
  /** The text, or, until somebody asks for it, the entry that differs from this one in nothing but its revision. */
  #text: Uint8Array | Entry;
  #value: KubeObject | WeakRef<KubeObject> | undefined;

  /** An entry without a value yet. */
  constructor(key: string, revision: number, text: Uint8Array | Entry) {
    this.key = key;
    this.revision = revision;
    this.#text = text;
  }

  /** The entry of a frozen object, which it holds until it is told to let go. */
  static of(key: string, revision: number, object: KubeObject): Entry {
    const entry = new Entry(key, revision, toLine(toGoJson(object)));
    entry.#value = object;
    return entry;
  }

  /** The object in its stored version, frozen. */
  get object(): KubeObject {
    const held = this.#held;
    if (held !== undefined) return held;
    const made = this.#text instanceof Entry ? atVersion(this.#text.object, this.revision) : this.#parsed();
    this.#value = new WeakRef(made);
    return made;
  }

  /** Whether this very value is the one that is at hand; one that would have to be made is not. */
  holds(object: KubeObject): boolean {
    return this.#held === object;
  }

  /** The text of the object in its stored version and a newline, in UTF-8. All readers and watchers share these bytes; nobody may change them. */
  get line(): Uint8Array {
    if (this.#text instanceof Entry) this.#text = toLine(toGoJson(this.object));
    return this.#text;
  }

  /** The text of the object in its stored version. */
  get json(): string {
    return decoder.decode(this.line.subarray(0, -1));
  }

  /**
   * Holds the value no longer. A weak reference would not do: what one points at outlives the collections of the young generation, and
   * every object that was ever written would wait as garbage for one of the old.
   */
  letGo(): void {
    if (!(this.#value instanceof WeakRef)) this.#value = undefined;
  }

  get #held(): KubeObject | undefined {
    return this.#value instanceof WeakRef ? this.#value.deref() : this.#value;
  }

  #parsed(): KubeObject {
    // The text was made from such an object.
    return deepFreeze<unknown>(parseExactJson(this.json)) as KubeObject;
  }
}

/** The text of an object as an entry keeps it. */
export function toLine(json: string): Uint8Array {
  return encoder.encode(`${json}\n`);
}

/** The same object with another resourceVersion: what a deletion shows. */
export function atRevision(entry: Entry, revision: number): Entry {
  return new Entry(entry.key, revision, entry);
}

function atVersion(object: KubeObject, revision: number): KubeObject {
  const metadata = Object.freeze({ ...object.metadata, resourceVersion: String(revision) });
  return Object.freeze({ ...object, metadata });
}
