/** Doors that leave the metadata as it is, but for what nobody would change through them. */
import { cloneJson, type KubeObject } from "@capstan/model";
import type { Draft } from "../draft.ts";

const keptFields = [
  "deletionTimestamp",
  "generation",
  "selfLink",
  "labels",
  "annotations",
  "finalizers",
  "ownerReferences",
] as const satisfies readonly (keyof KubeObject["metadata"])[];

/** Gives a draft the metadata of the stored object. */
export function keepMetadata<T extends KubeObject>(draft: Draft<T>, old: T): void {
  const metadata = draft.metadata as Record<string, unknown>;
  for (const field of keptFields) {
    if (old.metadata[field] === undefined) delete metadata[field];
    else metadata[field] = cloneJson(old.metadata[field]);
  }
}
