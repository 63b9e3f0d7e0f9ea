/** Records what a reader received and reports when an old state reappears: an older version of an object, or a deleted one. */
import type { StoredObject } from "@capstan/model";
import { isLater, keyText } from "../../src/api.ts";
import type { Change } from "../../src/cache/change.ts";

export class Witness {
  readonly #name: string;
  readonly #violations: string[];
  /** The latest version of each object, by kind and key. */
  readonly #versions = new Map<string, string>();
  readonly #gone = new Set<string>();

  constructor(name: string, violations: string[]) {
    this.#name = name;
    this.#violations = violations;
  }

  /** An object was read. */
  read(object: StoredObject): void {
    const { resourceVersion, uid } = object.metadata;
    const id = `${object.kind} ${keyText(object)}`;
    const known = this.#versions.get(id);
    if (known !== undefined && isLater(known, resourceVersion))
      this.#violations.push(`${this.#name} read ${id} at ${resourceVersion} after ${known}`);
    if (this.#gone.has(uid)) this.#violations.push(`${this.#name} read ${id} after it was gone`);
    this.#versions.set(id, resourceVersion);
  }

  /** A change was delivered. */
  hear({ type, object }: Change): void {
    if (type === "removed") this.#gone.add(object.metadata.uid);
    else this.read(object);
  }
}
