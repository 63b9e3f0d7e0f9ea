/** The API server interface of the runtime: seven calls. The client implements it, and so can a test. */
import type { Kind, KubeObject, ObjectKey, StoredObject } from "@capstan/model";

/** The names of a kind, without its schema. */
export type AnyKind = Pick<Kind, "group" | "version" | "kind" | "plural" | "scope">;

/** Selects objects of a kind. */
export interface Scope {
  /** Absent: every namespace. */
  readonly namespace?: string | undefined;
  /** A label selector in Kubernetes' notation, evaluated by the server. */
  readonly labelSelector?: string | undefined;
  /** A field selector in Kubernetes' notation, evaluated by the server. */
  readonly fieldSelector?: string | undefined;
  /** Requests PartialObjectMetadata: only names, labels, annotations and other metadata. */
  readonly metadataOnly?: boolean | undefined;
}

/** One page of a list. */
export interface ListRequest extends Scope {
  readonly limit?: number | undefined;
  readonly continueAt?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One page of a list response. */
export interface ListPage {
  readonly items: readonly StoredObject[];
  readonly resourceVersion: string;
  readonly continueAt?: string | undefined;
  /** The remaining item count. The server omits it when a selector is used. */
  readonly remaining?: number | undefined;
}

/** A watch from a resourceVersion or, as a streaming list, from the start. */
export interface WatchRequest extends Scope {
  /** Absent together with `initialEvents`: the watch starts with the current state. */
  readonly resourceVersion?: string | undefined;
  /** Requests every object first (`sendInitialEvents`), and a bookmark after the last one. */
  readonly initialEvents?: boolean | undefined;
  readonly timeoutSeconds?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One event of a watch. An ERROR event is thrown as an `ApiError`. */
export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  readonly object: StoredObject;
}

/** One event as the server sent it: `bytes` is the JSON of its object. */
export interface WatchLine {
  readonly type: WatchEvent["type"];
  readonly bytes: Uint8Array;
}

/** The events of a watch. They can be read once. */
export interface WatchStream extends AsyncIterable<WatchEvent> {
  /** The same events as raw bytes, in batches. Present if the transport provides bytes; readers that need not parse every object use it. */
  readonly batches?: (() => AsyncIterable<readonly WatchLine[]>) | undefined;
}

/** Options of every request that changes something. */
export interface Sending {
  readonly dryRun?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called before each attempt to send, retries included. An error that it throws ends the call. */
  readonly beforeSending?: (() => void) | undefined;
}

/** Options of a write. */
export interface WriteOptions extends Sending {
  readonly manager: string;
  readonly subresource?: "status" | undefined;
}

/** The precondition of an apply: no object exists, or this object, or this version of it. */
export type Expected = "nothing" | { readonly uid: string } | { readonly resourceVersion: string };

/** Options of an apply. */
export interface ApplyOptions extends WriteOptions {
  /** Takes over fields that another manager owns. */
  readonly force?: boolean | undefined;
  /** If the precondition fails, nothing is written and `failureOf` returns a conflict for the error. Absent: no precondition. */
  readonly over?: Expected | undefined;
}

/** Options of a patch. */
export interface PatchOptions extends WriteOptions {
  readonly type: "merge" | "json";
}

/** Options of a delete. */
export interface DeleteOptions extends Sending {
  /** Deletes only the object with this uid, not a later object of the same name. */
  readonly uid?: string | undefined;
  /** The grace period in seconds. Absent: the default of the kind. */
  readonly gracePeriodSeconds?: number | undefined;
}

/**
 * An API server. Failures are thrown as `ApiError` with a code. A watch ends when the server closes it, throws when it breaks, and ends
 * when its signal is aborted.
 */
export interface Api {
  get(kind: AnyKind, key: ObjectKey, signal?: AbortSignal): Promise<StoredObject>;
  list(kind: AnyKind, request: ListRequest): Promise<ListPage>;
  watch(kind: AnyKind, request: WatchRequest): WatchStream;
  create(kind: AnyKind, object: KubeObject, options: WriteOptions): Promise<StoredObject>;
  apply(kind: AnyKind, object: KubeObject, options: ApplyOptions): Promise<StoredObject>;
  patch(kind: AnyKind, key: ObjectKey, body: unknown, options: PatchOptions): Promise<StoredObject>;
  /** Returns the object while a finalizer or grace period still holds it; undefined when it is gone. */
  delete(kind: AnyKind, key: ObjectKey, options: DeleteOptions): Promise<StoredObject | undefined>;
}

/** The name of a kind that is unique in a cluster: `deployments.v1.apps`. */
export function kindId(kind: AnyKind): string {
  return `${kind.plural}.${kind.version}.${kind.group}`;
}

/** The key of an object in the runtime's maps, without an allocation of a key object. */
export function keyText(object: { readonly metadata: KubeObject["metadata"] }): string {
  const { namespace, name } = object.metadata;
  // `join` creates a flat string. Concatenation creates a rope that keeps both parts alive as long as it is a map key.
  return namespace === undefined || namespace === "" ? (name ?? "") : [namespace, name].join("/");
}

/** The namespace of such a key; empty for cluster-scoped objects. */
export function namespaceOfKey(key: string): string {
  const slash = key.indexOf("/");
  return slash < 0 ? "" : key.slice(0, slash);
}

/**
 * Whether one resource version is later than another. Since Kubernetes 1.35 they are comparable as decimal numbers (KEP-5504); earlier
 * servers behave the same way without a guarantee.
 */
export function isLater(version: string, than: string): boolean {
  return version.length === than.length ? version > than : version.length > than.length;
}

/** Whether one resource version is certainly earlier than another. Versions that are not numbers cannot be compared. */
export function isEarlier(version: string, than: string): boolean {
  return isLater(than, version) && DECIMAL.test(version) && DECIMAL.test(than);
}

const DECIMAL = /^\d+$/u;
