/** The options of calls, in the words of the Kubernetes API. */
import type { CallOptions } from "./send.ts";

/** Read one object. */
export interface GetOptions extends CallOptions {
  readonly resourceVersion?: string | undefined;
  readonly subresource?: string | undefined;
}

/** Select some objects of a kind. */
export interface SelectOptions extends CallOptions {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** Read many objects. */
export interface ListOptions extends SelectOptions {
  /** Objects per page; 0 requests all at once. Default: 500. */
  readonly limit?: number | undefined;
  /** The continue token of the previous page. */
  readonly continue?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan" | undefined;
}

/** Watch the changes of a kind. */
export interface WatchOptions extends SelectOptions {
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: "NotOlderThan" | undefined;
  /** Start with all existing objects, ended by a bookmark with the annotation `k8s.io/initial-events-end`. */
  readonly sendInitialEvents?: boolean | undefined;
  /** Default: true. */
  readonly allowWatchBookmarks?: boolean | undefined;
  /** When the server ends the stream. */
  readonly timeoutSeconds?: number | undefined;
}

/** What the server does with unknown and duplicate fields. */
export type FieldValidation = "Ignore" | "Warn" | "Strict";

/** Change something. */
export interface WriteOptions extends CallOptions {
  /** Do everything except storing the result. */
  readonly dryRun?: boolean | undefined;
  readonly fieldManager?: string | undefined;
  readonly fieldValidation?: FieldValidation | undefined;
  readonly subresource?: string | undefined;
}

/** Server-side apply: the manager is required. */
export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Take fields over from other managers instead of failing with `Conflict`. */
  readonly force?: boolean | undefined;
}

/** What happens to the objects that depend on the deleted one. */
export type PropagationPolicy = "Foreground" | "Background" | "Orphan";

/** Delete something. */
export interface DeleteOptions extends CallOptions {
  readonly dryRun?: boolean | undefined;
  readonly propagationPolicy?: PropagationPolicy | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  /** Delete only if the object is still this one. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string } | undefined;
}

/** Delete many objects. */
export interface DeleteCollectionOptions extends DeleteOptions {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}
