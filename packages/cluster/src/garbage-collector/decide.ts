/** What the garbage collector does with an object, given the state of its owners. Pure. */
import type { OwnerReference } from "@capstan/model";
import { isDeletingDependents, blocksOwnerDeletion, FOREGROUND, isOrphaningDependents, ORPHAN } from "./graph.ts";
import type { Node } from "./graph.ts";

/** The state of an owner: it exists, it is gone, or it waits for the deletion of its dependents. */
export type OwnerState = "solid" | "dangling" | "waiting";

/** What to do with an object. */
export type Action =
  | { readonly do: "nothing" }
  /** Remove the references of its dependents, then its orphan finalizer. */
  | { readonly do: "orphan"; readonly dependents: readonly Node[] }
  /** Remove its foreground finalizer. */
  | { readonly do: "release" }
  /** It waits: enqueue the dependents that block it. */
  | { readonly do: "await"; readonly dependents: readonly Node[] }
  /** Remove the references to owners that are gone or waiting; another owner remains. */
  | { readonly do: "unlink"; readonly owners: readonly string[] }
  /** `unblock` first removes `blockOwnerDeletion`: the object is in a cycle with one of its owners. */
  | { readonly do: "delete"; readonly policy: "Foreground" | "Background" | "Orphan"; readonly unblock: boolean };

/** An object with its owners and dependents. */
export interface Observed {
  readonly node: Node;
  readonly dependents: readonly Node[];
  readonly owners: readonly { readonly reference: OwnerReference; readonly state: OwnerState }[];
}

/** Decides the next action. */
export function decide({ node, dependents, owners }: Observed): Action {
  if (isOrphaningDependents(node)) return { do: "orphan", dependents };
  if (isDeletingDependents(node)) {
    const blocking = dependents.filter((one) => blocksOwnerDeletion(one, node));
    // Dependents that are already being deleted are not enqueued again: objects that own each other would loop forever.
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

/** A waiting owner requires foreground deletion; otherwise the object's own finalizers decide. */
function policyFor(
  { finalizers }: Node,
  owners: Observed["owners"],
  dependents: readonly Node[],
): "Foreground" | "Background" | "Orphan" {
  if (owners.some(({ state }) => state === "waiting") && dependents.length > 0) return "Foreground";
  if (finalizers.includes(ORPHAN)) return "Orphan";
  return finalizers.includes(FOREGROUND) ? "Foreground" : "Background";
}
