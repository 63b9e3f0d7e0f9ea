/** Who controls an object, and the reference that says so. */
import { apiVersionOf } from "@capstan/model";
import type { Kind, ObjectMeta, OwnerReference, StoredObject } from "@capstan/model";

/** The reference to the one owner that controls an object, if there is one. */
export function controllerOf({ metadata }: { readonly metadata: ObjectMeta }): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** The reference by which an object says that it is controlled by another. */
export function controllerReference(kind: Kind<StoredObject>, { metadata }: StoredObject): OwnerReference {
  return {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    name: metadata.name,
    uid: metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}
