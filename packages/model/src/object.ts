/** The common fields of every Kubernetes object. */

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };

/** A reference to the owner of an object. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** The fields of a manager, as the server records them. */
export interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: "Apply" | "Update";
  readonly apiVersion?: string;
  readonly time?: string;
  readonly fieldsType?: "FieldsV1";
  readonly fieldsV1?: Json;
  readonly subresource?: string;
}

/** The metadata of an object as it is sent: nothing is required. */
export interface ObjectMeta {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: { readonly [key: string]: string };
  readonly annotations?: { readonly [key: string]: string };
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  readonly managedFields?: readonly ManagedFieldsEntry[];
  readonly selfLink?: string;
}

/** The metadata of an object as the server returns it: fields that the server always sets are present. */
export interface StoredMeta extends ObjectMeta {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly creationTimestamp: string;
}

/**
 * Any Kubernetes object.
 *
 * @example
 * const describe = ({ kind, metadata }: KubeObject) => `${kind} ${metadata.name}`;
 */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/**
 * Any Kubernetes object that came from a server.
 *
 * @example
 * const isDeleting = ({ metadata }: StoredObject) => metadata.deletionTimestamp !== undefined;
 */
export interface StoredObject extends KubeObject {
  readonly metadata: StoredMeta;
}

/** A list as the server returns it. */
export interface KubeList<T = KubeObject> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly resourceVersion?: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly T[];
}
