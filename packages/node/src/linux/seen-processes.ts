/** Whose processes the containers of a pod see. Pure. */
import type { BoundPod } from "../pod/containers.ts";
import type { Rights } from "./keeper-link.ts";

/** Each its own, all those of their pod, or all those of their node. */
export type SeenProcesses = "own" | "of the pod" | "of the node";

/**
 * Among the processes of the node are launchers that see the files of the node and have no rights by which they could be told from a pod's
 * own; where root of the node is root of the machine, no pod is shown them.
 */
export function seenProcesses({ spec }: Pick<BoundPod, "spec">, rights: Rights): SeenProcesses {
  if (spec.hostPID === true) return rights === "root" ? "of the pod" : "of the node";
  return spec.shareProcessNamespace === true ? "of the pod" : "own";
}
