/** Lists and watches the objects of a kind until a signal stops it, and starts again after every error. */
import type { Client, Clock, SelectOptions } from "@capstan/client";
import { isInitialEventsEnd } from "@capstan/client";
import type { Kind, KubeObject, Scope } from "@capstan/model";

/** Callbacks for the objects of a kind. */
export interface Follower<T> {
  seen(object: T): void;
  gone(object: T): void;
  /** All objects that existed at the start have been reported. */
  synced?(): void;
}

/** Which objects to watch, and with which client. */
export interface FollowOptions extends SelectOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const pause = 1000;

/** Lists and watches until the signal aborts. Objects that disappeared between two watches are reported as gone. */
export async function follow<T extends KubeObject, A, S extends Scope>(
  kind: Kind<T, A, S>,
  follower: Follower<T>,
  { client, clock, signal, ...select }: FollowOptions,
): Promise<void> {
  const known = new Map<string, T>();
  while (!signal.aborted) {
    try {
      await followOnce({
        known,
        follower,
        events: client.watch(kind as Kind<T>, { ...select, ...everywhere(kind), sendInitialEvents: true, signal }),
      });
    } catch {
      if (!signal.aborted) await new Promise<void>((resolve) => void clock.later(pause, resolve));
    }
  }
}

function everywhere({ scope }: { readonly scope: Scope }): { readonly namespace: string } {
  return (scope === "Namespaced" ? { namespace: "*" } : {}) as { readonly namespace: string };
}

interface Following<T extends KubeObject> {
  readonly known: Map<string, T>;
  readonly follower: Follower<T>;
  readonly events: ReturnType<Client["watch"]>;
}

async function followOnce<T extends KubeObject>({ known, follower, events }: Following<T>): Promise<void> {
  const found = new Set<string>();
  let isSynced = false;
  for await (const event of events) {
    switch (event.type) {
      case "ADDED":
      case "MODIFIED": {
        const object = event.object as T;
        const uid = uidOf(object);
        if (!isSynced) found.add(uid);
        known.set(uid, object);
        follower.seen(object);
        break;
      }
      case "DELETED":
        known.delete(uidOf(event.object));
        follower.gone(event.object as T);
        break;
      case "BOOKMARK":
        if (isSynced || !isInitialEventsEnd(event.object)) break;
        isSynced = true;
        for (const [uid, object] of known) {
          if (found.has(uid)) continue;
          known.delete(uid);
          follower.gone(object);
        }
        follower.synced?.();
        break;
      case "ERROR":
        throw event.error;
    }
  }
}

function uidOf({ metadata }: KubeObject): string {
  return metadata.uid ?? "";
}
