/**
 * Who is in, where nobody can answer for all: what the status remembers, and what members know by themselves. Somebody may have been let
 * vote just before the quorum was lost and before that was written down, and may have what nobody else has.
 */
import type { ListedMember, ObservedVolume } from "../contract.ts";
import type { MemberClients } from "./member-clients.ts";
import type { MemberReport } from "./query-members.ts";
import { toListed } from "./query-members.ts";

/** What a memory is completed with. */
export interface ReportedMembers {
  /** What members that answer know of who is in, each as far as it has heard. */
  readonly heard: readonly ListedMember[];
  readonly volumes: readonly ObservedVolume[];
}

/** Asks members of this very cluster for what they know without asking others. */
export async function listFromMembers(
  clients: MemberClients,
  { answers: memberStatuses }: Pick<MemberReport, "answers">,
  clusterId: string | undefined,
): Promise<readonly ListedMember[]> {
  const own = Object.entries(memberStatuses).filter(([, one]) => one.is === "talking" && one.clusterId === clusterId);
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
 * A memory, completed. Whoever votes in anybody's eyes votes: a vote too many makes the operator wait, one too few could cost data. Who
 * is not remembered counts only with a volume: members that were removed have none, and those who lag behind still speak of them.
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
