/** A new member copies the data of the present ones. So no member is added or removed before their data was found equal. */
import type { Action } from "./contract.ts";
import type { View } from "./view.ts";
import { withArticle } from "./with-article.ts";

/** The action while data has to be compared and cannot be, instead of adding or removing a member. */
export function holdUntilCompared(view: View): Action | undefined {
  const { uncompared, application } = view.seen;
  if (uncompared === undefined) return undefined;
  const who = uncompared.members.join(", ");
  if (!isWaitingForComparison(view)) return { do: "wait", for: `the data of ${who} to be compared` };
  const why = `${describeUncompared(uncompared)}, and until the data of all present members is known to be the same, no member is removed or added (${uncompared.reasons.join("; ")}): ${describeRemedy(uncompared)}; it is tried again, at first every minute and at last every half hour. If the data of the others is known to be right, one of ${who} is replaced all the same by ${withArticle(application.kinds.operation)} that says so (do.replaceMember with evenUncompared: true)`;
  return { do: "refuse", reason: "DataUncompared", why };
}

type Uncompared = NonNullable<View["seen"]["uncompared"]>;

/**
 * Separates members that returned no hash from those with a hash that cannot be compared: only the first ones can be fixed at the member.
 */
function describeUncompared({ members, unlike = [] }: Uncompared): string {
  const mute = members.filter((name) => !unlike.includes(name));
  const gaveNone =
    mute.length > 0 ? [`${mute.join(", ")} gave no hash that could be compared with those of the others`] : [];
  const gaveAnother =
    unlike.length > 0 ? [`what ${unlike.join(", ")} gave is of another version or compaction than other hashes`] : [];
  return [...gaveNone, ...gaveAnother].join(", ");
}

function describeRemedy({ members, unlike = [] }: Uncompared): string {
  if (unlike.length < members.length) return "see what keeps those of them that run from answering";
  return "hashes of two versions may differ until the update is over, and those of two compactions until the next write";
}

/** The comparison has failed for so long that the user has to know. */
export function isWaitingForComparison({ seen }: View): boolean {
  const { uncompared, now, desired } = seen;
  return uncompared !== undefined && now - uncompared.since >= desired.replaceAfter;
}
