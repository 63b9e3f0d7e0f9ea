/** Children that the cache does not show: of kinds that a controller no longer owns, or in namespaces that it no longer watches. */
import type { StoredObject } from "@capstan/model";
import type { AnyKind } from "../api.ts";

/** A child that an earlier version of the controller, or one with other settings, applied. */
export interface Stray {
  readonly kind: AnyKind;
  readonly child: StoredObject;
}

/** The strays of one controller. */
export interface Strays {
  /** The strays of one owner. */
  of(owner: string): readonly Stray[];
  /** The current state of one of them; undefined if it is gone, or no longer carries our mark. */
  look(owner: string, stray: Stray): Promise<StoredObject | undefined>;
  /** Drops one that is gone or no longer a stray. */
  forget(owner: string, stray: Stray): void;
  /** Called before a child is written outside the owner's namespace: a record makes sure that it is found again. */
  beforeFar(kind: AnyKind, namespace: string): Promise<void>;
}

/** For controllers without a record of strays. */
export const noStrays: Strays = {
  of: () => [],
  look: () => Promise.resolve(undefined),
  forget: () => undefined,
  beforeFar: () => Promise.resolve(),
};
