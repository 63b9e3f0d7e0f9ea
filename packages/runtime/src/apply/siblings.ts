/** Other controllers of one operator that work on the same objects: whose children they are, and which were theirs in earlier versions. */
import type { AnyKind } from "../api.ts";
import type { Caches } from "../cache/caches.ts";
import { OWNER_LABEL } from "../owner-label.ts";
import type { Strays } from "./strays.ts";

/** Another controller of the same objects. */
export interface Sibling {
  /** Its field owners, also under earlier names. */
  readonly managers: readonly string[];
  readonly owns: readonly AnyKind[];
  /** What it holds objects by. */
  readonly finalizers: readonly string[];
  readonly strays: Pick<Strays, "of">;
}

/** Whether two kinds have the same objects, be it in different versions. */
export function isSameResource(one: AnyKind, other: AnyKind): boolean {
  return one.group === other.group && one.plural === other.plural;
}

/**
 * The field owners of those who do not own a kind: what they have of it they applied in an earlier version, and whoever owns it now has
 * taken it over.
 */
export function managersWithout(kind: AnyKind, siblings: readonly Sibling[]): readonly string[] {
  return siblings
    .filter(({ owns }) => !owns.some((owned) => isSameResource(owned, kind)))
    .flatMap(({ managers }) => managers);
}

/** Whether there are, or may be, children of theirs that the garbage collector would leave. */
export function haveFarChildren(siblings: readonly Sibling[], owner: string, caches: Caches): boolean {
  const isFar = (kind: AnyKind): boolean => {
    const view = caches.peek(kind);
    return view?.isSynced !== true || view.find({ labels: { [OWNER_LABEL]: owner } }).length > 0;
  };
  return siblings.some(
    ({ owns, strays }) =>
      owns.some(isFar) || strays.of(owner).some(({ child }) => child.metadata.labels?.[OWNER_LABEL] !== undefined),
  );
}
