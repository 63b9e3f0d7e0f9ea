/**
 * Who is in, where nobody can answer for all: what the status remembers, and what members know by themselves. Somebody may have been let
 * vote just before the quorum was lost and before that was written down, and may have what nobody else has.
 */
import type { Listed, SeenVolume } from "../contract.ts";
import type { Reach } from "./reach.ts";
import type { Hearing } from "./members.ts";
import { toListed } from "./members.ts";

/** What a memory is completed with. */
export interface Hearsay {
  /** What members that answer know of who is in, each as far as it has heard. */
  readonly heard: readonly Listed[];
  readonly volumes: readonly SeenVolume[];
}

/** Asks members of this very cluster for what they know without asking others. */
export async function hearLocally(
  reach: Reach,
  { answers }: Pick<Hearing, "answers">,
  clusterId: string | undefined,
): Promise<readonly Listed[]> {
  const own = Object.entries(answers).filter(([, one]) => one.is === "talking" && one.clusterId === clusterId);
  const lists = own.map(async ([member]) => {
    try {
      const list = await reach.to(member)?.members.list({ local: true });
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
export function complete(remembered: readonly Listed[], { heard, volumes }: Hearsay): readonly Listed[] {
  const isMeant = (known: Listed, one: Listed): boolean => known.member === one.member && known.id === one.id;
  const known = remembered.map((one): Listed => {
    const words = heard.filter((word) => isMeant(one, word));
    return {
      ...one,
      isStarted: one.isStarted || words.some(({ isStarted }) => isStarted),
      isLearner: one.isLearner && words.every(({ isLearner }) => isLearner),
    };
  });
  const isNew = (word: Listed): boolean =>
    !remembered.some((one) => one.member === word.member) && volumes.some(({ member }) => member === word.member);
  const news = new Map(heard.filter(isNew).map((word) => [word.member, word]));
  return [...known, ...news.values()];
}
