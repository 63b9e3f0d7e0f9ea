/** What caches knew when a program stopped, handed to the next one, so that it goes on from there instead of listing everything. */
import type { StoredObject } from "@capstan/model";
import { kindId } from "../api.ts";
import type { AnyKind, Api, Scope, WatchEvent, WatchRequest } from "../api.ts";

/** One kind in one scope. It is JSON, so that it can be sent to another process. */
export interface KnownKind {
  readonly kind: string;
  readonly scope: string;
  /** Everything up to here is known. */
  readonly version: string;
  readonly objects: readonly StoredObject[];
}

/** What was known. */
export type Snapshot = readonly KnownKind[];

/** A scope as one text. */
export function scopeText({ namespace, labelSelector, fieldSelector, metadataOnly }: Scope): string {
  return JSON.stringify([namespace ?? "", labelSelector ?? "", fieldSelector ?? "", metadataOnly === true]);
}

/**
 * An API whose first streaming list of each kind in a snapshot is answered from the snapshot and goes on as a watch from its version.
 * A server that has forgotten that version says so, and everything is listed as ever.
 */
export function seededApi(api: Api, snapshot: Snapshot): Api {
  const known = new Map(snapshot.map((entry) => [`${entry.kind} ${entry.scope}`, entry]));
  return {
    ...api,
    watch: (kind, request) => {
      const id = `${kindId(kind)} ${scopeText(request)}`;
      const entry = request.initialEvents === true ? known.get(id) : undefined;
      if (entry === undefined) return api.watch(kind, request);
      known.delete(id);
      return fromSnapshot(api, kind, { request, entry });
    },
  };
}

async function* fromSnapshot(
  api: Api,
  kind: AnyKind,
  { request, entry }: { readonly request: WatchRequest; readonly entry: KnownKind },
): AsyncGenerator<WatchEvent> {
  const { version, objects } = entry;
  for (const object of objects) yield { type: "ADDED", object };
  const annotations = { "k8s.io/initial-events-end": "true" };
  const metadata = { name: "", uid: "", creationTimestamp: "", resourceVersion: version, annotations };
  yield { type: "BOOKMARK", object: { apiVersion: "", kind: "", metadata } };
  yield* api.watch(kind, { ...request, initialEvents: false, resourceVersion: version });
}
