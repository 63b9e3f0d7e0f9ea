/** One object as it was at one revision: a frozen value until somebody asked for its JSON text, that text from then on. */
import { deepFreeze, parseExactJson, toGoJson, type KubeObject } from "@capstan/model";

/**
 * What the store keeps under a key. Entries never change; a write makes a new one. Most are written once and read as text, so the text
 * stays, and the value, which takes three times as much memory, only as long as somebody holds it: it is made again when it is needed.
 */
export class Entry {
  readonly key: string;
  readonly revision: number;
  #held: KubeObject | WeakRef<KubeObject>;
  #json: string | undefined;

  constructor(key: string, revision: number, object: KubeObject) {
    this.key = key;
    this.revision = revision;
    this.#held = object;
  }

  /** The object in its stored version, frozen. */
  get object(): KubeObject {
    if (!(this.#held instanceof WeakRef)) return this.#held;
    const held = this.#held.deref();
    if (held !== undefined) return held;
    // The text was made from such an object.
    const made = deepFreeze<unknown>(parseExactJson(this.#json ?? "")) as KubeObject;
    this.#held = new WeakRef(made);
    return made;
  }

  /** The object in its stored version. Kept, so that every reader and watcher shares one text. */
  get json(): string {
    if (this.#json !== undefined) return this.#json;
    const { object } = this;
    this.#json = toGoJson(object);
    this.#held = new WeakRef(object);
    return this.#json;
  }

  /** The same, once it is sure that it has a text. */
  withText(): this {
    this.#json = this.json;
    return this;
  }
}

/** The same object with another resourceVersion: what a deletion shows. */
export function atRevision(entry: Entry, revision: number): Entry {
  const metadata = Object.freeze({ ...entry.object.metadata, resourceVersion: String(revision) });
  return new Entry(entry.key, revision, Object.freeze({ ...entry.object, metadata }));
}
