/**
 * A human's word: where data has to be compared and cannot be, for good, somebody may say with an EtcdOperation that a member is to be replaced
 * all the same. It counts for whoever gives no hash or does not serve, never for one that is well and was compared, never below quorum, and
 * never where data is known to differ.
 */
import type { Action } from "../contract.ts";
import { canStopMember, newMemberName, quorumOf, leaderCandidate } from "./view.ts";
import type { Member, View } from "./view.ts";
import { isWaitingForComparison } from "./hold-until-compared.ts";

/** The members that somebody's word is about, as far as it counts. */
export function overriddenMembers(view: View): readonly Member[] {
  const { overridden = [] } = view.seen.desired;
  return hasAppliedOverride(view)
    ? view.voters.filter((voter) => overridden.includes(voter.name) && blocksComparison(view, voter))
    : [];
}

/** One comes before one goes: the word is about the place of one, however many there is room for. */
export function applyOverride(view: View): Action | undefined {
  const [member] = overriddenMembers(view);
  if (member === undefined || view.learners.length > 0) return undefined;
  if (needsReplacement(view, member)) return { do: "add-learner", member: newMemberName(view) };
  if (!canStopMember(view, member, "remove")) return undefined;
  const why = "an EtcdOperation asks to replace it, although data could not be compared";
  const successor = member.isLeader ? leaderCandidate(view, member) : undefined;
  if (successor !== undefined) return { do: "move-leader", from: member.name, to: successor.name, why };
  return { do: "remove-member", member: member.name, id: member.id, why };
}

/** There are to be no fewer than before; where there are to be more, too, only as many come by a word as it takes. */
function needsReplacement(view: View, member: Member): boolean {
  const { voters, seen } = view;
  if (voters.length >= seen.desired.size) return voters.length === seen.desired.size;
  return !canStopMember(view, member, "remove") || (voters.length <= 3 && losesFaultTolerance(view, member));
}

/** Without it, not one more could be borne to be away. */
function losesFaultTolerance({ voters }: View, { name }: Member): boolean {
  const left = voters.filter((voter) => voter.name !== name);
  return left.filter(({ isVoting }) => isVoting).length <= quorumOf(left.length);
}

/** Only after the operator has tried for a while: a hash that comes a moment later may show that somebody else is to go. */
function hasAppliedOverride(view: View): boolean {
  return (
    isWaitingForComparison(view) &&
    view.seen.differing.length === 0 &&
    view.members.every(({ isCorrupt }) => !isCorrupt)
  );
}

function blocksComparison({ seen }: View, { name, isWell }: Member): boolean {
  return !isWell || seen.uncompared?.members.includes(name) === true;
}
