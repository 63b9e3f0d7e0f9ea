/** The decision: one step from everything that was seen. Read it from top to bottom; the first rule that fits is taken. */
import type { Action, Decide, Observation } from "../contract.ts";
import { decideBirth } from "./birth.ts";
import { bringBack, decideWithoutQuorum } from "./quorum-loss.ts";
import {
  changeSize,
  cleanUp,
  disarmAlarms,
  growVolumes,
  nurseLearner,
  removeRuins,
  startPods,
  waitForTheIll,
  weanSeed,
} from "./members.ts";
import { decideRecovery, isRecovering } from "./recovery.ts";
import { advanceLog, giveUpUpdate, replanUpdate, rollUpdate } from "./update.ts";
import { viewOf } from "./view.ts";
import type { View } from "./view.ts";

/** A rule: what it wants to be done, if anything. */
export type Rule = (view: View) => Action | undefined;

/** Rules while the members have quorum, the most urgent first. */
const WITH_QUORUM: readonly Rule[] = [
  disarmAlarms,
  cleanUp,
  growVolumes,
  replanUpdate,
  giveUpUpdate,
  weanSeed,
  startPods,
  removeRuins,
  nurseLearner,
  waitForTheIll,
  advanceLog,
  changeSize,
  rollUpdate,
];

/** Rules while they have none, or none that we can see. */
const WITHOUT_QUORUM: readonly Rule[] = [growVolumes, replanUpdate, giveUpUpdate, bringBack, decideWithoutQuorum];

export const decide: Decide = (seen) => {
  const action = firstRule(seen);
  const isBlocked = action.do === "create-pod" && seen.missing.length > 0;
  return isBlocked ? { do: "wait", for: seen.missing.join(", ") } : action;
};

function firstRule(seen: Observation): Action {
  const { wanted, known } = seen;
  if (wanted.isPaused) return { do: "refuse", reason: "Paused", why: "spec.paused is set" };
  if (seen.foreign.length > 0) return { do: "refuse", reason: "NameTaken", why: takenSentence(seen.foreign) };
  if (known.recovery !== undefined && isRecovering(known.recovery)) return decideRecovery(seen, known.recovery);
  if (seen.restore !== undefined && known.recovery?.restore !== seen.restore.uid) return putBack(seen.restore);
  if (wanted.size === 0) return hibernate(seen);
  if (known.clusterId === undefined) return decideBirth(seen);
  const { membership } = seen;
  if (membership.by === "quorum" && membership.clusterId !== known.clusterId)
    return refuseStranger(membership.clusterId);
  const view = viewOf(seen);
  for (const rule of view.hasQuorum ? WITH_QUORUM : WITHOUT_QUORUM) {
    const action = rule(view);
    if (action !== undefined) return action;
  }
  return { do: "rest" };
}

/** A restore in place is a recovery that somebody asked for. */
function putBack({ uid, name }: NonNullable<Observation["restore"]>): Action {
  const reason = `${name} asks for a backup in the place of all data`;
  const recovery = {
    phase: "Stopping",
    source: "Backup",
    restore: uid,
    mayBeLost: "everything written since the backup",
    reason,
  } as const;
  return { do: "note-recovery", recovery };
}

function takenSentence(foreign: readonly string[]): string {
  return `${foreign.join(", ")} exist and belong to somebody else: rename the cluster or remove them`;
}

function refuseStranger(clusterId: string): Action {
  const why = `the members serve the cluster ${clusterId}, which is not the one that this operator made: their volumes were exchanged`;
  return { do: "refuse", reason: "DataDiffers", why };
}

/** Followers first, so that the last to go is the last to have written. */
function hibernate(seen: Observation): Action {
  const { members } = viewOf(seen);
  const leader = members.find(({ isLeader }) => isLeader)?.name;
  const running = seen.pods.filter(({ state }) => state !== "stopping");
  const next = running.find(({ member }) => member !== leader) ?? running[0];
  if (next !== undefined) return { do: "delete-pod", member: next.member, why: "the cluster goes to sleep" };
  return seen.pods.length > 0 ? { do: "wait", for: "the last members to stop" } : { do: "rest" };
}
