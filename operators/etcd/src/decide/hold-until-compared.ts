/** Whoever is let in gets the data of those who are there, so nobody is given up or let in before it is known that they agree. */
import type { Action } from "../contract.ts";
import type { View } from "./view.ts";

/** What to do instead of giving somebody up or letting somebody in, as long as data has to be compared and cannot be. */
export function holdUntilCompared(view: View): Action | undefined {
  const { uncompared } = view.seen;
  if (uncompared === undefined) return undefined;
  const who = uncompared.members.join(", ");
  if (!isWaitingForComparison(view)) return { do: "wait", for: `the data of ${who} to be compared` };
  const why = `${describeUncompared(uncompared)}, and without knowing that the data of all who are there is the same nobody is given up or let in (${uncompared.reasons.join("; ")}): ${describeRemedy(uncompared)}; it is tried again, at first every minute and at last every half hour. If the data of the others is known to be right, one of ${who} is replaced all the same by an EtcdOperation that says so (do.replaceMember with evenUncompared: true)`;
  return { do: "refuse", reason: "DataUncompared", why };
}

type Uncompared = NonNullable<View["seen"]["uncompared"]>;

/** Who gave none, and whose is of no use: the one is to be mended in a member, the other is not. */
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

/** It could not be compared for so long that somebody has to know. */
export function isWaitingForComparison({ seen }: View): boolean {
  const { uncompared, now, desired } = seen;
  return uncompared !== undefined && now - uncompared.since >= desired.replaceAfter;
}
