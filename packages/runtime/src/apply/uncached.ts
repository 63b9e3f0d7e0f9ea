/** Children that the cache does not show: of kinds that a controller no longer owns, or in namespaces that it no longer watches. */
import type { StoredObject } from "@capstan/model";
import type { AnyKind } from "../api.ts";

/** A child that an earlier version of the controller, or one with other settings, applied. */
export interface UncachedChild {
  readonly kind: AnyKind;
  readonly child: StoredObject;
}

/** The uncached children of one controller. */
export interface UncachedChildren {
  /** The uncached children of one owner. */
  of(owner: string): readonly UncachedChild[];
  /** The current state of one of them; undefined if it is gone, or no longer carries our mark. */
  read(owner: string, child: UncachedChild): Promise<StoredObject | undefined>;
  /** Drops one that is gone or cached again. */
  forget(owner: string, child: UncachedChild): void;
  /** Called before a child is written outside the owner's namespace: a record makes sure that it is found again. */
  beforeUnreachable(kind: AnyKind, namespace: string): Promise<void>;
}

/** For controllers without a record of uncached children. */
export const noUncached: UncachedChildren = {
  of: () => [],
  read: () => Promise.resolve(undefined),
  forget: () => undefined,
  beforeUnreachable: () => Promise.resolve(),
};
