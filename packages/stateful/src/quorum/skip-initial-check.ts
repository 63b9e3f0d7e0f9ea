/**
 * Members that are needed for a comparison but cannot start. The application compares a member's data with the others before it serves, and exits on
 * a difference, so one running member with bad data can stop all good ones from starting.
 */
import type { Action } from "./contract.ts";
import type { Member } from "./view.ts";

/** Lets the next crash-looping member with data skip the check. The others stay as they are. */
export function skipInitialCheck(among: readonly Member[], why: string): Action | undefined {
  const witness = among.find(isBlockedByCheck);
  if (witness?.pod === undefined) return undefined;
  const { name } = witness;
  // An older operator created the pod and it cannot be changed. The recreated pod can skip the check.
  return witness.pod.initialCheck === "fixed"
    ? { do: "delete-pod", member: name, why }
    : { do: "excuse", member: name, why };
}

/** The member has started before, does not run now, and its data is not known to be lost. */
function isBlockedByCheck({ isStarted, pod, talk, volume, ruin }: Member): boolean {
  if (!isStarted || talk !== undefined || ruin !== undefined || volume?.state !== "bound") return false;
  if (pod === undefined || pod.state === "stopping" || pod.isNodeLost) return false;
  return pod.isContainerDown && pod.restarts > 0 && pod.initialCheck !== "off";
}
