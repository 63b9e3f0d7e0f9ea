/** What managed fields tell: who wrote last, and which fields are ours. They are half of many objects, so little of them is kept. */
import type { ManagedFieldsEntry, StoredObject } from "@capstan/model";

/** The manager that wrote last, as far as the server tells. */
export function lastManager(object: StoredObject): string | undefined {
  let last: ManagedFieldsEntry | undefined;
  for (const entry of object.metadata.managedFields ?? []) {
    if (last === undefined || (entry.time ?? "") >= (last.time ?? "")) last = entry;
  }
  return last?.manager;
}

/** Keeps the managed fields of the managers that are ours and drops the rest. */
export function keepManagers(isOurs: (manager: string) => boolean): (object: StoredObject) => StoredObject {
  return (object) => {
    const entries = object.metadata.managedFields;
    if (entries === undefined) return object;
    const kept = entries.filter(({ manager, operation }) => operation === "Apply" && isOurs(manager ?? ""));
    if (kept.length === entries.length) return object;
    const { managedFields: _dropped, ...metadata } = object.metadata;
    return { ...object, metadata: kept.length === 0 ? metadata : { ...metadata, managedFields: kept } };
  };
}
