/** Marks a child as owned: by an owner reference where Kubernetes permits one, otherwise by a label and an annotation. */
import { apiVersionOf } from "@capstan/model";
import type { ObjectMeta, OwnerReference, StoredObject } from "@capstan/model";
import { keyText } from "../api.ts";
import type { AnyKind } from "../api.ts";
import { OWNER_LABEL } from "../cache/owner-label.ts";
import { OWNER_ANNOTATION } from "../trigger/event-handler.ts";

/** An owner and its kind. */
export interface Owner {
  readonly kind: AnyKind;
  readonly object: StoredObject;
}

/**
 * Whether the garbage collector would follow an owner reference: within the owner's namespace, or from anywhere to a cluster-scoped
 * owner.
 */
export function canReference(owner: Owner, child: { readonly kind: AnyKind; readonly namespace: string }): boolean {
  if (owner.kind.scope === "Cluster") return true;
  return child.kind.scope === "Namespaced" && child.namespace === owner.object.metadata.namespace;
}

/** The controller owner reference from a child to its owner. */
export function referenceTo({ kind, object }: Owner): OwnerReference {
  const { name, uid } = object.metadata;
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** The metadata of a child, with the mark of its owner. */
export function markOwned(metadata: ObjectMeta, owner: Owner, byReference: boolean): ObjectMeta {
  if (byReference) return { ...metadata, ownerReferences: [...(metadata.ownerReferences ?? []), referenceTo(owner)] };
  return {
    ...metadata,
    labels: { ...metadata.labels, [OWNER_LABEL]: owner.object.metadata.uid },
    annotations: { ...metadata.annotations, [OWNER_ANNOTATION]: noteOf(owner) },
  };
}

/** The annotation value on a child that cannot reference its owner. */
export function noteOf(owner: Owner): string {
  return `${prefixOf(owner)}${keyText(owner.object)}`;
}

function prefixOf({ kind }: Owner): string {
  return `${kind.kind}.${kind.group}/`;
}

/** The uid of an owner; `gone`: the owner does not exist; `hidden`: RBAC forbids the read, so the owner may exist. */
export type OwnerUid = { readonly uid: string } | "gone" | "hidden";

/** Another owner of the same kind, if the label and annotation of the child name one. An owner that does not exist does not count. */
export async function otherOwnerOf(
  { metadata }: StoredObject,
  owner: Owner,
  uidAt: (key: string) => Promise<OwnerUid>,
): Promise<string | undefined> {
  const label = metadata.labels?.[OWNER_LABEL];
  const prefix = prefixOf(owner);
  const note = metadata.annotations?.[OWNER_ANNOTATION];
  if (label === undefined || label === owner.object.metadata.uid || note?.startsWith(prefix) !== true) return undefined;
  const key = note.slice(prefix.length);
  const found = note === noteOf(owner) ? "gone" : await uidAt(key);
  const isThere = found === "hidden" || (found !== "gone" && found.uid === label);
  return isThere ? `${owner.kind.kind} ${key}` : undefined;
}
