/** Whoever is let in gets the data of those who are there, so nobody is given up or let in before it is known that they agree. */
import type { Action } from "../contract.ts";
import type { View } from "./view.ts";

/** What to do instead of giving somebody up or letting somebody in, as long as data has to be compared and cannot be. */
export function holdBack(view: View): Action | undefined {
  const { uncompared } = view.seen;
  if (uncompared === undefined) return undefined;
  const who = uncompared.members.join(", ");
  if (!isHeld(view)) return { do: "wait", for: `the data of ${who} to be compared` };
  const why = `${who} gave no hash that could be compared with those of the others, and without knowing that the data of all who are there is the same nobody is given up or let in (${uncompared.reasons.join("; ")}): see what keeps those of them that run from answering; it is tried again, at first every minute and at last every half hour. If the data of the others is known to be right, one of ${who} is replaced all the same by an EtcdOperation that says so (do.replaceMember with evenUncompared: true)`;
  return { do: "refuse", reason: "DataUncompared", why };
}

/** It could not be compared for so long that somebody has to know. */
export function isHeld({ seen }: View): boolean {
  const { uncompared, now, wanted } = seen;
  return uncompared !== undefined && now - uncompared.since >= wanted.replaceAfter;
}
