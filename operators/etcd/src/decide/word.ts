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
  const { replace } = view.seen.wanted;
  return isHeeded(view) ? view.voters.filter((voter) => replace.includes(voter.name) && isInTheWay(view, voter)) : [];
}

/** Whether the place of somebody who went by such a word may be taken: the operation lasts until it is. */
export function isPlaceGiven(view: View): boolean {
  const { replace, size } = view.seen.wanted;
  const isGone = (name: string): boolean => view.members.every((member) => member.name !== name);
  return isHeeded(view) && view.voters.length < size && replace.some(isGone);
}

/** Whoever serves is taken away when the others can bear the loss of one more; whoever does not serve goes first. */
export function heedWord(view: View): Action | undefined {
  const { seen, voters, learners } = view;
  const [member] = wordOn(view);
  if (learners.length > 0) return undefined;
  const isOneShort = member === undefined ? isPlaceGiven(view) : member.isVoting && isThinWithout(view, member);
  if (isOneShort && voters.length <= seen.wanted.size) return { do: "add-learner", member: freshName(view) };
  if (member === undefined || !canSpare(view, member, "remove")) return undefined;
  const why = "an EtcdOperation asks to replace it, although data could not be compared";
  const successor = member.isLeader ? successorOf(view, member) : undefined;
  if (successor !== undefined) return { do: "move-leader", from: member.name, to: successor.name, why };
  return { do: "remove-member", member: member.name, id: member.id, why };
}

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
