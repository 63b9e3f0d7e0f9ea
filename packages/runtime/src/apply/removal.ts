/** Deletes several children: a failure of one does not keep the others from being deleted. */
import type { StoredObject } from "@capstan/model";
import type { AnyKind } from "../api.ts";
import { RuntimeError } from "../errors.ts";

/** The children of one deletion pass, and the first error. */
export class Removal {
  readonly #remove: (kind: AnyKind, child: StoredObject) => Promise<void>;
  #failure: { readonly error: unknown } | undefined;
  /** Children that are gone or terminating. */
  readonly gone: StoredObject[] = [];

  constructor(remove: (kind: AnyKind, child: StoredObject) => Promise<void>) {
    this.#remove = remove;
  }

  /** Deletes one child; false if that failed. After a lost lease or an abort, the error is thrown and no other child is tried. */
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

  /** Throws the first error: the reconcile has failed and is retried. */
  end(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
