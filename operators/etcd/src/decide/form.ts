/** Another form is tried with one member; if that one does not come back in it, all go on in the last good one, as with versions. */
import type { Action, SeenPod } from "../contract.ts";
import { hasFormFailed } from "./target.ts";
import { canSpare, successorOf } from "./view.ts";
import type { Member, View } from "./view.ts";

/** The first with a new version or a new form may be ill because of it: then not the member is at fault, but what was asked for. */
export function isTrial({ seen, members }: View, { name }: Member, pod: SeenPod): boolean {
  const { update } = seen.known;
  if (pod.isNodeLost) return false;
  const isUpdated = update?.member === name && update.failed === undefined;
  const hasNewForm = (one: SeenPod): boolean => one.print === seen.wanted.printOf(one.version);
  const others = members.filter((other) => other.name !== name && other.isWell).flatMap((other) => other.pod ?? []);
  const isProven = others.some((one) => hasNewForm(one) && (!isUpdated || one.version === pod.version));
  return hasNewForm(pod) && !isProven;
}

/** A member did not come back in a new form in time, whether its process starts or not. */
export function giveUpForm(view: View): Action | undefined {
  const { wanted, good } = view.seen;
  if (!wanted.rollsBack || good === undefined || good.form === wanted.form || hasFormFailed(view.seen))
    return undefined;
  const member = view.members.find((one) => hasFailedTrial(view, one));
  if (member === undefined) return undefined;
  const { trouble = "its pod is not ready" } = member.pod ?? {};
  const why = `${member.name} did not come back in the form that the spec has now (podTemplate, resources, profile, image, options): ${trouble}. All go on in the last good form until that part of the spec changes`;
  return { do: "note-form", why };
}

function hasFailedTrial(view: View, member: Member): boolean {
  const { pod } = member;
  const { now, wanted, known, good } = view.seen;
  if (pod === undefined || pod.isReady || pod.state === "stopping") return false;
  // The spec may say the same in other words.
  if (pod.print === good?.printOf(pod.version)) return false;
  // Where the version is another one, too, that is put back first.
  const isUpdated = known.update !== undefined && known.update.failed === undefined && pod.version === known.update.to;
  return !isUpdated && now - pod.since >= wanted.updateDeadline && isTrial(view, member, pod);
}

/** Whoever talks in a form that failed is made anew, too: its pod is not ready, and everybody waits for it. */
export function putBackForm(view: View): Action | undefined {
  const { seen } = view;
  if (!hasFormFailed(seen)) return undefined;
  const isIn = ({ pod }: Member): boolean => pod?.isReady === false && pod.print === seen.wanted.printOf(pod.version);
  const member = view.members.find((one) => one.isWell && isIn(one) && canSpare(view, one, "restart"));
  if (member?.pod === undefined) return undefined;
  const why = "its form is put back";
  const successor = member.isLeader ? successorOf(view, member) : undefined;
  if (successor !== undefined) return { do: "move-leader", from: member.name, to: successor.name, why };
  return { do: "delete-pod", member: member.name, why, next: member.pod.version };
}
