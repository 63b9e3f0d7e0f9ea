/**
 * A human's word: where data has to be compared and cannot be, for good, somebody may say with an EtcdOperation that a member is to be replaced
 * all the same. It counts for whoever gives no hash or does not serve, never for one that is well and was compared, never below quorum, and
 * never where data is known to differ.
 */
import type { Action } from "../contract.ts";
import { canSpare, freshName, quorumOf, successorOf } from "./view.ts";
import type { Member, View } from "./view.ts";
import { isHeld } from "./uncompared.ts";

/** The members that somebody's word is about, as far as it counts. */
export function wordOn(view: View): readonly Member[] {
  const { vouched = [] } = view.seen.wanted;
  return isHeeded(view) ? view.voters.filter((voter) => vouched.includes(voter.name) && isInTheWay(view, voter)) : [];
}

/** One comes before one goes: the word is about the place of one, however many there is room for. */
export function heedWord(view: View): Action | undefined {
  const [member] = wordOn(view);
  if (member === undefined || view.learners.length > 0) return undefined;
  if (needsAnother(view, member)) return { do: "add-learner", member: freshName(view) };
  if (!canSpare(view, member, "remove")) return undefined;
  const why = "an EtcdOperation asks to replace it, although data could not be compared";
  const successor = member.isLeader ? successorOf(view, member) : undefined;
  if (successor !== undefined) return { do: "move-leader", from: member.name, to: successor.name, why };
  return { do: "remove-member", member: member.name, id: member.id, why };
}

/** There are to be no fewer than before; where there are to be more, too, only as many come by a word as it takes. */
function needsAnother(view: View, member: Member): boolean {
  const { voters, seen } = view;
  if (voters.length >= seen.wanted.size) return voters.length === seen.wanted.size;
  return !canSpare(view, member, "remove") || (voters.length <= 3 && isThinWithout(view, member));
}

/** Without it, not one more could be borne to be away. */
function isThinWithout({ voters }: View, { name }: Member): boolean {
  const left = voters.filter((voter) => voter.name !== name);
  return left.filter(({ isVoting }) => isVoting).length <= quorumOf(left.length);
}

/** Only after the operator has tried for a while: a hash that comes a moment later may show that somebody else is to go. */
function isHeeded(view: View): boolean {
  return isHeld(view) && view.seen.differing.length === 0 && view.members.every(({ isCorrupt }) => !isCorrupt);
}

function isInTheWay({ seen }: View, { name, isWell }: Member): boolean {
  return !isWell || seen.uncompared?.members.includes(name) === true;
}
