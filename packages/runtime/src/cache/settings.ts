/** The settings of the cache of a kind. */
import type { IndexValues } from "./indexes.ts";
import type { Transform } from "./transform.ts";

/** Selects the objects and fields that are cached. */
export interface Selection {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly metadataOnly?: boolean | undefined;
}

/** Cache settings of a kind. */
export interface CacheSettings extends Selection {
  /** Namespaces to watch, with the selection of each. Default: those of the operator. */
  readonly namespaces?: readonly string[] | { readonly [namespace: string]: Selection } | undefined;
  /** Changes objects before they are cached. An object for which it fails is cached unchanged, and the failure is logged. */
  readonly transform?: Transform | undefined;
  readonly indexes?: { readonly [name: string]: IndexValues } | undefined;
  /**
   * Bytes that each watch of the kind may use. Default: no limit. Beyond it, objects that were not read recently are deflated, except for
   * half of the bytes: that takes a third to a half of the memory, and each read of such an object costs 20 to 130 us of CPU instead of
   * 1.
   */
  readonly budget?: number | undefined;
}
