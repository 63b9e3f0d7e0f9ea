/** Rolling updates: the replicas one at a time, each in sync again before the next; then a switchover, and the old primary last. */
import type { Action } from "../cluster/action.ts";
import type { Rules } from "../cluster/observation.ts";
import { replicasInSync } from "./switchover.ts";
import type { Member, View } from "./view.ts";

/** Recreates one pod whose template is old. An update that does not end in its window continues in the next. */
export function updateMembers<P>(view: View<P>, rules: Rules<P>): Action | undefined {
  const { members, primary, seen } = view;
  const isOld = ({ pod }: Member<P>): boolean => pod !== undefined && pod.templateHash !== seen.desired.templateHash;
  const old = members.filter(isOld);
  if (old.length === 0) return undefined;
  // A pod that does not start is replaced at once: the newest spec counts.
  const broken = old.find(({ pod, isPrimary }) => !isPrimary && pod?.isReady !== true && pod?.failure !== undefined);
  if (broken !== undefined) return restart(broken, "its pod does not start");
  if (!seen.desired.maintenance.isOpen) return undefined;
  const unhealthy = members.find((member) => !isHealthy(view, rules, member));
  if (unhealthy !== undefined) return { do: "wait", for: `${unhealthy.name} to be in sync before the next update` };
  const replica = old.find(({ isPrimary }) => !isPrimary);
  if (replica !== undefined) return restart(replica, "its template changed");
  return handOver(view, rules) ?? (primary && restart(primary, "its template changed"));
}

/** Begins a switchover, unless no replica is in sync; waits if the switchover to the best replica failed for this spec. */
function handOver<P>(view: View<P>, rules: Rules<P>): Action | undefined {
  const [best] = replicasInSync(view, rules);
  const { failedSwitchover } = view.seen.recorded;
  if (best === undefined) return undefined;
  if (failedSwitchover?.to === best.name && failedSwitchover.generation === view.seen.desired.generation) {
    return { do: "wait", for: `a switchover to ${best.name}, which failed: ${failedSwitchover.why}` };
  }
  return { do: "begin-switchover", to: best.name, why: "the primary is updated last" };
}

function restart<P>({ name }: Member<P>, why: string): Action {
  return { do: "delete-pod", member: name, why, isKilled: false };
}

function isHealthy<P>(view: View<P>, rules: Rules<P>, member: Member<P>): boolean {
  if (member.isPrimary) return member.pod?.isReady === true && member.report?.acceptsWrites === true;
  return replicasInSync(view, rules).some(({ name }) => name === member.name);
}
