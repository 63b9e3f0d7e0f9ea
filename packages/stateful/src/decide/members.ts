/** Pods and volumes of recorded members: created, recreated with their data, replaced when the data is lost. */
import type { Action } from "../cluster/action.ts";
import type { StartRole } from "../cluster/observation.ts";
import { isServing, isWitness } from "./view.ts";
import type { Member, View } from "./view.ts";

/** Creates missing volumes and pods of members that are not on their way out. */
export function keepPods<P>(view: View<P>): Action | undefined {
  return first(view.members, (member) => keepPod(view, member));
}

/** The pod of one member. */
export function keepPod<P>(view: View<P>, member: Member<P>): Action | undefined {
  const { name, pod, volume, recorded } = member;
  if (recorded.state === "Leaving" || isDataLost(view, member)) return undefined;
  if (pod?.state === "ended") return { do: "delete-pod", member: name, why: "its pod has ended", isKilled: false };
  if (pod !== undefined) return becomeRunning(view, member);
  if (volume === undefined) return { do: "create-volume", member: name };
  if (volume.state === "stopping" || volume.state === "lost") return undefined;
  const role: StartRole = member.isPrimary ? "primary" : "replica";
  const boot = bootOf(view, member);
  const donors = boot === "clone" ? donorsOf(view) : [];
  if (boot === "clone" && donors.length === 0) return undefined;
  return { do: "create-pod", member: name, boot, role, donors };
}

/** A member that has its data must not create or clone any again. */
function becomeRunning<P>({ seen }: View<P>, member: Member<P>): Action | undefined {
  const { name, pod, isOurs, isPrimary } = member;
  if (
    pod?.boot === "create" &&
    !isOurs &&
    !seen.recorded.isCreated &&
    pod.state !== "stopping" &&
    pod.seed !== seen.desired.seed
  ) {
    return { do: "delete-pod", member: name, why: "spec.bootstrap changed", isKilled: false };
  }
  if (pod?.state !== "running" || pod.boot === "run" || !isOurs) return undefined;
  if (isPrimary && !seen.recorded.isCreated) return { do: "record-created" };
  return { do: "set-run", member: name, role: pod.startRole };
}

function bootOf<P>({ seen }: View<P>, { recorded, isPrimary }: Member<P>) {
  if (recorded.state === "Joining") return "clone";
  return isPrimary && !seen.recorded.isCreated ? "create" : "run";
}

/** Members to clone from: replicas in sync first, so that the primary keeps its speed; then the primary. */
export function donorsOf<P>({ followers, primary }: View<P>): readonly string[] {
  const replicas = followers.filter((member) => isServing(member) && isWitness(member)).map(({ name }) => name);
  return primary !== undefined && isServing(primary) ? [...replicas, primary.name] : [];
}

/** The data of a member that had some is gone. */
export function isDataLost<P>({ seen }: View<P>, { recorded, isPrimary, volume, pod }: Member<P>): boolean {
  const hadData = recorded.state !== "Joining" && (!isPrimary || seen.recorded.isCreated);
  if (!hadData) return false;
  return volume === undefined || volume.state === "lost" || volume.state === "stopping" || pod?.hasNoData === true;
}

/** A follower without its data leaves; scaling adds a new member with another name. */
export function replaceLostMembers<P>(view: View<P>): Action | undefined {
  return first(view.followers, (member) => {
    if (member.recorded.state === "Leaving" || !isDataLost(view, member)) return undefined;
    return { do: "mark-leaving", member: member.name, why: "its data is lost" };
  });
}

/** The first action that a rule asks for. */
export function first<T>(items: readonly T[], rule: (item: T) => Action | undefined): Action | undefined {
  for (const item of items) {
    const action = rule(item);
    if (action !== undefined) return action;
  }
  return undefined;
}
