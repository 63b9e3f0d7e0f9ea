/**
 * Reasons to compare the members' data before it is due: whoever is let in gets the data of those who are there, so before a member is given
 * up for another, and before one more is let in, those who stay must agree. Whoever is taken away may be the one who is right, and those who
 * are left could not tell any more. And whoever ends again and again may end because they do not agree.
 */
import type { Listed, SeenPod, SeenVolume, Wanted } from "../contract.ts";
import type { Hearing } from "./members.ts";

/** What reasons depend on. */
export interface UrgeFacts {
  readonly hearing: Pick<Hearing, "quorum" | "answers">;
  readonly pods: readonly SeenPod[];
  readonly volumes: readonly SeenVolume[];
  readonly wanted: Pick<Wanted, "size" | "replaceAfter" | "replace" | "printOf" | "version">;
  readonly now: number;
}

/** How a reason ends that may come and go all the time. */
export const DOES_NOT_START = " does not start";

/** Each is a reason as long as it lasts, and asks once. */
export function reasonsToCompare(facts: UrgeFacts): readonly string[] {
  const { hearing } = facts;
  const members = hearing.quorum?.members ?? [];
  const voters = members.filter(({ isLearner }) => !isLearner);
  // One alone has nobody to be compared with.
  if (voters.length < 2) return [];
  const names = voters.map(({ member }) => member);
  // Somebody who is being let in comes before any other change.
  const isChanging = voters.length === members.length && areToChange(names, facts);
  return [
    ...voters.flatMap((voter) => reasonFor(voter, facts)),
    ...(isChanging ? [`${names.join(", ")} are about to change`] : []),
  ];
}

/** Whether there are to be more voters or fewer, or others in the place of some. */
function areToChange(voters: readonly string[], { pods, volumes, wanted }: UrgeFacts): boolean {
  // Nobody is taken away from a cluster that goes to sleep.
  if (wanted.size === 0) return false;
  if (voters.length < wanted.size || voters.some((name) => wanted.replace.includes(name))) return true;
  if (volumes.some(({ member, state }) => voters.includes(member) && state === "stopping")) return true;
  if (wanted.size > 2) return voters.length > wanted.size;
  // So few are exchanged for others in a new form or version. Half way, too: fewer may be wanted in the midst of an update.
  const own = pods.filter(({ member }) => voters.includes(member));
  const isOld = ({ version, print }: SeenPod): boolean =>
    version !== wanted.version || print !== wanted.printOf(version);
  return voters.length > wanted.size || own.some(isOld);
}

function reasonFor({ member, isStarted }: Listed, facts: UrgeFacts): string[] {
  const { hearing, pods, volumes } = facts;
  const pod = pods.find((one) => one.member === member);
  const who = `${member} (${pod?.uid ?? "no pod"})`;
  // Also one that talks: cut off from the others, it may be the one whose data is right.
  const givenUp = isGivenUp(pod, facts) ? [`${who} is given up`] : [];
  const volume = volumes.find((one) => one.member === member);
  if (isStarted && (volume === undefined || volume.state === "lost")) return [`${member} has no volume`];
  if (hearing.answers[member]?.is === "talking")
    return [...(pod?.initialCheck === "off" ? [`${who} speaks unchecked`] : []), ...givenUp];
  return [...(pod?.isReady === false && pod.restarts > 0 ? [`${who}${DOES_NOT_START}`] : []), ...givenUp];
}

/** A reason of its own: what was found when it first did not start may be long ago. */
function isGivenUp(pod: SeenPod | undefined, { wanted, now }: UrgeFacts): boolean {
  return pod !== undefined && !pod.isReady && now - pod.since >= wanted.replaceAfter;
}
