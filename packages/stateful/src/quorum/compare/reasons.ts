/**
 * Reasons to compare the members' data early. A new member copies the data of the present ones, so they must agree before a member is
 * added or replaced. A removed member may be the one with the right data, and the remaining ones could not detect that. A crash loop may
 * be caused by differing data.
 */
import type { ListedMember, ObservedPod, ObservedVolume, DesiredState } from "../contract.ts";
import type { MemberReports } from "./reports.ts";

/**
 * What the reasons to compare data depend on.
 *
 * @example
 * const podCount = ({ pods }: CompareReasonFacts) => pods.length;
 */
export interface CompareReasonFacts {
  readonly hearing: Pick<MemberReports, "quorum" | "answers">;
  readonly pods: readonly ObservedPod[];
  readonly volumes: readonly ObservedVolume[];
  readonly wanted: Pick<DesiredState, "size" | "replaceAfter" | "replace" | "templateHashFor" | "version">;
  readonly now: number;
}

/** Suffix of a reason that may come and go repeatedly. */
export const doesNotStart = " does not start";

/**
 * Each reason lasts as long as its cause, and causes one comparison.
 *
 * @example
 * const isNeeded = (facts: CompareReasonFacts) => reasonsToCompare(facts).length > 0;
 */
export function reasonsToCompare(facts: CompareReasonFacts): readonly string[] {
  const { hearing } = facts;
  const members = hearing.quorum?.members ?? [];
  const voters = members.filter(({ isLearner }) => !isLearner);
  // A single member has no other to be compared with.
  if (voters.length < 2) return [];
  const names = voters.map(({ member }) => member);
  // A learner that is being added comes before any other change.
  const isChanging = voters.length === members.length && isMembershipChanging(names, facts);
  return [
    ...voters.flatMap((voter) => reasonFor(voter, facts)),
    ...(isChanging ? [`${names.join(", ")} are about to change`] : []),
  ];
}

/** Whether voters will be added, removed or replaced. */
function isMembershipChanging(voters: readonly string[], { pods, volumes, wanted }: CompareReasonFacts): boolean {
  // Hibernation removes no member.
  if (wanted.size === 0) return false;
  if (voters.length < wanted.size || voters.some((name) => wanted.replace.includes(name))) return true;
  if (volumes.some(({ member, state }) => voters.includes(member) && state === "stopping")) return true;
  if (wanted.size > 2) return voters.length > wanted.size;
  // Small clusters replace members for a new template or version. That includes a scale-down in the middle of an update.
  const own = pods.filter(({ member }) => voters.includes(member));
  const isOld = ({ version, templateHash: print }: ObservedPod): boolean =>
    version !== wanted.version || print !== wanted.templateHashFor(version);
  return voters.length > wanted.size || own.some(isOld);
}

function reasonFor({ member, isStarted }: ListedMember, facts: CompareReasonFacts): string[] {
  const { hearing, pods, volumes } = facts;
  const pod = pods.find((one) => one.member === member);
  const who = `${member} (${pod?.uid ?? "no pod"})`;
  // Also if it responds: a member that is cut off from the others may have the right data.
  const givenUp = isBeingReplaced(pod, facts) ? [`${who} is given up`] : [];
  const volume = volumes.find((one) => one.member === member);
  if (isStarted && (volume === undefined || volume.state === "lost")) return [`${member} has no volume`];
  if (hearing.answers[member]?.is === "talking")
    return [...(pod?.initialCheck === "off" ? [`${who} speaks unchecked`] : []), ...givenUp];
  return [...(pod?.isReady === false && pod.restarts > 0 ? [`${who}${doesNotStart}`] : []), ...givenUp];
}

/** A separate reason, because the comparison at its first failed start may be long ago. */
function isBeingReplaced(pod: ObservedPod | undefined, { wanted, now }: CompareReasonFacts): boolean {
  return pod !== undefined && !pod.isReady && now - pod.since >= wanted.replaceAfter;
}
