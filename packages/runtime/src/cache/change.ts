/** A change of a cached object. */
import type { ManagedFieldsEntry, StoredObject } from "@capstan/model";

/** What changed in a store. The store already shows it. */
export interface Change {
  readonly type: "added" | "updated" | "removed";
  readonly key: string;
  /** The current object, or the last known state of one that is gone. In a first list it is parsed on first access. */
  readonly object: StoredObject;
  /** Its metadata, always available; in a first list without managed fields. */
  readonly metadata: StoredObject["metadata"];
  readonly old: StoredObject | undefined;
  /** Whether the change was a watch event, or was found by comparing a list with the store. */
  readonly from: "stream" | "list";
  /** The managed fields as the server sent them; the store keeps few of them. The ones in a list may be old. */
  readonly writers: readonly ManagedFieldsEntry[] | undefined;
}

/** The change for an object that exists when a listener subscribes. */
export function existing(key: string, object: StoredObject): Change {
  const { metadata } = object;
  return { type: "added", key, object, metadata, old: undefined, from: "list", writers: undefined };
}

/** The change for an object that no list contains any more, or that is no longer watched. */
export function vanished(key: string, object: StoredObject): Change {
  const { metadata } = object;
  return { type: "removed", key, object, metadata, old: object, from: "list", writers: undefined };
}
