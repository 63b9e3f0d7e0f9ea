/**
 * Finds the object that a reconcile mutates although it is read-only. Objects of the cache are frozen, and a write to one throws a
 * TypeError without its name. The reconcile after such a failure gets copies, which are compared before each write and when the reconcile
 * ends.
 */
import type { StoredObject } from "@capstan/model";
import { keyText } from "../api.ts";
import type { AnyKind } from "../api.ts";
import { RuntimeError } from "../errors.ts";
import { changedFields } from "../trigger/reconcile-trigger.ts";

interface Copy {
  readonly kind: AnyKind;
  readonly original: StoredObject;
  readonly copy: StoredObject;
}

/** The copies of one reconcile. */
export class Copies {
  readonly #copies: Copy[] = [];

  of(kind: AnyKind, original: StoredObject): StoredObject {
    const copy = structuredClone(original);
    this.#copies.push({ kind, original, copy });
    return copy;
  }

  /** Throws if one of them was changed. */
  check(): void {
    for (const { kind, original, copy } of this.#copies) {
      const [field] = changedFields(original, copy);
      if (field !== undefined) throw readOnly(`${kind.kind} ${keyText(original)}`, field);
    }
  }
}

function readOnly(object: string, field: string): RuntimeError {
  return new RuntimeError(
    "ReadOnly",
    `Cannot change ${field} of ${object}, which was only to be read: objects of the cache are frozen, because all reconciles share them. ` +
      "Say what you want with `apply` and `status`, or change a copy: structuredClone(object).",
    { object },
  );
}
