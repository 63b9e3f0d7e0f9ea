/** What becomes of an object, given what its owners are doing. Pure. */
import type { OwnerReference } from "@capstan/model";
import { awaitsDependents, blocks, FOREGROUND, leavesDependents, ORPHAN } from "./graph.ts";
import type { Node } from "./graph.ts";

/** What an owner is doing: it is there, it is gone, or it waits for this object to go. */
export type OwnerState = "solid" | "absent" | "waiting";

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
export interface Seen {
  readonly node: Node;
  readonly dependents: readonly Node[];
  readonly owners: readonly { readonly reference: OwnerReference; readonly state: OwnerState }[];
}

/** Decides. */
export function decide({ node, dependents, owners }: Seen): Action {
  if (leavesDependents(node)) return { do: "orphan", dependents };
  if (awaitsDependents(node)) {
    const holding = dependents.filter((one) => blocks(one, node));
    // Those that leave already need no push; pushing them again would never end where objects own each other in a circle.
    return holding.length === 0
      ? { do: "release" }
      : { do: "await", dependents: holding.filter((one) => !one.isLeaving) };
  }
  if (node.isLeaving || owners.length === 0) return { do: "nothing" };
  const lost = owners.filter(({ state }) => state !== "solid");
  if (lost.length === 0) return { do: "nothing" };
  if (lost.length < owners.length) return { do: "unlink", owners: lost.map(({ reference }) => reference.uid) };
  const isWaitedFor = owners.some(({ state }) => state === "waiting");
  return {
    do: "delete",
    policy: policyFor(node, owners, dependents),
    unblock: isWaitedFor && dependents.some(awaitsDependents),
  };
}

/** An owner that waits hands its patience down; otherwise the object's own wish counts. */
function policyFor(
  { finalizers }: Node,
  owners: Seen["owners"],
  dependents: readonly Node[],
): "Foreground" | "Background" | "Orphan" {
  if (owners.some(({ state }) => state === "waiting") && dependents.length > 0) return "Foreground";
  if (finalizers.includes(ORPHAN)) return "Orphan";
  return finalizers.includes(FOREGROUND) ? "Foreground" : "Background";
}
