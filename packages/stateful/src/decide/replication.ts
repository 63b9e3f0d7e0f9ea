/** Replication: the primary of this epoch leads, every other member follows it, and what differs from it is copied again. */
import type { MemberReport } from "../application.ts";
import type { Action } from "../cluster/action.ts";
import type { Rules } from "../cluster/observation.ts";
import { first } from "./members.ts";
import { isFollowing, isServing } from "./view.ts";
import type { Member, View } from "./view.ts";

/** The recorded primary accepts writes and has the label; no other member does. */
export function restorePrimary<P>(view: View<P>, rules: Rules<P>): Action | undefined {
  const { primary, members } = view;
  const stray = members.find(({ isPrimary, pod }) => !isPrimary && pod?.serves === "primary");
  if (stray !== undefined) return { do: "set-role", member: stray.name, role: "replica", serves: "none" };
  if (primary === undefined || !isServing(primary)) {
    return { do: "wait", for: `${primary?.name ?? "the primary"} to respond` };
  }
  const { report, pod, name } = primary;
  if (report === undefined || pod === undefined) return undefined;
  if (!report.acceptsWrites || report.role === "replica") {
    return { do: "promote", member: name, acknowledgements: wantedAcknowledgements(view, rules) };
  }
  if (pod.startRole !== "primary" || pod.serves !== "primary") {
    return { do: "set-role", member: name, role: "primary", serves: "primary" };
  }
  return undefined;
}

/** As many as the joined members can give. A cluster that is still growing has as many as it can. */
export function wantedAcknowledgements<P>({ members }: View<P>, { acknowledgements }: Rules<P>): number {
  return acknowledgements(members.filter(({ recorded }) => recorded.state !== "Joining").length);
}

/** Every follower replicates from the primary; acknowledgements and sync are recorded as they come true. */
export function keepReplicas<P>(view: View<P>, rules: Rules<P>): Action | undefined {
  const { primary, members } = view;
  if (primary?.report === undefined) return undefined;
  const others = members.filter((member) => !member.isPrimary);
  return (
    first(others, (member) => keepReplica(view, rules, member)) ??
    keepAcknowledgements(view, rules) ??
    recordSync(view, rules) ??
    first(others, (member) => labelReplica(member, primary.name))
  );
}

function keepReplica<P>(view: View<P>, rules: Rules<P>, member: Member<P>): Action | undefined {
  const { name, recorded, report, pod, isOurs } = member;
  const { primary } = view;
  if (recorded.state === "Leaving" || pod?.state !== "running" || report === undefined) return undefined;
  if (primary?.report === undefined) return undefined;
  if (!isOurs) return { do: "mark-leaving", member: name, why: "its data is not of this cluster" };
  if (report.acceptsWrites) return demote(member);
  if (isFollowing(member, primary.name)) return undefined;
  const difference = whyApart(rules, { report, leader: primary.report });
  if (difference !== undefined) return { do: "mark-leaving", member: name, why: difference };
  if (recorded.state === "Joining") return { do: "admit", member: name };
  return { do: "follow", member: name, primary: primary.name };
}

/** The position of a member that receives nothing stands still, so it can be compared although the reports are not simultaneous. */
function whyApart<P>(
  { compare }: Rules<P>,
  { report, leader }: { readonly report: MemberReport<P>; readonly leader: MemberReport<P> },
): string | undefined {
  if (report.replicationError?.code === "Diverged") return report.replicationError.message;
  const place = compare(report.applied, leader.applied);
  return place === "ahead" || place === "diverged" ? "it has writes that the primary does not have" : undefined;
}

/**
 * A former primary, with writes that wait for an acknowledgement: stopped in good order it would complete them. It is killed, and starts
 * as a replica, which drops them.
 */
function demote<P>({ name, pod }: Member<P>): Action {
  if (pod?.startRole === "primary" || pod?.serves === "primary") {
    return { do: "set-role", member: name, role: "replica", serves: "none" };
  }
  return { do: "delete-pod", member: name, why: "it was the primary of an earlier epoch", isKilled: true };
}

/** The record is lowered before the primary waits for less, and raised only with the next sync. */
function keepAcknowledgements<P>(view: View<P>, rules: Rules<P>): Action | undefined {
  const { primary, seen } = view;
  const wanted = wantedAcknowledgements(view, rules);
  if (primary?.report === undefined || primary.report.acknowledgements === wanted) return undefined;
  if (seen.recorded.acknowledgements > wanted) return { do: "lower-acknowledgements", count: wanted };
  return { do: "set-acknowledgements", member: primary.name, count: wanted };
}

/** Members that have all that the primary had when it was asked, which was before they were asked. */
function recordSync<P>(view: View<P>, { compare }: Rules<P>): Action | undefined {
  const { primary, followers, seen } = view;
  if (primary?.report === undefined) return undefined;
  const { acknowledgements, applied } = primary.report;
  const synced = followers.filter(
    (member) =>
      isServing(member) &&
      isFollowing(member, primary.name) &&
      member.report !== undefined &&
      ["same", "ahead"].includes(compare(member.report.received, applied)),
  );
  const news = synced.filter(({ recorded, pod }) => recorded.syncedRun !== pod?.run);
  const isRaised = acknowledgements > seen.recorded.acknowledgements && synced.length === followers.length;
  if (news.length === 0 && !isRaised) return undefined;
  const runs = Object.fromEntries(news.map(({ name, pod }) => [name, pod?.run ?? ""]));
  const count = isRaised ? acknowledgements : Math.min(acknowledgements, seen.recorded.acknowledgements);
  return { do: "record-sync", runs, acknowledgements: count };
}

/** Read traffic goes to replicas that replicate. */
function labelReplica<P>(member: Member<P>, primary: string): Action | undefined {
  const { name, pod, recorded } = member;
  if (pod === undefined || pod.state !== "running") return undefined;
  const serves = recorded.state === "Joined" && isFollowing(member, primary) && pod.isReady ? "replica" : "none";
  return pod.serves === serves ? undefined : { do: "set-role", member: name, role: "replica", serves };
}
