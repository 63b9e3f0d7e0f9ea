/** What an operator was called and had in earlier versions: this one takes it over or takes it back, and its roles let it. */
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
  /** Names of the operator: what it applied under them stays its own, is taken over by the new name, and pruned as ever. */
  readonly names?: readonly string[];
  /** Kinds that its controllers owned and no longer own: what is left of them is deleted. */
  readonly owned?: readonly AnyKind[];
  /** The CRDs (`plural.group`) of kinds that it had hooks for and has no controller of any more: their configurations are taken back. */
  readonly hooked?: readonly string[];
}
