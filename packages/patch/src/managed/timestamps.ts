/** Reverts changes of timestamps only, so that a request without effect does not write. */
import { isDeepEqual, type ManagedFieldsEntry } from "@capstan/model";
import type { JsonObject } from "../json-value.ts";
import { managedOf, withoutManaged } from "./metadata.ts";

/** The old object when the new one differs from it only in the times of its managed fields, the new one otherwise. */
export function ignoreTimestampChange(before: JsonObject, after: JsonObject): JsonObject {
  const [old, current] = [managedOf(before) ?? [], managedOf(after) ?? []];
  if (old.length === 0 || old.length !== current.length) return after;
  const isSame = isDeepEqual(old.map(withoutTime), current.map(withoutTime));
  return isSame && isDeepEqual(withoutManaged(before), withoutManaged(after)) ? before : after;
}

function withoutTime(entry: ManagedFieldsEntry): object {
  const { time: _, ...rest } = entry;
  return rest;
}
