/** The names and resources of an operator in earlier versions: this version takes them over or removes them, and its roles permit it. */
import type { AnyKind } from "../api.ts";

/**
 * What earlier versions had and this one has not. Roles are made from what is declared, so what is not even named here cannot be looked for
 * by an operator with no more rights than it needs. An entry may go when no cluster has such a version any more and every
 * object has had a reconcile since.
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
