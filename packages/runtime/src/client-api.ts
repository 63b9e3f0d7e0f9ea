/** Implements the runtime's seven calls with a client. */
import { allNamespaces, metadataOnly } from "@capstan/client";
import type { Client, WatchEvent as ClientEvent } from "@capstan/client";
import { apiVersionOf } from "@capstan/model";
import type { Kind, KubeObject, ObjectKey, Status, StoredObject } from "@capstan/model";
import type {
  AnyKind,
  Api,
  Expected,
  ListPage,
  ListRequest,
  Scope,
  WatchLine,
  WatchEvent,
  WatchRequest,
  WatchStream,
  WriteOptions,
} from "./api.ts";

/** A kind without compile-time types. */
type LooseKind = Kind<StoredObject, { readonly metadata?: object }, "Namespaced">;

/** An API server that is reached through a client. */
export function apiOf(client: Client): Api {
  return {
    get: (kind, key, signal) => client.get(loose(kind), { ...placeOf(key), signal }),
    list: (kind, request) => listPage(client, kind, request),
    watch: (kind, request) => watchStream(client, kind, request),
    create: (kind, object, options) => client.create(loose(kind), outgoing(object), writeOptions(options)),
    apply: (kind, object, options) =>
      client.apply(loose(kind), outgoing(expecting(object, options.over)), {
        ...writeOptions(options),
        fieldManager: options.manager,
        force: options.force,
      }),
    patch: (kind, key, body, options) =>
      client.patch(
        loose(kind),
        placeOf(key),
        options.type === "merge" ? { merge: body } : { json: body as never },
        writeOptions(options),
      ),
    delete: async (kind, key, { uid, gracePeriodSeconds, ...sending }) => {
      const preconditions = uid === undefined ? undefined : { uid };
      const propagationPolicy = "Background" as const;
      const place = { ...placeOf(key), preconditions, propagationPolicy, gracePeriodSeconds, ...sending };
      const answer = await client.delete(loose(kind), place);
      return isLeaving(answer) ? answer : undefined;
    },
  };
}

/** Some kinds also return the object after its deletion: one that still exists has finalizers or a grace period left. */
function isLeaving(answer: StoredObject | Status): answer is StoredObject {
  if (!("uid" in answer.metadata)) return false;
  const {
    deletionTimestamp,
    deletionGracePeriodSeconds = 0,
    finalizers = [],
  } = answer.metadata as StoredObject["metadata"];
  return deletionTimestamp !== undefined && (finalizers.length > 0 || deletionGracePeriodSeconds > 0);
}

/** The client types its calls by the kind's scope; here the scope is a value, and an empty namespace means cluster scope. */
function loose(kind: AnyKind, { metadataOnly: partial }: Pick<Scope, "metadataOnly"> = {}): LooseKind {
  return (partial === true ? metadataOnly(kind) : kind) as LooseKind;
}

function placeOf({ namespace, name }: ObjectKey): { namespace: string; name: string } {
  // An absent namespace leaves the segment out of the path, which is what a cluster-scoped object needs.
  return (namespace === "" ? { name } : { namespace, name }) as { namespace: string; name: string };
}

function outgoing(object: KubeObject): KubeObject & { readonly metadata: { namespace: string; name: string } } {
  return object as KubeObject & { readonly metadata: { namespace: string; name: string } };
}

/**
 * Adds the precondition to an apply. A resourceVersion that no object ever has makes an apply fail if the object exists: the server
 * ignores the version on create, and the first write of etcd has revision 2.
 */
function expecting(object: KubeObject, over: Expected | undefined): KubeObject {
  if (over === undefined) return object;
  return { ...object, metadata: { ...object.metadata, ...(over === "nothing" ? { resourceVersion: "1" } : over) } };
}

function writeOptions({ manager, subresource, dryRun, signal, beforeSending }: WriteOptions): object {
  return { fieldManager: manager, subresource, dryRun, signal, beforeSending };
}

function selection(kind: AnyKind, { namespace, labelSelector, fieldSelector }: Scope): { namespace: string } {
  const everywhere = kind.scope === "Cluster" ? undefined : allNamespaces;
  return { namespace: namespace ?? everywhere, labelSelector, fieldSelector } as { namespace: string };
}

async function listPage(client: Client, kind: AnyKind, request: ListRequest): Promise<ListPage> {
  const { limit = 0, continueAt, signal } = request;
  const where = { ...selection(kind, request), limit, continue: continueAt, signal };
  const first = await client.list(loose(kind, request), where).pages().next();
  if (first.done === true) return { items: [], resourceVersion: "0" };
  const { items, metadata } = first.value;
  const apiVersion = apiVersionOf(kind);
  return {
    // Servers leave type and version out of the items of a list.
    items: items.map((item) => ({ ...item, apiVersion, kind: kind.kind })),
    resourceVersion: metadata.resourceVersion ?? "0",
    continueAt: metadata.continue,
    remaining: metadata.remainingItemCount,
  };
}

function watchStream(client: Client, kind: AnyKind, request: WatchRequest): WatchStream {
  const { resourceVersion, initialEvents, timeoutSeconds, signal } = request;
  const sendInitialEvents = initialEvents === true ? true : undefined;
  const where = { ...selection(kind, request), resourceVersion, timeoutSeconds, signal, sendInitialEvents };
  const of = loose(kind, request);
  return {
    [Symbol.asyncIterator]: () => eventsOf(client.watch(of, where)),
    // Errors are thrown, so only object events and bookmarks remain.
    batches: () => client.watchLines(of, where) as AsyncIterable<readonly WatchLine[]>,
  };
}

async function* eventsOf(events: AsyncIterable<ClientEvent>): AsyncGenerator<WatchEvent> {
  for await (const event of events) {
    if (event.type === "ERROR") throw event.error;
    // A bookmark has only a version and annotations, and nothing else of it is read.
    yield event as WatchEvent;
  }
}
