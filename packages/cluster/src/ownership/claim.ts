/** Claims objects for an owner: adopts those that match its selector, releases those that no longer do. */
import { isApiError } from "@capstan/client";
import type { Client } from "@capstan/client";
import { matchesLabels } from "@capstan/model";
import type { Kind, LabelSelector, StoredObject } from "@capstan/model";
import { controllerOf, controllerReference } from "./owner.ts";

/** An owner and its selector. */
export interface Owner<T extends StoredObject> {
  readonly kind: Kind<T, unknown, "Namespaced">;
  readonly object: T;
  readonly selector: LabelSelector;
}

/** What to do with candidates. */
export interface Claims<T> {
  readonly kept: readonly T[];
  readonly adopted: readonly T[];
  readonly released: readonly T[];
}

/** Decides which objects an owner keeps, adopts and releases. An owner that is being deleted neither adopts nor releases. */
export function decideClaims<T extends StoredObject>(
  { object: owner, selector }: Pick<Owner<StoredObject>, "object" | "selector">,
  candidates: readonly T[],
): Claims<T> {
  const kept: T[] = [];
  const adopted: T[] = [];
  const released: T[] = [];
  const isBeingDeleted = owner.metadata.deletionTimestamp !== undefined;
  for (const one of candidates) {
    const matches = matchesLabels(selector, one.metadata.labels);
    const controller = controllerOf(one);
    if (controller !== undefined) {
      if (controller.uid !== owner.metadata.uid) continue;
      if (matches) kept.push(one);
      else if (!isBeingDeleted) released.push(one);
    } else if (matches && !isBeingDeleted && one.metadata.deletionTimestamp === undefined) adopted.push(one);
  }
  return { kept, adopted, released };
}

/** The candidates and how to write them. */
export interface Children<T extends StoredObject> {
  readonly client: Client;
  readonly kind: Kind<T, unknown, "Namespaced">;
  readonly candidates: readonly T[];
  /** Receives each written object. */
  readonly wrote: (object: T) => void;
}

/** Adopts and releases; returns the objects that the owner controls now. */
export async function claim<O extends StoredObject, T extends StoredObject>(
  owner: Owner<O>,
  children: Children<T>,
): Promise<readonly T[]> {
  const { kept, adopted, released } = decideClaims(owner, children.candidates);
  if (adopted.length > 0) await assertNotReplaced(owner, children.client);
  const adoptedNow = await Promise.all(adopted.map((one) => adopt(owner, one, children)));
  await Promise.all(released.map((one) => release(owner, one, children)));
  return [...kept, ...adoptedNow.filter((one) => one !== undefined)];
}

/** The cached owner may be deleted or replaced by another of the same name: it must not adopt. */
async function assertNotReplaced<T extends StoredObject>({ kind, object }: Owner<T>, client: Client): Promise<void> {
  const { namespace = "", name, uid } = object.metadata;
  const live = await client.get(kind, { namespace, name });
  if (live.metadata.uid === uid && live.metadata.deletionTimestamp === undefined) return;
  throw new Error(`${kind.kind} ${namespace}/${name} was deleted or recreated: it adopts no objects.`);
}

async function adopt<O extends StoredObject, T extends StoredObject>(
  owner: Owner<O>,
  child: T,
  { client, kind, wrote }: Children<T>,
): Promise<T | undefined> {
  const { namespace = "", name, uid } = child.metadata;
  const patch = { metadata: { uid, ownerReferences: [controllerReference(owner.kind, owner.object)] } };
  try {
    const adopted = await client.patch(kind, { namespace, name }, { strategic: patch });
    wrote(adopted);
    return adopted;
  } catch (error) {
    if (isApiError(error, "NotFound", "Conflict", "Invalid")) return undefined;
    throw error;
  }
}

async function release<O extends StoredObject, T extends StoredObject>(
  owner: Owner<O>,
  child: T,
  { client, kind, wrote }: Children<T>,
): Promise<void> {
  const { namespace = "", name, uid } = child.metadata;
  const patch = { metadata: { uid, ownerReferences: [{ $patch: "delete", uid: owner.object.metadata.uid }] } };
  try {
    wrote(await client.patch(kind, { namespace, name }, { strategic: patch }));
  } catch (error) {
    // The object is gone, already released, or replaced by another of the same name.
    if (!isApiError(error, "NotFound", "Conflict", "Invalid")) throw error;
  }
}
