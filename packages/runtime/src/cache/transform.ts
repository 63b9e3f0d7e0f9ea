/** Guards the user's transform, which changes objects before they are cached: whatever it does, no event is lost. */
import type { StoredObject } from "@capstan/model";
import { RuntimeError } from "../errors.ts";
import type { UserCalls } from "./indexes.ts";

/** Changes an object before it is cached. */
export type Transform = (object: StoredObject) => StoredObject;

/**
 * A transform that cannot lose objects. An object for which it fails is cached unchanged: an object that is too large costs memory, a
 * missing one would cost its children.
 */
export function guarded(transform: Transform, calls: UserCalls | undefined): Transform {
  return (object) => {
    const { name, namespace, uid, resourceVersion, managedFields } = object.metadata;
    try {
      const made: StoredObject | undefined = transform(object);
      const { metadata } = made ?? {};
      if (metadata?.name !== name || metadata.namespace !== namespace) throw otherObject();
      if (metadata.uid !== uid || metadata.resourceVersion !== resourceVersion) throw otherObject();
      calls?.succeeded("transform", made);
      // Ownership is known from managed fields alone, so the transform must not remove ours; those of others are dropped anyway.
      if (managedFields === undefined || metadata.managedFields === managedFields) return made;
      return { ...made, metadata: { ...metadata, managedFields } };
    } catch (error) {
      // The transform may have begun to mutate its argument.
      const identity = { name, uid, resourceVersion, ...(namespace === undefined ? {} : { namespace }) };
      const original = { ...object, metadata: { ...object.metadata, ...identity } };
      calls?.failed("transform", original, error);
      return original;
    }
  };
}

function otherObject(): RuntimeError {
  return new RuntimeError(
    "BadOutcome",
    "Cannot cache what the transform returned: return the object with the name, namespace, uid and resourceVersion that it had.",
  );
}
