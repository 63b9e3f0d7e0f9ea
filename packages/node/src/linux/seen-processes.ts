/** Whose processes the containers of a pod see. Pure. */
import type { BoundPod } from "../pod/containers.ts";

/** Each its own, or all those of their pod. */
export type SeenProcesses = "own" | "of the pod";

/**
 * Among the processes of the node are launchers that see the files of the node and have no rights by which they could be told from a pod's
 * own, and what the cluster's process writes lies there: no pod is shown them, also one that asks for all processes of its node.
 */
export function seenProcesses({ spec }: Pick<BoundPod, "spec">): SeenProcesses {
  return spec.hostPID === true || spec.shareProcessNamespace === true ? "of the pod" : "own";
}
