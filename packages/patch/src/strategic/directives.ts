/** The keys by which a strategic merge patch says what cannot be said by a value. */
import { PatchError } from "../errors.ts";

/** What to do with the object it stands in: `replace` or `delete`. */
export const directive = "$patch";

/** Lists the fields that stay. */
export const retainKeys = "$retainKeys";

/** A directive that speaks of a list beside it. */
export interface ListDirective {
  readonly isKey: (key: string) => boolean;
  /** The field that the directive speaks of. */
  readonly nameOf: (key: string) => string;
  readonly keyFor: (field: string) => string;
}

function listDirective(prefix: string, complaint: string): ListDirective {
  return {
    isKey: (key) => key.startsWith(prefix),
    nameOf: (key) => {
      if (key.startsWith(`${prefix}/`)) return key.slice(prefix.length + 1);
      throw new PatchError("BadRequest", `invalid patch format of ${complaint}`);
    },
    keyFor: (field) => `${prefix}/${field}`,
  };
}

/** `$deleteFromPrimitiveList/x`: items to take out of a list of scalars. */
export const deleteList: ListDirective = listDirective("$deleteFromPrimitiveList", "primitive list");

/** `$setElementOrder/x`: the order of the items of a list. */
export const orderList: ListDirective = listDirective("$setElementOrder", "setElementOrder list");
