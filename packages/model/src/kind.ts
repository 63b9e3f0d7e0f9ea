/** A kind as a value: the argument of `get`, `watch`, `apply`, `owns`. */
import type { KubeObject } from "./object.ts";

/** Whether objects of a kind are namespaced. */
export type Scope = "Namespaced" | "Cluster";

/**
 * A kind that can be asked for. The value carries the names that make up request paths, the type carries what objects of this kind look
 * like: `T` as read from a server, `A` as written with apply (deeply partial, map-list keys kept), `S` the scope as a literal.
 *
 * @example
 * const apiVersionOf = ({ group, version }: Kind) => (group === "" ? version : `${group}/${version}`);
 * apiVersionOf(Memcached);
 */
export interface Kind<T extends KubeObject = KubeObject, A = unknown, S extends Scope = Scope> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: S;
  /** Never present at run time: it carries the types. */
  readonly "~types"?: { readonly object: T; readonly apply: A };
}

/**
 * The type of objects of a kind value.
 *
 * @example
 * const readyReplicas = (deployment: ObjectOf<typeof Deployment>) => deployment.status?.readyReplicas ?? 0;
 */
export type ObjectOf<K extends Kind> = K extends Kind<infer T, infer _A, infer _S> ? T : never;

/**
 * The apply configuration of a kind value.
 *
 * @example
 * const settings: ApplyOf<typeof ConfigMap> = { metadata: { name: "settings" }, data: { verbose: "true" } };
 */
export type ApplyOf<K extends Kind> = K extends Kind<infer _T, infer A, infer _S> ? A : never;

/** The `apiVersion` of a kind: `v1` for the core group, `group/version` otherwise. */
export function apiVersionOf(kind: Pick<Kind, "group" | "version">): string {
  return kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
}
