/** Doors that change one part of a pod leave most of its metadata as it is. */
import type { Pod } from "@capstan/kinds/v1";
import { cloneJson } from "@capstan/model";
import type { Draft } from "../draft.ts";

const kept = ["deletionTimestamp", "annotations", "finalizers", "labels", "ownerReferences", "selfLink"] as const;

/** Gives labels, annotations, finalizers and owners back. */
export function keepPodMetadata({ metadata }: Draft<Pod>, { metadata: old }: Pod): void {
  const target = metadata as Record<string, unknown>;
  for (const field of kept) {
    if (old[field] === undefined) delete target[field];
    else target[field] = cloneJson(old[field]);
  }
}
