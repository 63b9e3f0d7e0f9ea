/**
 * Checks whether a member list is plausible. A member that lost its data and bootstrapped again reports a list for the same cluster as
 * well.
 */
import type { ListedMember, ObservedVolume } from "../contract.ts";

/** What a list is compared with. */
export interface RecordedMembers {
  readonly remembered: readonly ListedMember[];
  readonly volumes: readonly ObservedVolume[];
}

/**
 * Why a list is rejected. The operator removes one member at a time, and its volume before the next. So a list without several voters
 * that still have their volumes is probably from a member that lost its data.
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
  return `a member says that the cluster is ${has} alone, but the operator has not removed ${lacks}, and their volumes are there: it seems to have begun anew without its data; delete its pod and its volume, or, if ${lacks} were removed by hand, the volumes of those`;
}
