/** Restores the metadata in subresources that must not change it. */
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

/** Copies the metadata of the stored object to a draft. */
export function keepMetadata<T extends KubeObject>(draft: Draft<T>, old: T): void {
  const metadata = draft.metadata as Record<string, unknown>;
  for (const field of keptFields) {
    if (old.metadata[field] === undefined) delete metadata[field];
    else metadata[field] = cloneJson(old.metadata[field]);
  }
}
