/** A recovery under way: stop everybody, go on with one, and let it serve alone before others may join. */
import type { Action, KnownRecovery, Observation } from "../contract.ts";
import { freshName, viewOf } from "./view.ts";
import { versionFor } from "./target.ts";

/** Whether a recovery was begun and is not over. */
export function isRecovering(recovery: KnownRecovery | undefined): boolean {
  return recovery !== undefined && recovery.phase !== "Done" && recovery.phase !== "Refused";
}

export function decideRecovery(seen: Observation, recovery: KnownRecovery): Action {
  switch (recovery.phase) {
    case "Stopping":
      return stop(seen, recovery);
    case "Seeding":
      return recovery.source === "Backup" ? seedFromBackup(seen, recovery) : survive(seen, recovery);
    case "Rejoining":
      return settle(seen, recovery);
    case "Done":
    case "Refused":
      return { do: "rest" };
  }
}

/** Nobody may run while one goes on alone: the others would be a second cluster of the same name. */
function stop(seen: Observation, recovery: KnownRecovery): Action {
  const running = seen.pods.find(({ state }) => state !== "stopping");
  if (running !== undefined) {
    return { do: "delete-pod", member: running.member, why: "the cluster is recovered from what is left" };
  }
  if (seen.pods.length > 0) return { do: "wait", for: `${seen.pods.map(({ member }) => member).join(", ")} to stop` };
  const next = { ...recovery, phase: "Seeding", reason: "everybody has stopped" } as const;
  return { do: "note-recovery", recovery: next };
}

function survive(seen: Observation, recovery: KnownRecovery): Action {
  const { member = "" } = recovery;
  const pod = seen.pods.find((one) => one.member === member);
  const volume = seen.volumes.find((one) => one.member === member);
  if (volume === undefined) {
    return {
      do: "refuse",
      reason: "QuorumLost",
      why: `the volume of ${member}, which was to be recovered from, is gone`,
    };
  }
  if (pod === undefined)
    return { do: "create-pod", member, boot: "survive", version: versionFor(viewOf(seen), member) };
  if (!isAlone(seen, member)) return { do: "wait", for: `${member} to serve alone` };
  return { do: "note-recovery", recovery: { ...recovery, phase: "Rejoining", reason: `${member} serves alone` } };
}

function seedFromBackup(seen: Observation, recovery: KnownRecovery): Action {
  const member = recovery.member ?? freshName(viewOf(seen));
  if (recovery.member === undefined) {
    return { do: "note-recovery", recovery: { ...recovery, member, reason: `${member} begins with the backup` } };
  }
  if (!seen.volumes.some((one) => one.member === member)) return { do: "create-volume", member };
  const version = versionFor(viewOf(seen), member);
  if (!seen.pods.some((one) => one.member === member))
    return { do: "create-pod", member, boot: "seed-backup", version };
  if (!isAlone(seen, member)) return { do: "wait", for: `${member} to serve the backup` };
  return { do: "note-recovery", recovery: { ...recovery, phase: "Rejoining", reason: `${member} serves the backup` } };
}

/** A pod that would throw others out when it restarts must be gone before others come. */
function settle(seen: Observation, recovery: KnownRecovery): Action {
  const { member = "" } = recovery;
  const pod = seen.pods.find((one) => one.member === member);
  if (pod !== undefined && pod.boot !== "live" && pod.state !== "stopping") {
    return { do: "delete-pod", member, why: "it is one of many again" };
  }
  if (pod === undefined) return { do: "create-pod", member, boot: "live", version: versionFor(viewOf(seen), member) };
  if (pod.boot !== "live" || !isAlone(seen, member)) return { do: "wait", for: `${member} to serve as one of many` };
  return { do: "note-recovery", recovery: { ...recovery, phase: "Done", reason: `${member} serves; others may join` } };
}

function isAlone({ membership, answers }: Observation, member: string): boolean {
  if (membership.by !== "quorum" || answers[member]?.is !== "talking") return false;
  return membership.members.every((one) => one.member === member);
}
