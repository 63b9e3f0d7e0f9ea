/** Maps a change to keys: the object itself, its owner, or the keys that a function returns. Pure and synchronous. */
import type { KubeObject } from "@capstan/model";
import type { AnyKind } from "../api.ts";
import type { Change } from "../cache/change.ts";
import type { Request } from "../queue/queue.ts";
import { triggerOf } from "./reconcile-trigger.ts";
import type { ReconcileTrigger } from "./reconcile-trigger.ts";
import { generationChanged, statusChanged } from "./predicate.ts";
import type { Predicate } from "./predicate.ts";

/** Enqueues a key. */
export type Enqueue = (key: string, request: Request<ReconcileTrigger>) => void;

/** Maps a change to keys and enqueues them. */
export type EventHandler = (change: Change, enqueue: Enqueue) => void;

/** Objects of the first list have a lower priority than events. */
export const LIST_PRIORITY = -100;

function priorityOf(change: Change): number {
  return change.from === "list" ? LIST_PRIORITY : 0;
}

/**
 * The object itself. A new desired state may fix a failure, so its backoff resets. A status change without a spec change was made by
 * another writer, or by us in a request whose response was lost: either way it may need repair.
 */
export function self(kind: AnyKind, predicate: Predicate): EventHandler {
  return (change, enqueue) => {
    if (!predicate(change)) {
      if (statusChanged(change))
        enqueue(change.key, { trigger: triggerOf("status", kind, change), priority: priorityOf(change) });
      return;
    }
    const fresh = change.from === "stream" && generationChanged(change);
    enqueue(change.key, { trigger: triggerOf("self", kind, change), priority: priorityOf(change), fresh });
  };
}

/** The annotation with the owner of an object that cannot have an owner reference (other namespace, cluster scope). */
export const OWNER_ANNOTATION = "capstan.dev/owner";

/** The owners of an object, before and after the change. */
export function owned(kind: AnyKind, owner: AnyKind, options: { readonly onlyControllerOwner: boolean }): EventHandler {
  return (change, enqueue) => {
    const keys = ownerKeys(change, owner, options.onlyControllerOwner);
    const former = change.old === undefined ? [] : ownerKeys(change.old, owner, options.onlyControllerOwner);
    if (keys.length === 0 && former.length === 0) return;
    const request = { trigger: triggerOf("owned", kind, change), priority: priorityOf(change) };
    for (const key of keys) enqueue(key, request);
    for (const key of former) if (!keys.includes(key)) enqueue(key, request);
  };
}

/** The keys of an object's owners of one kind. */
export function ownerKeys(
  object: Pick<KubeObject, "metadata">,
  owner: AnyKind,
  onlyControllerOwner: boolean,
): readonly string[] {
  const keys: string[] = [];
  const { namespace, ownerReferences, annotations } = object.metadata;
  for (const reference of ownerReferences ?? []) {
    if (reference.kind !== owner.kind || groupOf(reference.apiVersion) !== owner.group) continue;
    if (onlyControllerOwner && reference.controller !== true) continue;
    keys.push(owner.scope === "Cluster" ? reference.name : `${namespace}/${reference.name}`);
  }
  const noted = annotations?.[OWNER_ANNOTATION];
  const prefix = `${owner.kind}.${owner.group}/`;
  if (noted?.startsWith(prefix) === true) keys.push(noted.slice(prefix.length));
  return keys;
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}

/** Returns the keys for a changed object. */
export type MapToKeys = (object: KubeObject, change: Pick<Change, "type">) => readonly string[];

/**
 * The keys that a function returns, for the object before and after the change: so that an object that is no longer referenced is
 * triggered too.
 */
export function mapped(kind: AnyKind, map: MapToKeys, predicate: Predicate): EventHandler {
  return (change, enqueue) => {
    if (!predicate(change)) return;
    const keys = new Set(map(change.object, change));
    if (change.old !== undefined) for (const key of map(change.old, change)) keys.add(key);
    if (keys.size === 0) return;
    const request = { trigger: triggerOf("mapped", kind, change), priority: priorityOf(change) };
    for (const key of keys) enqueue(key, request);
  };
}
