/** Which object, and where: the part of a call that the compiler checks against the scope of the kind. */
import type { Kind, KubeObject, ObjectMeta, Scope } from "@capstan/model";

/** A namespaced kind needs a namespace, a cluster kind must not have one; of an unknown scope either may be said. */
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

/** An object as it is sent for create: the client fills in `apiVersion` and `kind`. */
export type Sent<T extends KubeObject, S extends Scope> = Content<T> & {
  readonly metadata: ObjectMeta & InNamespace<S>;
};

/** An object as it is sent for update: mostly one that was read, whose namespace the compiler cannot know. */
export type Replaced<T extends KubeObject> = Content<T> & {
  readonly metadata: ObjectMeta & { readonly name: string };
};

type Content<T extends KubeObject> = Omit<T, "apiVersion" | "kind" | "metadata" | "status"> & {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly status?: T extends { readonly status?: infer U } ? U | undefined : unknown;
};

/** An apply configuration with the key of its object: the client fills in `apiVersion` and `kind`. */
export type Applied<A, S extends Scope> = Omit<Configuration<A>, "apiVersion" | "kind" | "metadata"> & {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: MetadataOf<A> & Target<S>;
};

/** A kind that says nothing about its apply configuration accepts any fields. */
type Configuration<A> = unknown extends A ? { readonly [field: string]: unknown } : A;

type MetadataOf<A> = A extends { readonly metadata?: infer M }
  ? Omit<NonNullable<M>, "name" | "namespace">
  : ObjectMeta;

/** A kind whose scope or types do not matter. */
export type AnyKind = Pick<Kind, "group" | "version" | "kind" | "plural" | "scope">;
