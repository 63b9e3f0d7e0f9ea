/** Lets a user's transform change objects before they are cached, and nothing else: whatever it does, no event is lost. */
import type { StoredObject } from "@capstan/model";
import { RuntimeError } from "../errors.ts";
import type { UserCalls } from "./indexes.ts";

/** Changes an object before it is kept. */
export type Transform = (object: StoredObject) => StoredObject;

/**
 * A transform that cannot harm. An object that it cannot change is kept as the server told it: to see more of an object than was asked for
 * costs memory, not to see one that is there would cost its children.
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
      // What is ours is known by them alone; those of others are dropped anyway.
      if (managedFields === undefined || metadata.managedFields === managedFields) return made;
      return { ...made, metadata: { ...metadata, managedFields } };
    } catch (error) {
      // It may have begun to change the object that it was given.
      const identity = { name, uid, resourceVersion, ...(namespace === undefined ? {} : { namespace }) };
      const told = { ...object, metadata: { ...object.metadata, ...identity } };
      calls?.failed("transform", told, error);
      return told;
    }
  };
}

function otherObject(): RuntimeError {
  return new RuntimeError(
    "BadOutcome",
    "Cannot cache what the transform returned: return the object with the name, namespace, uid and resourceVersion that it had.",
  );
}
