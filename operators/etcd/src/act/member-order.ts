/** The order in which members are worked on. */
import type { Observation } from "../contract.ts";

/** Followers first, the leader last. */
export function successorOrder({
  membership,
  memberStatuses,
}: Pick<Observation, "membership" | "memberStatuses">): string[] {
  const names = membership.members.map(({ member }) => member);
  const leads = (name: string): boolean => {
    const answer = memberStatuses[name];
    return answer?.is === "talking" && answer.leader === answer.id;
  };
  return names.toSorted((one, other) => Number(leads(one)) - Number(leads(other)));
}
