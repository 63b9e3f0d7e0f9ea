/** Pod subresources that change one part of a pod keep most of its metadata. */
import type { Pod } from "@capstan/kinds/v1";
import { cloneJson } from "@capstan/model";
import type { Draft } from "../draft.ts";

const kept = ["deletionTimestamp", "annotations", "finalizers", "labels", "ownerReferences", "selfLink"] as const;

/** Restores labels, annotations, finalizers and owner references. */
export function keepPodMetadata({ metadata }: Draft<Pod>, { metadata: old }: Pod): void {
  const target = metadata as Record<string, unknown>;
  for (const field of kept) {
    if (old[field] === undefined) delete target[field];
    else target[field] = cloneJson(old[field]);
  }
}
