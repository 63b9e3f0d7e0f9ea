/**
 * Reasons to compare the members' data before it is due: whoever is let in gets the data of those who are there, so before a member is given
 * up for another, and before one more is let in, those who stay must agree; and whoever ends again and again may end because they do not.
 */
import type { Listed, SeenPod, SeenVolume, Wanted } from "../contract.ts";
import type { Hearing } from "./members.ts";

/** What reasons depend on. */
export interface UrgeFacts {
  readonly hearing: Pick<Hearing, "quorum" | "answers">;
  readonly pods: readonly SeenPod[];
  readonly volumes: readonly SeenVolume[];
  readonly wanted: Pick<Wanted, "size" | "replaceAfter">;
  readonly now: number;
}

/** Each is a reason as long as it lasts, and asks once. */
export function reasonsToCompare(facts: UrgeFacts): readonly string[] {
  const { hearing, wanted } = facts;
  const members = hearing.quorum?.members ?? [];
  const voters = members.filter(({ isLearner }) => !isLearner);
  // One alone has nobody to be compared with.
  if (voters.length < 2) return [];
  const isGrowing = voters.length === members.length && voters.length < wanted.size;
  return [
    ...voters.flatMap((voter) => reasonFor(voter, facts)),
    ...(isGrowing ? [`one more than ${voters.map(({ member }) => member).join(", ")} is let in`] : []),
  ];
}

function reasonFor({ member, isStarted }: Listed, { hearing, pods, volumes, wanted, now }: UrgeFacts): string[] {
  const pod = pods.find((one) => one.member === member);
  const who = `${member} (${pod?.uid ?? "no pod"})`;
  const isSilent = hearing.answers[member]?.is !== "talking";
  if (!isSilent) return pod?.initialCheck === "off" ? [`${who} speaks unchecked`] : [];
  const volume = volumes.find((one) => one.member === member);
  if (isStarted && (volume === undefined || volume.state === "lost")) return [`${member} has no volume`];
  if (pod === undefined || pod.isReady) return [];
  return [
    ...(pod.restarts > 0 ? [`${who} does not start`] : []),
    // What was found when it first did not start may be long ago.
    ...(now - pod.since >= wanted.replaceAfter ? [`${who} is given up`] : []),
  ];
}
