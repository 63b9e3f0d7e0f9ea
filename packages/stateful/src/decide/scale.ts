/** Scaling: one member joins or leaves at a time. A member that leaves is forgotten when no write can be only on it. */
import type { Action } from "../cluster/action.ts";
import type { Rules } from "../cluster/observation.ts";
import { first } from "./members.ts";
import { replicasInSync } from "./switchover.ts";
import { isFollowing } from "./view.ts";
import type { Member, View } from "./view.ts";

/** Adds and removes members. */
export function scale<P>(view: View<P>, rules: Rules<P>): Action | undefined {
  const leaving = view.members.filter(({ recorded }) => recorded.state === "Leaving");
  return first(leaving, (member) => retire(view, rules, member)) ?? resize(view, rules);
}

function resize<P>(view: View<P>, rules: Rules<P>): Action | undefined {
  const { seen, members, primary } = view;
  const staying = members.filter(({ recorded }) => recorded.state !== "Leaving");
  if (staying.length < seen.desired.size) {
    return primary?.isOurs === true
      ? { do: "record-member", member: `${seen.name}-${seen.recorded.nextSerial}` }
      : undefined;
  }
  if (staying.length <= seen.desired.size || members.length > staying.length) return undefined;
  const extra = staying.toReversed().find(({ isPrimary }) => !isPrimary);
  const why = "spec.size is smaller";
  if (extra === undefined) return undefined;
  const isOnlySync = replicasInSync(view, rules).every(({ name }) => name === extra.name);
  const others = staying.filter(({ isPrimary, name }) => !isPrimary && name !== extra.name);
  if (others.length > 0 && isOnlySync) return { do: "wait", for: "another replica to be in sync" };
  return { do: "mark-leaving", member: extra.name, why };
}

/** Stops a member, makes sure that its writes are elsewhere, forgets it and deletes its volume. */
function retire<P>(view: View<P>, { compare }: Rules<P>, member: Member<P>): Action | undefined {
  const { name, pod } = member;
  const { primary, followers } = view;
  if (pod !== undefined && pod.state !== "stopping") {
    return { do: "delete-pod", member: name, why: "it leaves", isKilled: false };
  }
  // A pod on a lost node does not end; its member receives nothing once it is no longer among the followers of the primary.
  if (pod !== undefined && !pod.isNodeLost) return undefined;
  if (primary?.report === undefined || !primary.isOurs) return undefined;
  const { applied } = primary.report;
  const rest = followers.filter(({ recorded, name: other }) => other !== name && recorded.state !== "Leaving");
  const isKnownElsewhere = rest.every(
    (other) =>
      isFollowing(other, primary.name) &&
      other.report !== undefined &&
      ["same", "ahead"].includes(compare(other.report.received, applied)),
  );
  if (!isKnownElsewhere) return undefined;
  if (member.volume !== undefined && member.volume.state !== "stopping") {
    return { do: "delete-volume", member: name, why: "it left" };
  }
  return { do: "forget", member: name };
}
