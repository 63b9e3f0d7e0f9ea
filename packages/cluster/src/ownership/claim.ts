/** Who belongs to an owner: what matches its selector is adopted, what no longer matches is let go. */
import { isApiError } from "@capstan/client";
import type { Client } from "@capstan/client";
import { matchesLabels } from "@capstan/model";
import type { Kind, LabelSelector, StoredObject } from "@capstan/model";
import { Retry } from "@capstan/runtime";
import { controllerOf, controllerReference } from "./owner.ts";

/** An owner and what it selects. */
export interface Owner<T extends StoredObject> {
  readonly kind: Kind<T, unknown, "Namespaced">;
  readonly object: T;
  readonly selector: LabelSelector;
}

/** What to do with those who could belong. */
export interface Claims<T> {
  readonly kept: readonly T[];
  readonly adopted: readonly T[];
  readonly released: readonly T[];
}

/** Decides who belongs to an owner. An owner that is leaving adopts and lets go of nobody. */
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

/** The children and how they are reached. */
export interface Children<T extends StoredObject> {
  readonly client: Client;
  readonly kind: Kind<T, unknown, "Namespaced">;
  readonly candidates: readonly T[];
  /** Told what was written. */
  readonly wrote: (object: T) => void;
}

/** Brings the claims about: answers with everybody who belongs to the owner now. */
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

/** The cache may show an owner that is gone or was replaced by a namesake: such a one must not adopt. */
async function assertNotReplaced<T extends StoredObject>({ kind, object }: Owner<T>, client: Client): Promise<void> {
  const { namespace = "", name, uid } = object.metadata;
  const live = await client.get(kind, { namespace, name });
  if (live.metadata.uid === uid && live.metadata.deletionTimestamp === undefined) return;
  throw new Retry(`${kind.kind} ${namespace}/${name} is no longer the one that was seen: it adopts nobody.`);
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
    // Gone, or already let go, or a namesake came after it.
    if (!isApiError(error, "NotFound", "Conflict", "Invalid")) throw error;
  }
}
