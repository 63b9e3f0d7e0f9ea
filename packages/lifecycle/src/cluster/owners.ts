/** Owner references and owner labels: which object belongs to which ClusterServiceVersion, OperatorGroup or CatalogSource. */
import type { KubeObject, ObjectMeta, OwnerReference, StoredObject } from "@capstan/model";

/** The label of every object that the manager creates. */
export const managedLabel: { readonly [key: string]: string } = { "olm.managed": "true" };

/** An object that owns others. */
export type Owner = Pick<StoredObject, "apiVersion" | "kind"> & {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid: string };
};

/** A reference that neither blocks the deletion of the owner nor claims control. */
export function nonBlockingOwner({ apiVersion, kind, metadata }: Owner): OwnerReference {
  const { name, uid } = metadata;
  return { apiVersion, kind, name, uid, blockOwnerDeletion: false, controller: false };
}

/** The labels that say the owner of an object that cannot have an owner reference. */
export function ownerLabels(owner: Pick<Owner, "kind" | "metadata">): { readonly [key: string]: string } {
  const { name, namespace = "" } = owner.metadata;
  return { "olm.owner": name, "olm.owner.namespace": namespace, "olm.owner.kind": owner.kind };
}

/** The selector of the objects with the labels of an owner. */
export function ownerSelector(owner: Pick<Owner, "kind" | "metadata">): string {
  return Object.entries(ownerLabels(owner))
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
}

/** Whether an object has an owner reference to another. */
export function isOwnedBy({ metadata }: Pick<KubeObject, "metadata">, owner: Owner): boolean {
  return metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid) === true;
}

/** Whether the owner labels of an object name an owner. */
export function hasOwnerLabels(
  { metadata }: Pick<KubeObject, "metadata">,
  owner: Pick<Owner, "kind" | "metadata">,
): boolean {
  return Object.entries(ownerLabels(owner)).every(([key, value]) => metadata.labels?.[key] === value);
}

/** The references of a kind. */
export function ownersOfKind({ ownerReferences = [] }: ObjectMeta, kind: string): readonly OwnerReference[] {
  return ownerReferences.filter((reference) => reference.kind === kind);
}

/** The references with another one, once. */
export function withOwner(
  references: readonly OwnerReference[] | undefined,
  owner: OwnerReference,
): readonly OwnerReference[] {
  const known = references ?? [];
  const isKnown = known.some(({ kind, name, uid }) => kind === owner.kind && name === owner.name && uid === owner.uid);
  return isKnown ? known : [...known, owner];
}
