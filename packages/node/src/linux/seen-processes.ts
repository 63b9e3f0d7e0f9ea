/** Which processes the containers of a pod see. Pure. */
import type { BoundPod } from "../pod/containers.ts";

/** Their own, or all processes of their pod. */
export type SeenProcesses = "own" | "of the pod";

/**
 * The processes of the node include launchers with access to the node's files, which differ from a pod's processes in no capability. No
 * pod sees them, even with `hostPID`.
 */
export function seenProcesses({ spec }: Pick<BoundPod, "spec">): SeenProcesses {
  return spec.hostPID === true || spec.shareProcessNamespace === true ? "of the pod" : "own";
}
