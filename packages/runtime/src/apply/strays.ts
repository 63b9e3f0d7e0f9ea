/** Children that no cache shows: of kinds that a controller no longer owns, or in namespaces that it no longer watches. */
import type { StoredObject } from "@capstan/model";
import type { AnyKind } from "../api.ts";

/** A child that an earlier version of the controller, or one with other settings, applied. */
export interface Stray {
  readonly kind: AnyKind;
  readonly child: StoredObject;
}

/** The strays of one controller. */
export interface Strays {
  /** Those of one owner. */
  of(owner: string): readonly Stray[];
  /** One of them as it is now; undefined where it is gone, or somebody has taken it out of our hands since it was found. */
  look(owner: string, stray: Stray): Promise<StoredObject | undefined>;
  /** One of them is gone, or no longer one. */
  forget(owner: string, stray: Stray): void;
  /** A child is about to be written where the owner's own namespace does not lead: it must be found again. */
  beforeFar(kind: AnyKind, namespace: string): Promise<void>;
}

/** For those who keep no record. */
export const noStrays: Strays = {
  of: () => [],
  look: () => Promise.resolve(undefined),
  forget: () => undefined,
  beforeFar: () => Promise.resolve(),
};
