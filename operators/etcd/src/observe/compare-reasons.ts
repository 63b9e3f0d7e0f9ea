/**
 * Reasons to compare the members' data before it is due: whoever is let in gets the data of those who are there, so before a member is given
 * up for another, and before one more is let in, those who stay must agree. Whoever is taken away may be the one who is right, and those who
 * are left could not tell any more. And whoever ends again and again may end because they do not agree.
 */
import type { ListedMember, ObservedPod, ObservedVolume, DesiredState } from "../contract.ts";
import type { MemberReport } from "./query-members.ts";

/** What reasons depend on. */
export interface CompareReasonFacts {
  readonly hearing: Pick<MemberReport, "quorum" | "answers">;
  readonly pods: readonly ObservedPod[];
  readonly volumes: readonly ObservedVolume[];
  readonly wanted: Pick<DesiredState, "size" | "replaceAfter" | "replace" | "templateHashFor" | "version">;
  readonly now: number;
}

/** How a reason ends that may come and go all the time. */
export const doesNotStart = " does not start";

/** Each is a reason as long as it lasts, and asks once. */
export function reasonsToCompare(facts: CompareReasonFacts): readonly string[] {
  const { hearing: report } = facts;
  const members = report.quorum?.members ?? [];
  const voters = members.filter(({ isLearner }) => !isLearner);
  // One alone has nobody to be compared with.
  if (voters.length < 2) return [];
  const names = voters.map(({ member }) => member);
  // Somebody who is being let in comes before any other change.
  const isChanging = voters.length === members.length && isMembershipChanging(names, facts);
  return [
    ...voters.flatMap((voter) => reasonFor(voter, facts)),
    ...(isChanging ? [`${names.join(", ")} are about to change`] : []),
  ];
}

/** Whether there are to be more voters or fewer, or others in the place of some. */
function isMembershipChanging(
  voters: readonly string[],
  { pods, volumes, wanted: desired }: CompareReasonFacts,
): boolean {
  // Nobody is taken away from a cluster that goes to sleep.
  if (desired.size === 0) return false;
  if (voters.length < desired.size || voters.some((name) => desired.replace.includes(name))) return true;
  if (volumes.some(({ member, state }) => voters.includes(member) && state === "stopping")) return true;
  if (desired.size > 2) return voters.length > desired.size;
  // So few are exchanged for others in a new form or version. Half way, too: fewer may be wanted in the midst of an update.
  const own = pods.filter(({ member }) => voters.includes(member));
  const isOld = ({ version, templateHash: print }: ObservedPod): boolean =>
    version !== desired.version || print !== desired.templateHashFor(version);
  return voters.length > desired.size || own.some(isOld);
}

function reasonFor({ member, isStarted }: ListedMember, facts: CompareReasonFacts): string[] {
  const { hearing: report, pods, volumes } = facts;
  const pod = pods.find((one) => one.member === member);
  const who = `${member} (${pod?.uid ?? "no pod"})`;
  // Also one that talks: cut off from the others, it may be the one whose data is right.
  const givenUp = isBeingReplaced(pod, facts) ? [`${who} is given up`] : [];
  const volume = volumes.find((one) => one.member === member);
  if (isStarted && (volume === undefined || volume.state === "lost")) return [`${member} has no volume`];
  if (report.answers[member]?.is === "talking")
    return [...(pod?.initialCheck === "off" ? [`${who} speaks unchecked`] : []), ...givenUp];
  return [...(pod?.isReady === false && pod.restarts > 0 ? [`${who}${doesNotStart}`] : []), ...givenUp];
}

/** A reason of its own: what was found when it first did not start may be long ago. */
function isBeingReplaced(pod: ObservedPod | undefined, { wanted: desired, now }: CompareReasonFacts): boolean {
  return pod !== undefined && !pod.isReady && now - pod.since >= desired.replaceAfter;
}
