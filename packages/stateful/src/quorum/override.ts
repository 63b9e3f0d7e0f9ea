/**
 * The override: if data has to be compared and cannot be, an operation can request to replace a member all the same. It applies to a
 * member that returns no hash or does not serve. It never applies to a healthy and compared member, below quorum, or if data is known to
 * differ.
 */
import type { Action } from "./contract.ts";
import { canStopMember, newMemberName, quorumOf, leaderCandidate } from "./view.ts";
import type { Member, View } from "./view.ts";
import { isWaitingForComparison } from "./hold-until-compared.ts";
import { withArticle } from "./with-article.ts";

/** The members with an override that applies. */
export function overriddenMembers(view: View): readonly Member[] {
  const { overridden = [] } = view.seen.desired;
  return hasAppliedOverride(view)
    ? view.voters.filter((voter) => overridden.includes(voter.name) && blocksComparison(view, voter))
    : [];
}

/** Adds a member before it removes one. An override replaces one member, even if more are missing. */
export function applyOverride(view: View): Action | undefined {
  const [member] = overriddenMembers(view);
  if (member === undefined || view.learners.length > 0) return undefined;
  if (needsReplacement(view, member)) return { do: "add-learner", member: newMemberName(view) };
  if (!canStopMember(view, member, "remove")) return undefined;
  const why = `${withArticle(view.seen.application.kinds.operation)} asks to replace it, although data could not be compared`;
  const successor = member.isLeader ? leaderCandidate(view, member) : undefined;
  if (successor !== undefined) return { do: "move-leader", from: member.name, to: successor.name, why };
  return { do: "remove-member", member: member.name, id: member.id, why };
}

/** The number of voters must not decrease. If the cluster also scales up, an override adds only as many members as it needs. */
function needsReplacement(view: View, member: Member): boolean {
  const { voters, seen } = view;
  if (voters.length >= seen.desired.size) return voters.length === seen.desired.size;
  return !canStopMember(view, member, "remove") || (voters.length <= 3 && losesFaultTolerance(view, member));
}

/** Without this member, the cluster tolerates no further failure. */
function losesFaultTolerance({ voters }: View, { name }: Member): boolean {
  const left = voters.filter((voter) => voter.name !== name);
  return left.filter(({ isVoting }) => isVoting).length <= quorumOf(left.length);
}

/** Only after the comparison has failed for a while: a late hash may show that another member is the corrupt one. */
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
