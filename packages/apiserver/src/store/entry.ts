/** One object as it was at one revision: a frozen value and, once somebody asked, its JSON text. */
import { toGoJson, type KubeObject } from "@capstan/model";

/** What the store keeps under a key. Entries never change; a write makes a new one. */
export class Entry {
  readonly key: string;
  readonly revision: number;
  readonly object: KubeObject;
  #json: string | undefined;

  constructor(key: string, revision: number, object: KubeObject) {
    this.key = key;
    this.revision = revision;
    this.object = object;
  }

  /** The object in its stored version. Kept, so that every reader and watcher shares one text. */
  get json(): string {
    return (this.#json ??= toGoJson(this.object));
  }
}

/** The same object with another resourceVersion: what a deletion shows. */
export function atRevision(entry: Entry, revision: number): Entry {
  const metadata = Object.freeze({ ...entry.object.metadata, resourceVersion: String(revision) });
  return new Entry(entry.key, revision, Object.freeze({ ...entry.object, metadata }));
}
