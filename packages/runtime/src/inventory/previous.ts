/** The names and resources of an operator in earlier versions: this version takes them over or removes them, and its roles permit it. */
import type { AnyKind } from "../api.ts";

/**
 * Names, kinds and webhooks of earlier versions that this one does not have. Roles are generated from the declarations, so an operator
 * with minimal permissions cannot look for anything that is not named here. An entry may be removed when no cluster has such a version
 * any more and every object was reconciled since.
 *
 * @example
 * const previous: Previous = { names: ["cache-operator"], owned: [Secret] };
 * operator({ name: "memcached-operator", controllers: [memcached], previous });
 */
export interface Previous {
  /**
   * Previous names of the operator: objects that it applied under them stay its own, are taken over by the new name, and pruned as usual.
   */
  readonly names?: readonly string[];
  /** Kinds that its controllers no longer own: their remaining children are deleted. */
  readonly owned?: readonly AnyKind[];
  /** The CRDs (`plural.group`) of kinds that had webhooks and no longer have a controller: their webhook configurations are removed. */
  readonly hooked?: readonly string[];
}
