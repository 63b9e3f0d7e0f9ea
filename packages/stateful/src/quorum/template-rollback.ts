/**
 * A new template is tried with one member. If that does not become ready, all members continue with the last good template, as with
 * versions.
 */
import type { Action, ObservedPod } from "./contract.ts";
import { hasTemplateFailed } from "./target-version.ts";
import { canStopMember, leaderCandidate } from "./view.ts";
import type { Member, View } from "./view.ts";

/** The first member with a new version or template may be unhealthy because of it. Then the template is at fault, not the member. */
export function isTemplateTrial({ seen, members }: View, { name }: Member, pod: ObservedPod): boolean {
  const { update } = seen.recordedState;
  if (pod.isNodeLost) return false;
  const isUpdated = update?.member === name && update.failed === undefined;
  const hasNewForm = (one: ObservedPod): boolean => one.templateHash === seen.desired.templateHashFor(one.version);
  const others = members.filter((other) => other.name !== name && other.isWell).flatMap((other) => other.pod ?? []);
  const isProven = others.some((one) => hasNewForm(one) && (!isUpdated || one.version === pod.version));
  return hasNewForm(pod) && !isProven;
}

/** A member did not become ready with a new template in time, whether its process starts or not. */
export function abandonTemplate(view: View): Action | undefined {
  const { desired, lastGood } = view.seen;
  if (
    !desired.rollsBackUpdates ||
    lastGood === undefined ||
    lastGood.templateDigest === desired.templateDigest ||
    hasTemplateFailed(view.seen)
  )
    return undefined;
  const member = view.members.find((one) => hasTemplateTrialFailed(view, one));
  if (member === undefined) return undefined;
  const { startFailure: failure = "its pod is not ready" } = member.pod ?? {};
  const why = `${member.name} did not come back in the form that the spec has now (podTemplate, resources, profile, image, options): ${failure}. All go on in the last good form until that part of the spec changes`;
  return { do: "note-form", why };
}

function hasTemplateTrialFailed(view: View, member: Member): boolean {
  const { pod } = member;
  const { now, desired, recordedState, lastGood } = view.seen;
  if (pod === undefined || pod.isReady || pod.state === "stopping") return false;
  // A changed spec may result in the same template.
  if (pod.templateHash === lastGood?.templateHashFor(pod.version)) return false;
  // If the version changed as well, the version is rolled back first.
  const isUpdated =
    recordedState.update !== undefined &&
    recordedState.update.failed === undefined &&
    pod.version === recordedState.update.to;
  return !isUpdated && now - pod.since >= desired.updateDeadline && isTemplateTrial(view, member, pod);
}

/** A responding member with a failed template is recreated as well: its pod is not ready, and all others wait for it. */
export function rollBackTemplate(view: View): Action | undefined {
  const { seen } = view;
  if (!hasTemplateFailed(seen)) return undefined;
  const isIn = ({ pod }: Member): boolean =>
    pod?.isReady === false && pod.templateHash === seen.desired.templateHashFor(pod.version);
  const member = view.members.find((one) => one.isWell && isIn(one) && canStopMember(view, one, "restart"));
  if (member?.pod === undefined) return undefined;
  const why = "its form is put back";
  const successor = member.isLeader ? leaderCandidate(view, member) : undefined;
  if (successor !== undefined) return { do: "move-leader", from: member.name, to: successor.name, why };
  return { do: "delete-pod", member: member.name, why, next: member.pod.version };
}
