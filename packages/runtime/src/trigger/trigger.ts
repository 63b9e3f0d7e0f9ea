/** From a change to the keys of those it concerns: the object itself, its owner, or whoever a function names. Pure and synchronous. */
import type { KubeObject } from "@capstan/model";
import type { AnyKind } from "../api.ts";
import type { Change } from "../cache/reflector.ts";
import type { Request } from "../queue/queue.ts";
import { triggerOf } from "./reconcile-trigger.ts";
import type { ReconcileTrigger } from "./reconcile-trigger.ts";
import { generationChanged, statusChanged } from "./predicate.ts";
import type { Predicate } from "./predicate.ts";

/** Wakes a key. */
export type Wake = (key: string, request: Request<ReconcileTrigger>) => void;

/** Looks at a change and wakes whom it concerns. */
export type EventHandler = (change: Change, wake: Wake) => void;

/** What a list brings at the start can wait for what happens now. */
export const LIST_PRIORITY = -100;

function priorityOf(change: Change): number {
  return change.from === "list" ? LIST_PRIORITY : 0;
}

/**
 * The object itself. A new desired state may cure what failed, so its backoff starts afresh. A status that changed by itself was
 * written by somebody else, or by us in a request whose answer was lost: either way it may need repair.
 */
export function self(kind: AnyKind, predicate: Predicate): EventHandler {
  return (change, wake) => {
    if (!predicate(change)) {
      if (statusChanged(change))
        wake(change.key, { trigger: triggerOf("status", kind, change), priority: priorityOf(change) });
      return;
    }
    const fresh = change.from === "stream" && generationChanged(change);
    wake(change.key, { trigger: triggerOf("self", kind, change), priority: priorityOf(change), fresh });
  };
}

/** Where an object that cannot carry an owner reference (other namespace, cluster scope) says whose it is. */
export const OWNER_ANNOTATION = "capstan.dev/owner";

/** The owners of an object, before and after the change. */
export function owned(kind: AnyKind, owner: AnyKind, options: { readonly onlyControllerOwner: boolean }): EventHandler {
  return (change, wake) => {
    const keys = ownerKeys(change, owner, options.onlyControllerOwner);
    const former = change.old === undefined ? [] : ownerKeys(change.old, owner, options.onlyControllerOwner);
    if (keys.length === 0 && former.length === 0) return;
    const request = { trigger: triggerOf("owned", kind, change), priority: priorityOf(change) };
    for (const key of keys) wake(key, request);
    for (const key of former) if (!keys.includes(key)) wake(key, request);
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

/** Names the keys that an object concerns, for a change of it. */
export type MapToKeys = (object: KubeObject, change: Pick<Change, "type">) => readonly string[];

/** Whoever a function names, for the object before the change and after it: so the one it no longer points to hears of it too. */
export function mapped(kind: AnyKind, map: MapToKeys, predicate: Predicate): EventHandler {
  return (change, wake) => {
    if (!predicate(change)) return;
    const keys = new Set(map(change.object, change));
    if (change.old !== undefined) for (const key of map(change.old, change)) keys.add(key);
    if (keys.size === 0) return;
    const request = { trigger: triggerOf("mapped", kind, change), priority: priorityOf(change) };
    for (const key of keys) wake(key, request);
  };
}
