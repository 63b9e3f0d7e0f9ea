/** Removes several children: one that cannot go keeps none of the others. */
import type { StoredObject } from "@capstan/model";
import type { AnyKind } from "../api.ts";
import { RuntimeError } from "../errors.ts";

/** What is removed in one go, and the first thing that went wrong. */
export class Removal {
  readonly #remove: (kind: AnyKind, child: StoredObject) => Promise<void>;
  #failure: { readonly error: unknown } | undefined;
  /** Those that are gone or leaving. */
  readonly gone: StoredObject[] = [];

  constructor(remove: (kind: AnyKind, child: StoredObject) => Promise<void>) {
    this.#remove = remove;
  }

  /** Removes one child; false if that failed. Who may not write any more, or was told to stop, need not try another. */
  async of(kind: AnyKind, child: StoredObject): Promise<boolean> {
    try {
      await this.#remove(kind, child);
    } catch (error) {
      if (error instanceof RuntimeError) throw error;
      this.#failure ??= { error };
      return false;
    }
    this.gone.push(child);
    return true;
  }

  /** Throws what went wrong first: the reconcile has failed, and comes again. */
  end(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
