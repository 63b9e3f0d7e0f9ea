/**
 * Lists of members: the recorded one, completed with what responding members report without a quorum, and whether a reported one is
 * plausible. A member that lost its data and bootstrapped again reports a list for the same cluster as well.
 */
import type { ListedMember, ObservedVolume } from "./contract.ts";

/**
 * What the recorded members are completed with.
 *
 * @example
 * const nothing: ReportedMembers = { heard: [], volumes: [] };
 */
export interface ReportedMembers {
  /** The lists of responding members, each as of its own state. */
  readonly heard: readonly ListedMember[];
  readonly volumes: readonly ObservedVolume[];
}

/**
 * Merges recorded and reported members. A member that any list reports as voter is a voter: one voter too many makes the operator wait,
 * one too few could lose data. An unrecorded member counts only with a volume: removed members have none, and lagging members still list
 * them.
 *
 * @example
 * const members = mergeReportedMembers([], { heard: [], volumes: [] });
 */
export function mergeReportedMembers(
  remembered: readonly ListedMember[],
  { heard, volumes }: ReportedMembers,
): readonly ListedMember[] {
  const isMeant = (recordedState: ListedMember, one: ListedMember): boolean =>
    recordedState.member === one.member && recordedState.id === one.id;
  const recordedState = remembered.map((one): ListedMember => {
    const words = heard.filter((word) => isMeant(one, word));
    return {
      ...one,
      isStarted: one.isStarted || words.some(({ isStarted }) => isStarted),
      isLearner: one.isLearner && words.every(({ isLearner }) => isLearner),
    };
  });
  const isNew = (word: ListedMember): boolean =>
    !remembered.some((one) => one.member === word.member) && volumes.some(({ member }) => member === word.member);
  const news = new Map(heard.filter(isNew).map((word) => [word.member, word]));
  return [...recordedState, ...news.values()];
}

/**
 * What a list is compared with.
 *
 * @example
 * const recorded: RecordedMembers = { remembered: [], volumes: [] };
 */
export interface RecordedMembers {
  readonly remembered: readonly ListedMember[];
  readonly volumes: readonly ObservedVolume[];
}

/**
 * Why a list is rejected. The operator removes one member at a time, and its volume before the next. So a list without several voters
 * that still have their volumes is probably from a member that lost its data.
 *
 * @example
 * const why = rejectMemberList([], { remembered: [], volumes: [] });
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
