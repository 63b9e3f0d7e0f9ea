/**
 * The membership without quorum: the members recorded in the status, completed with the lists of responding members. A learner may have
 * been promoted just before the quorum was lost and before that was recorded, and may have the only copy of some data.
 */
import type { ListedMember, ObservedVolume } from "../contract.ts";
import type { MemberClients } from "./member-clients.ts";
import type { MemberReport } from "./query-members.ts";
import { toListed } from "./query-members.ts";

/** What the recorded members are completed with. */
export interface ReportedMembers {
  /** The lists of responding members, each as of its own state. */
  readonly heard: readonly ListedMember[];
  readonly volumes: readonly ObservedVolume[];
}

/** Asks members of this cluster for their local lists. */
export async function listFromMembers(
  clients: MemberClients,
  { answers }: Pick<MemberReport, "answers">,
  clusterId: string | undefined,
): Promise<readonly ListedMember[]> {
  const own = Object.entries(answers).filter(([, one]) => one.is === "talking" && one.clusterId === clusterId);
  const lists = own.map(async ([member]) => {
    try {
      const list = await clients.to(member)?.members.list({ local: true });
      return (list?.members ?? []).map(toListed);
    } catch {
      return [];
    }
  });
  return (await Promise.all(lists)).flat();
}

/**
 * Merges recorded and reported members. A member that any list reports as voter is a voter: one voter too many makes the operator wait,
 * one too few could lose data. An unrecorded member counts only with a volume: removed members have none, and lagging members still list
 * them.
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
