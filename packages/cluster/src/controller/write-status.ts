/** Writes the status of an object if it changed. */
import type { Client } from "@capstan/client";
import { isDeepEqual } from "@capstan/model";
import type { Kind, Scope, StoredObject } from "@capstan/model";
import { FIELD_MANAGER } from "./context.ts";

/** An object with a status. */
export interface ObjectWithStatus extends StoredObject {
  readonly status?: unknown;
}

/** An object and its new status. */
export interface StatusUpdate<T extends ObjectWithStatus> {
  readonly object: T;
  readonly status: T["status"];
  readonly signal?: AbortSignal;
}

/**
 * Updates the status if it differs. The update fails with a conflict if the object changed meanwhile; the next reconcile then writes it.
 */
export async function writeStatus<T extends ObjectWithStatus>(
  client: Client,
  kind: Kind<T, unknown, Scope>,
  { object, status, signal }: StatusUpdate<T>,
): Promise<T> {
  if (isDeepEqual(withoutZeroValues(object.status), withoutZeroValues(status))) return object;
  const { managedFields: _managedFields, ...metadata } = object.metadata;
  return client.update(kind, { ...object, metadata, status } as never, {
    subresource: "status",
    fieldManager: FIELD_MANAGER,
    signal,
  });
}

/** A status without zero values, which Kubernetes omits: zeros, empty strings and empty lists. */
function withoutZeroValues(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutZeroValues);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) => (isZeroValue(part) ? [] : [[name, withoutZeroValues(part)]])),
  );
}

function isZeroValue(value: unknown): boolean {
  return value === undefined || value === 0 || value === "" || (Array.isArray(value) && value.length === 0);
}
