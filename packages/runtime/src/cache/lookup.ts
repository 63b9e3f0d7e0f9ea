/** Typed indexes: `index(Pod, "node", ...)` is declared once, and the compiler checks its queries. */
import type { Kind, KubeObject, ObjectOf } from "@capstan/model";
import type { IndexQuery } from "./selector.ts";

/** A query of an index of one kind; it does not type-check for another kind. */
export interface Lookup<K extends Kind> extends IndexQuery {
  readonly values: (object: KubeObject) => readonly string[];
  /** Never present at run time: it carries the kind. */
  readonly "~kind"?: K;
}

/** A query of an index that was declared by name in the cache settings of its kind. */
export interface NamedLookup extends IndexQuery {
  readonly values?: undefined;
}

/**
 * An index over the objects of a kind, for `find`. It is built on its first query and kept up to date from then on.
 *
 * @example
 * const byNode = index(Pod, "node", (pod) => [pod.spec?.nodeName ?? ""]);
 * controller(Memcached, { reads: [Pod] }, ({ find, status }) => {
 *   status.nodes = find(Pod, { index: byNode("node-1") }).map((pod) => pod.metadata.name);
 * });
 */
export function index<K extends Kind>(
  _kind: K,
  name: string,
  values: (object: ObjectOf<K>) => readonly string[],
): (value: string) => Lookup<K> {
  // The cache of a kind holds objects of that kind.
  const ofAny = values as (object: KubeObject) => readonly string[];
  return (value) => ({ name, value, values: ofAny });
}
