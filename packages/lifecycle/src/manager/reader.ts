/** Reads from the cache in a reconcile. A change of what was read triggers the object again. */
import type { Kind, StoredObject } from "@capstan/model";

/** A query: the namespace (`*` for all) and labels. */
export interface ReadQuery {
  readonly namespace?: string;
  readonly labels?: { readonly [label: string]: string };
}

/** The cache of the manager. */
export interface Reader {
  readonly find: <T extends StoredObject>(kind: Kind<T>, query: ReadQuery) => readonly T[];
  readonly get: <T extends StoredObject>(
    kind: Kind<T>,
    key: { readonly namespace?: string; readonly name: string },
  ) => T | undefined;
}

/** One reconcile of one object. */
export interface Sync<T> extends Reader {
  readonly object: T;
  /** Why this reconcile runs. */
  readonly triggers: readonly { readonly kind: string; readonly relation: string }[];
  readonly event: (type: "Normal" | "Warning", reason: string, note: string) => void;
  readonly log: {
    readonly info: (message: string, fields?: object) => void;
    readonly warn: (message: string, fields?: object) => void;
  };
}
