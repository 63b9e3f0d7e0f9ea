/** What the runtime needs from an API server: seven calls. A client has them, a test can be them. */
import type { Kind, KubeObject, ObjectKey, StoredObject } from "@capstan/model";

/** A kind of which only the names matter. */
export type AnyKind = Pick<Kind, "group" | "version" | "kind" | "plural" | "scope">;

/** Which objects of a kind. */
export interface Scope {
  /** Absent: every namespace. */
  readonly namespace?: string | undefined;
  /** A label selector in Kubernetes' notation, evaluated by the server. */
  readonly labelSelector?: string | undefined;
  /** A field selector in Kubernetes' notation, evaluated by the server. */
  readonly fieldSelector?: string | undefined;
  /** Only names, labels, annotations and the like are wanted. */
  readonly metadataOnly?: boolean | undefined;
}

/** One page of a list. */
export interface ListRequest extends Scope {
  readonly limit?: number | undefined;
  readonly continueAt?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The answer to a list. */
export interface ListPage {
  readonly items: readonly StoredObject[];
  readonly resourceVersion: string;
  readonly continueAt?: string | undefined;
  /** How many more there are, where the server says it: not where something was selected. */
  readonly remaining?: number | undefined;
}

/** A watch, from a version on or, as a streaming list, from the very start. */
export interface WatchRequest extends Scope {
  /** Absent together with `initialEvents`: the state as of now comes first. */
  readonly resourceVersion?: string | undefined;
  /** Ask for every object first and for a bookmark where they end. */
  readonly initialEvents?: boolean | undefined;
  readonly timeoutSeconds?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One event of a watch. An ERROR event is thrown as an `ApiError`. */
export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  readonly object: StoredObject;
}

/** One event as it was sent: `bytes` is the JSON of its object. */
export interface SentEvent {
  readonly type: WatchEvent["type"];
  readonly bytes: Uint8Array;
}

/** The events of a watch, to be read once. */
export interface WatchStream extends AsyncIterable<WatchEvent> {
  /** The same as they were sent, many at once: there where bytes come in, for whoever need not look at every object. */
  readonly batches?: (() => AsyncIterable<readonly SentEvent[]>) | undefined;
}

/** How a request is sent that changes something. */
export interface Sending {
  readonly dryRun?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called right before each sending, repeats included; what it throws ends the call. */
  readonly beforeSending?: (() => void) | undefined;
}

/** How a write is made. */
export interface WriteOptions extends Sending {
  readonly manager: string;
  readonly subresource?: "status" | undefined;
}

/** What must be there when an apply arrives: nothing yet, or this very object, or this very state of it. */
export type Expected = "nothing" | { readonly uid: string } | { readonly resourceVersion: string };

/** How an apply is made. */
export interface ApplyOptions extends WriteOptions {
  /** Take fields over that another manager owns. */
  readonly force?: boolean | undefined;
  /** Where something else is there, nothing is written and the error is one that `failureOf` calls a conflict; absent: whatever is. */
  readonly over?: Expected | undefined;
}

/** How a patch is made. */
export interface PatchOptions extends WriteOptions {
  readonly type: "merge" | "json";
}

/** How a delete is made. */
export interface DeleteOptions extends Sending {
  /** Delete only this very object, not a namesake that came after it. */
  readonly uid?: string | undefined;
  /** How long it may take to go, in seconds; absent: as its kind has it. */
  readonly gracePeriodSeconds?: number | undefined;
}

/**
 * An API server. Failures are thrown as `ApiError` with a code. A watch ends by itself when the server closes it and throws when it
 * breaks; aborting its signal ends it.
 */
export interface Api {
  get(kind: AnyKind, key: ObjectKey, signal?: AbortSignal): Promise<StoredObject>;
  list(kind: AnyKind, request: ListRequest): Promise<ListPage>;
  watch(kind: AnyKind, request: WatchRequest): WatchStream;
  create(kind: AnyKind, object: KubeObject, options: WriteOptions): Promise<StoredObject>;
  apply(kind: AnyKind, object: KubeObject, options: ApplyOptions): Promise<StoredObject>;
  patch(kind: AnyKind, key: ObjectKey, body: unknown, options: PatchOptions): Promise<StoredObject>;
  /** The object as it is while something still holds it; undefined when it is gone. */
  delete(kind: AnyKind, key: ObjectKey, options: DeleteOptions): Promise<StoredObject | undefined>;
}

/** The name of a kind that is unique in a cluster: `deployments.v1.apps`. */
export function kindId(kind: AnyKind): string {
  return `${kind.plural}.${kind.version}.${kind.group}`;
}

/** The key of an object as the runtime's maps use it, without making an object for it. */
export function keyText(object: { readonly metadata: KubeObject["metadata"] }): string {
  const { namespace, name } = object.metadata;
  // Joined, a text is in one piece; put together otherwise it is a pair that holds both parts for as long as a map has it as its key.
  return namespace === undefined || namespace === "" ? (name ?? "") : [namespace, name].join("/");
}

/** The namespace of such a key; none for what is cluster-scoped. */
export function namespaceOfKey(key: string): string {
  const slash = key.indexOf("/");
  return slash < 0 ? "" : key.slice(0, slash);
}

/**
 * Whether one resource version is later than another. They are opaque up to Kubernetes 1.34 and comparable as decimal numbers since
 * (KEP-5504); every server before did the same without a promise.
 */
export function isLater(version: string, than: string): boolean {
  return version.length === than.length ? version > than : version.length > than.length;
}

/** Whether one resource version is surely earlier than another; of versions that are no numbers nothing is sure. */
export function isEarlier(version: string, than: string): boolean {
  return isLater(than, version) && DECIMAL.test(version) && DECIMAL.test(than);
}

const DECIMAL = /^\d+$/u;
