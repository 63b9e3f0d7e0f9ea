/** Doors that leave the metadata as it is: only what tells versions and managers apart comes through. */
import { cloneJson, type KubeObject } from "@capstan/model";
import type { Draft } from "../draft.ts";

/** Gives a draft the metadata of the stored object. */
export function keepMetadata<T extends KubeObject>(draft: Draft<T>, old: T): void {
  const { managedFields, resourceVersion } = draft.metadata as Draft<KubeObject>["metadata"];
  const kept: Draft<KubeObject>["metadata"] = cloneJson(old.metadata);
  if (resourceVersion !== undefined) kept.resourceVersion = resourceVersion;
  if (managedFields !== undefined) kept.managedFields = managedFields;
  Reflect.set(draft, "metadata", kept);
}
