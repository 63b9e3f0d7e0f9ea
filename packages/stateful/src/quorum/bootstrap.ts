/** Starts the first member of a new cluster. */
import type { Action, Observation } from "./contract.ts";
import { newMemberName, viewOf } from "./view.ts";
import { targetVersion } from "./target-version.ts";

export function bootstrapCluster(seen: Observation): Action {
  const view = viewOf(seen);
  if (seen.membership.by === "quorum") return { do: "wait", for: "the identity of the cluster to be written down" };
  const [first, ...others] = seen.volumes.filter(({ state }) => state !== "stopping");
  if (first === undefined) return { do: "create-volume", member: newMemberName(view) };
  // Several volumes without a recorded cluster id: the status was lost, not the cluster. The members continue with their data.
  const boot = others.length > 0 ? "live" : seen.desired.bootstrapsFromBackup ? "seed-backup" : "seed";
  const homeless = [first, ...others].find(({ member }) => !seen.pods.some((pod) => pod.member === member));
  const version = targetVersion(view);
  if (homeless !== undefined) return { do: "create-pod", member: homeless.member, boot, version };
  return repairBootstrapPod(seen, version) ?? { do: "wait", for: `${first.member} to start` };
}

/** A pod that does not serve is recreated when the template changes, so that a mistake in the spec can be fixed. */
function repairBootstrapPod(seen: Observation, version: string): Action | undefined {
  const wrong = seen.pods.find(
    ({ state, isReady, templateHash: print }) =>
      state === "ended" || (state !== "stopping" && !isReady && print !== seen.desired.templateHashFor(version)),
  );
  return wrong && { do: "delete-pod", member: wrong.member, why: "it did not start and the spec has changed" };
}
