/** Follows every object of a kind: what is there, what changes, what goes; survives whatever happens to the connection. */
import type { StoredObject } from "@capstan/model";
import type { Api, Clock } from "@capstan/runtime";

/** What is followed: a kind by its names. */
export type WatchedKind = Parameters<Api["watch"]>[0];

/** Hears what happens to the objects of one kind. */
export interface Listener<T extends StoredObject> {
  /** An object is there, or is different now. */
  put(object: T, old: T | undefined): void;
  /** An object is no longer there. */
  removed(object: T): void;
  /** Everything that was there at the start has been told. */
  synced?(): void;
}

/** What following needs. */
export interface InformerOptions<T extends StoredObject> {
  readonly api: Api;
  readonly kind: WatchedKind;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly listener: Listener<T>;
  readonly metadataOnly?: boolean;
}

/** How long to rest after a connection broke, in milliseconds. */
const RETRY_DELAY = 200;
const INITIAL_END = "k8s.io/initial-events-end";

/** Follows until the signal is aborted. */
export async function runInformer<T extends StoredObject>(options: InformerOptions<T>): Promise<void> {
  const { clock, signal } = options;
  const store = new Map<string, T>();
  while (!signal.aborted) {
    try {
      await listAndWatch(options, store);
    } catch {
      // Every failure has one cure: rest, list again, tell the difference.
      if (!signal.aborted) await delay(clock, RETRY_DELAY, signal);
    }
  }
}

/** One connection: the objects that are there first, then what changes. */
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
    // The watch of a kind gives objects of that kind.
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

/** Waits, or until the signal is aborted. */
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
