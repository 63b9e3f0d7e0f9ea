/** Decides on one step for a cluster with a primary and replicas. Pure: the rules stand in the order of their precedence. */
import type { Action } from "../cluster/action.ts";
import type { Observation, Rules } from "../cluster/observation.ts";
import { keepAccounts, renewLogin } from "./accounts.ts";
import { decideFailover, suspectPrimary } from "./failover.ts";
import { decideHibernation } from "./hibernate.ts";
import { first, keepPods, replaceLostMembers } from "./members.ts";
import { keepReplicas, restorePrimary } from "./replication.ts";
import { decideRestore } from "./restore.ts";
import { scale } from "./scale.ts";
import { applySettings, refuseSpec } from "./settings.ts";
import { decideSwitchover, requestedSwitchover } from "./switchover.ts";
import { updateMembers } from "./update.ts";
import { growVolumes } from "./volumes.ts";
import { viewOf } from "./view.ts";
import type { View } from "./view.ts";

/** The next step. */
export function decide<P>(seen: Observation<P>, rules: Rules<P>): Action {
  const view = viewOf(seen);
  const order: readonly (() => Action | undefined)[] = [
    () => refuseToAct(seen),
    () => createCluster(seen),
    () => growVolumes(view),
    () => decideRestore(view),
    () => decideHibernation(view),
    () => decideFailover(view, rules),
    () => decideSwitchover(view, rules),
    () => suspectPrimary(view),
    () => keepPods(view),
    () => restorePrimary(view, rules),
    () => keepReplicas(view, rules),
    () => keepAccounts(view),
    () => renewLogin(view, rules),
    () => replaceLostMembers(view),
    () => requestedSwitchover(view, rules),
    () => scale(view, rules),
    () => applySettings(view),
    () => updateMembers(view, rules),
    () => refuseSpec(view),
  ];
  return first(order, (rule) => rule()) ?? settle(view);
}

/** The operator does not touch a paused cluster, nor objects of another owner. */
function refuseToAct<P>({ desired, foreign, missing }: Observation<P>): Action | undefined {
  if (desired.isPaused)
    return { do: "refuse", reason: "Paused", why: "spec.paused is set: set it to false to continue" };
  if (foreign.length > 0) {
    const why = `${foreign.join(", ")} exist and belong to another owner: rename the cluster or remove them`;
    return { do: "refuse", reason: "NameTaken", why };
  }
  if (missing.length === 0) return undefined;
  return { do: "refuse", reason: "Missing", why: `${missing.join(", ")} do not exist: create them` };
}

function createCluster<P>({ recorded, name, desired }: Observation<P>): Action | undefined {
  if (recorded.primary !== undefined) return undefined;
  if (desired.size === 0) return { do: "rest" };
  return { do: "record-creation", member: `${name}-${recorded.nextSerial}` };
}

function settle<P>({ members }: View<P>): Action {
  const waiting = members.find(({ pod }) => pod?.isReady !== true);
  return waiting === undefined ? { do: "rest" } : { do: "wait", for: `${waiting.name} to become ready` };
}
