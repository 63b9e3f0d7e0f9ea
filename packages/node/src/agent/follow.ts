/** Follows the objects of a kind for as long as it is wanted: list, watch, and again after whatever went wrong. */
import type { Client, Clock, SelectOptions } from "@capstan/client";
import { isInitialEventsEnd } from "@capstan/client";
import type { Kind, KubeObject, Scope } from "@capstan/model";

/** What a follower is told. */
export interface Follower<T> {
  seen(object: T): void;
  gone(object: T): void;
  /** All that existed has been told. */
  synced?(): void;
}

/** Whom to follow. */
export interface FollowOptions extends SelectOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const pause = 1000;

/** Follows until the signal ends it. Objects that disappeared while nobody looked are told as gone. */
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
