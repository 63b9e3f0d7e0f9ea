/** What becomes of an object, given what its owners are doing. Pure. */
import type { OwnerReference } from "@capstan/model";
import { isDeletingDependents, blocksOwnerDeletion, FOREGROUND, isOrphaningDependents, ORPHAN } from "./graph.ts";
import type { Node } from "./graph.ts";

/** What an owner is doing: it is there, it is gone, or it waits for this object to go. */
export type OwnerState = "solid" | "dangling" | "waiting";

/** What is to be done about an object. */
export type Action =
  | { readonly do: "nothing" }
  /** Its dependents lose their reference to it, then it loses the finalizer. */
  | { readonly do: "orphan"; readonly dependents: readonly Node[] }
  /** It waited long enough. */
  | { readonly do: "release" }
  /** It waits: those who hold it back are looked at. */
  | { readonly do: "await"; readonly dependents: readonly Node[] }
  /** References to owners that are gone or going are taken away: others still want it. */
  | { readonly do: "unlink"; readonly owners: readonly string[] }
  /** `unblock` first stops it from holding back its owners: it is in a circle with one of them. */
  | { readonly do: "delete"; readonly policy: "Foreground" | "Background" | "Orphan"; readonly unblock: boolean };

/** An object with everything that concerns it. */
export interface Observed {
  readonly node: Node;
  readonly dependents: readonly Node[];
  readonly owners: readonly { readonly reference: OwnerReference; readonly state: OwnerState }[];
}

/** Decides. */
export function decide({ node, dependents, owners }: Observed): Action {
  if (isOrphaningDependents(node)) return { do: "orphan", dependents };
  if (isDeletingDependents(node)) {
    const blocking = dependents.filter((one) => blocksOwnerDeletion(one, node));
    // Those that leave already need no push; pushing them again would never end where objects own each other in a circle.
    return blocking.length === 0
      ? { do: "release" }
      : { do: "await", dependents: blocking.filter((one) => !one.isBeingDeleted) };
  }
  if (node.isBeingDeleted || owners.length === 0) return { do: "nothing" };
  const removable = owners.filter(({ state }) => state !== "solid");
  if (removable.length === 0) return { do: "nothing" };
  if (removable.length < owners.length)
    return { do: "unlink", owners: removable.map(({ reference }) => reference.uid) };
  const isOwnerWaiting = owners.some(({ state }) => state === "waiting");
  return {
    do: "delete",
    policy: policyFor(node, owners, dependents),
    unblock: isOwnerWaiting && dependents.some(isDeletingDependents),
  };
}

/** An owner that waits hands its patience down; otherwise the object's own wish counts. */
function policyFor(
  { finalizers }: Node,
  owners: Observed["owners"],
  dependents: readonly Node[],
): "Foreground" | "Background" | "Orphan" {
  if (owners.some(({ state }) => state === "waiting") && dependents.length > 0) return "Foreground";
  if (finalizers.includes(ORPHAN)) return "Orphan";
  return finalizers.includes(FOREGROUND) ? "Foreground" : "Background";
}
