/** Lists and watches a kind, reports changes to a listener and survives lost connections. */
import type { StoredObject } from "@capstan/model";
import type { Api, Clock } from "@capstan/runtime";

/** The kind to watch. */
export type WatchedKind = Parameters<Api["watch"]>[0];

/** Receives the changes of a kind. */
export interface Listener<T extends StoredObject> {
  /** An object exists or has changed. */
  put(object: T, old: T | undefined): void;
  /** An object was deleted. */
  removed(object: T): void;
  /** All objects that existed at the start have been reported. */
  synced?(): void;
}

/** The options of an informer. */
export interface InformerOptions<T extends StoredObject> {
  readonly api: Api;
  readonly kind: WatchedKind;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly listener: Listener<T>;
  readonly metadataOnly?: boolean;
}

/** The delay after a failed connection, in milliseconds. */
const RETRY_DELAY = 200;
const INITIAL_END = "k8s.io/initial-events-end";

/** Runs until the signal is aborted. */
export async function runInformer<T extends StoredObject>(options: InformerOptions<T>): Promise<void> {
  const { clock, signal } = options;
  const store = new Map<string, T>();
  while (!signal.aborted) {
    try {
      await listAndWatch(options, store);
    } catch {
      // Every failure is handled alike: wait, list again, report the difference.
      if (!signal.aborted) await delay(clock, RETRY_DELAY, signal);
    }
  }
}

/** One connection: lists the existing objects, then watches for changes. */
async function listAndWatch<T extends StoredObject>(options: InformerOptions<T>, store: Map<string, T>): Promise<void> {
  const { api, kind, signal, listener, metadataOnly } = options;
  let listed: Set<string> | undefined = new Set<string>();
  for await (const { type, object } of api.watch(kind, { initialEvents: true, signal, metadataOnly })) {
    if (type === "BOOKMARK") {
      if (listed === undefined || object.metadata.annotations?.[INITIAL_END] !== "true") continue;
      removeUnlisted(store, listed, listener);
      listed = undefined;
      listener.synced?.();
      continue;
    }
    listed?.add(object.metadata.uid);
    // The watch of a kind returns objects of that kind.
    if (type === "DELETED") remove(store, object as T, listener);
    else put(store, object as T, listener);
  }
}

function put<T extends StoredObject>(store: Map<string, T>, object: T, listener: Listener<T>): void {
  const { uid, resourceVersion } = object.metadata;
  const old = store.get(uid);
  if (old?.metadata.resourceVersion === resourceVersion) return;
  store.set(uid, object);
  listener.put(object, old);
}

function remove<T extends StoredObject>(store: Map<string, T>, object: T, listener: Listener<T>): void {
  store.delete(object.metadata.uid);
  listener.removed(object);
}

function removeUnlisted<T extends StoredObject>(
  store: Map<string, T>,
  listed: ReadonlySet<string>,
  listener: Listener<T>,
): void {
  for (const [uid, object] of store) if (!listed.has(uid)) remove(store, object, listener);
}

/** Waits for the delay or until the signal is aborted. */
export function delay(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      timer.cancel();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = clock.later(milliseconds, end);
    signal.addEventListener("abort", end, { once: true });
  });
}
