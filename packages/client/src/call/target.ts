/** The target of a call. The compiler checks it against the scope of the kind. */
import type { Kind, KubeObject, ObjectMeta, Scope } from "@capstan/model";

/** A namespaced kind requires a namespace, a cluster-scoped kind forbids one; an unknown scope allows both. */
export type InNamespace<S extends Scope> = S extends "Namespaced"
  ? { readonly namespace: string }
  : { readonly namespace?: never };

/** One object. */
export type Target<S extends Scope> = InNamespace<S> & { readonly name: string };

/**
 * In place of a namespace: every namespace. Only lists and watches can reach that far.
 *
 * @example
 * const client = createClient(await loadConfig(processHost()));
 * const pods = await client.list(Pod, { namespace: allNamespaces });
 */
export const allNamespaces = "*";

/** An object for create; the client fills in `apiVersion` and `kind`. */
export type Sent<T extends KubeObject, S extends Scope> = Content<T> & {
  readonly metadata: ObjectMeta & InNamespace<S>;
};

/** An object for update, usually one that was read, for which the compiler does not know the namespace. */
export type Replaced<T extends KubeObject> = Content<T> & {
  readonly metadata: ObjectMeta & { readonly name: string };
};

type Content<T extends KubeObject> = Omit<T, "apiVersion" | "kind" | "metadata" | "status"> & {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly status?: T extends { readonly status?: infer U } ? U | undefined : unknown;
};

/** An apply configuration with its name; the client fills in `apiVersion` and `kind`. */
export type Applied<A, S extends Scope> = Omit<Configuration<A>, "apiVersion" | "kind" | "metadata"> & {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: MetadataOf<A> & Target<S>;
};

/** A kind without an apply configuration type accepts any fields. */
type Configuration<A> = unknown extends A ? { readonly [field: string]: unknown } : A;

type MetadataOf<A> = A extends { readonly metadata?: infer M }
  ? Omit<NonNullable<M>, "name" | "namespace">
  : ObjectMeta;

/** A kind whose scope or types do not matter. */
export type AnyKind = Pick<Kind, "group" | "version" | "kind" | "plural" | "scope">;
