/** Writes the status of an object when it says something new. */
import type { Client } from "@capstan/client";
import { isDeepEqual } from "@capstan/model";
import type { Kind, Scope, StoredObject } from "@capstan/model";
import { MANAGER } from "../setting.ts";

/** An object that reports on itself. */
export interface Reporting extends StoredObject {
  readonly status?: unknown;
}

/** Which object gets which status. */
export interface Report<T extends Reporting> {
  readonly object: T;
  readonly status: T["status"];
  readonly signal?: AbortSignal;
}

/** Sends the status if it differs. The object must still be the version that was looked at; otherwise the next turn tells better. */
export async function writeStatus<T extends Reporting>(
  client: Client,
  kind: Kind<T, unknown, Scope>,
  { object, status, signal }: Report<T>,
): Promise<T> {
  if (isDeepEqual(said(object.status), said(status))) return object;
  const { managedFields: _managedFields, ...metadata } = object.metadata;
  return client.update(kind, { ...object, metadata, status } as never, {
    subresource: "status",
    fieldManager: MANAGER,
    signal,
  });
}

/** A status without what is absent in Kubernetes' own notation: zeros, empty texts and lists. */
function said(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(said);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) => (isEmpty(part) ? [] : [[name, said(part)]])),
  );
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === 0 || value === "" || (Array.isArray(value) && value.length === 0);
}
