/** Whether a list of members can be believed: a member that lost its data and began anew tells one, too, in the cluster's own name. */
import type { ListedMember, ObservedVolume } from "../contract.ts";

/** What a list is held against. */
export interface RecordedMembers {
  readonly remembered: readonly ListedMember[];
  readonly volumes: readonly ObservedVolume[];
}

/**
 * Why a list is not believed. The operator removes one member at a time, and its volume before the next, so a list that lacks several
 * voters whose volumes are all there was not made by it: more likely it is that of somebody who remembers none of them.
 */
export function rejectMemberList(
  listed: readonly ListedMember[],
  { remembered, volumes }: RecordedMembers,
): string | undefined {
  const isListed = (id: string): boolean => listed.some((one) => one.id === id);
  const hasVolume = (name: string): boolean =>
    volumes.some(({ member, state }) => member === name && state === "bound");
  const missing = remembered.filter(({ member, id, isLearner }) => !isLearner && !isListed(id) && hasVolume(member));
  if (missing.length < 2) return undefined;
  const [has, lacks] = [listed, missing].map((members) => members.map(({ member }) => member).join(", "));
  return `a member says that the cluster is ${has} alone, but nobody has removed ${lacks}, and their volumes are there: it seems to have begun anew without its data; delete its pod and its volume, or, if ${lacks} were removed by hand, the volumes of those`;
}
