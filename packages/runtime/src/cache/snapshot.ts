/**
 * The contents of the caches when a program stops, handed to the next one, which then resumes the watches instead of listing everything.
 */
import type { StoredObject } from "@capstan/model";
import { kindId } from "../api.ts";
import type { AnyKind, Api, Scope, WatchEvent, WatchRequest } from "../api.ts";

/** One kind in one scope. It is JSON, so that it can be sent to another process. */
export interface KnownKind {
  readonly kind: string;
  readonly scope: string;
  /** The resourceVersion up to which the objects are complete. */
  readonly version: string;
  readonly objects: readonly StoredObject[];
}

export type Snapshot = readonly KnownKind[];

/** A scope as a map key. */
export function scopeText({ namespace, labelSelector, fieldSelector, metadataOnly }: Scope): string {
  return JSON.stringify([namespace ?? "", labelSelector ?? "", fieldSelector ?? "", metadataOnly === true]);
}

/**
 * An API that serves the first streaming list of each kind from the snapshot and continues it as a watch from its version. If the server
 * has compacted that version, the watch fails and everything is listed as usual.
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
