/** Other controllers of one operator that reconcile the same objects: which children are theirs, and which were in earlier versions. */
import type { AnyKind } from "../api.ts";
import type { Caches } from "../cache/caches.ts";
import { OWNER_LABEL } from "../cache/owner-label.ts";
import type { UncachedChildren } from "./uncached.ts";

/** Another controller of the same objects. */
export interface Sibling {
  /** Its field managers, including previous names. */
  readonly managers: readonly string[];
  readonly owns: readonly AnyKind[];
  /** Its finalizers. */
  readonly finalizers: readonly string[];
  readonly uncached: Pick<UncachedChildren, "of">;
}

/** Whether two kinds are the same resource, possibly in different versions. */
export function isSameResource(one: AnyKind, other: AnyKind): boolean {
  return one.group === other.group && one.plural === other.plural;
}

/**
 * The field managers of siblings that do not own a kind: they applied such children in an earlier version, and the controller that owns
 * the kind now has taken them over.
 */
export function managersWithout(kind: AnyKind, siblings: readonly Sibling[]): readonly string[] {
  return siblings
    .filter(({ owns }) => !owns.some((owned) => isSameResource(owned, kind)))
    .flatMap(({ managers }) => managers);
}

/** Whether siblings have, or may have, children that the garbage collector would leave behind. */
export function haveFarChildren(siblings: readonly Sibling[], owner: string, caches: Caches): boolean {
  const isFar = (kind: AnyKind): boolean => {
    const informer = caches.peek(kind);
    return informer?.isSynced !== true || informer.find({ labels: { [OWNER_LABEL]: owner } }).length > 0;
  };
  return siblings.some(
    ({ owns, uncached }) =>
      owns.some(isFar) || uncached.of(owner).some(({ child }) => child.metadata.labels?.[OWNER_LABEL] !== undefined),
  );
}
