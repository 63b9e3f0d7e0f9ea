/** The directive keys of strategic merge patches. */
import { PatchError } from "../errors.ts";

/** What to do with its object: `replace` or `delete`. */
export const directive = "$patch";

/** Lists the retained fields. */
export const retainKeys = "$retainKeys";

/** A directive for a list in the same object. */
export interface ListDirective {
  readonly isKey: (key: string) => boolean;
  /** The field of the directive. */
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

/** `$deleteFromPrimitiveList/x`: items to remove from a list of scalars. */
export const deleteList: ListDirective = listDirective("$deleteFromPrimitiveList", "primitive list");

/** `$setElementOrder/x`: the order of the items of a list. */
export const orderList: ListDirective = listDirective("$setElementOrder", "setElementOrder list");
