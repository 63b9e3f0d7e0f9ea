/**
 * Members whose word is needed and who are kept from starting. etcd compares a member's data with that of the others before it serves,
 * and ends where anybody differs: one that is up with bad data keeps all from starting whose data is good.
 */
import type { Action } from "../contract.ts";
import type { Member } from "./view.ts";

/** Lets the next one start that ends again and again and has data. The others stay as they are. */
export function skipInitialCheck(among: readonly Member[], why: string): Action | undefined {
  const witness = among.find(isBlockedByCheck);
  if (witness?.pod === undefined) return undefined;
  const { name } = witness;
  // Made by an operator of before, it cannot be told: the pod that is made in its place can.
  return witness.pod.initialCheck === "fixed"
    ? { do: "delete-pod", member: name, why }
    : { do: "excuse", member: name, why };
}

/** It has run, does not run now, and nothing says that its data is gone. */
function isBlockedByCheck({ isStarted, pod, talk, volume, ruin }: Member): boolean {
  if (!isStarted || talk !== undefined || ruin !== undefined || volume?.state !== "bound") return false;
  if (pod === undefined || pod.state === "stopping" || pod.isNodeLost) return false;
  return pod.isContainerDown && pod.restarts > 0 && pod.initialCheck !== "off";
}
