/** Controller references of objects. */
import { apiVersionOf } from "@capstan/model";
import type { Kind, ObjectMeta, OwnerReference, StoredObject } from "@capstan/model";

/** The controller reference of an object, if it has one. */
export function controllerOf({ metadata }: { readonly metadata: ObjectMeta }): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** The reference that makes an object the controller of another. */
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
