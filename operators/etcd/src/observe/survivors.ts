/** Compares the data of those that are left without quorum: who of them goes on depends on it, and nobody writes meanwhile. */
import type { Answer, Observation, SeenPod } from "../contract.ts";
import { differingAmong, hashAll } from "./hashes.ts";
import type { Hearing } from "./members.ts";
import { FRESH, isOlder, pauseAfter, SOON } from "./pace.ts";
import type { Reach } from "./reach.ts";

/** What was found when those that are left were last compared. */
export interface Remains {
  readonly at: number;
  /** Who they were, in which pods and with what: others are another question. */
  readonly of: string;
  readonly differing: readonly string[];
  readonly unhashed: readonly string[];
}

/** What is known of the data of those that are left. */
export type Survivors = Required<Pick<Observation, "differing" | "unhashed">>;

/** What a comparison depends on. */
export interface SurvivorFacts {
  readonly answers: Hearing["answers"];
  readonly pods: readonly Pick<SeenPod, "member" | "uid">[];
  readonly clusterId: string | undefined;
  readonly now: number;
  readonly former: Remains | undefined;
  /** Since when somebody has given no hash. */
  readonly since: number | undefined;
}

/** What holds now, and what is to be remembered. */
export interface Weighed {
  readonly survivors: Survivors;
  readonly remains: Remains | undefined;
}

/**
 * Who of those that are left differs, and who could not be asked; there is nothing to compare where one is left. Strangers are nobody's
 * measure. All data is read for it, so what was found is kept as long as they are the same, and what was not is asked for with pauses.
 */
export async function compareSurvivors(reach: Reach, facts: SurvivorFacts): Promise<Weighed> {
  const { answers, now, former } = facts;
  const own = ownOf(facts);
  const names = own.map(([member]) => member);
  const isOpen = former !== undefined && former.unhashed.length > 0;
  // Whoever comes and goes is not to be asked each time it comes.
  if (own.length < 2) return { survivors: { differing: [], unhashed: [] }, remains: isOpen ? former : undefined };
  const of = own.map((one) => formatOne(one, facts.pods)).join(", ");
  if (former?.of === of && !isDue(former, facts)) return { survivors: former, remains: former };
  const isTooSoon = isOpen && !isOlder(former, { now, than: SOON });
  if (isTooSoon) return { survivors: { differing: [], unhashed: names }, remains: former };
  const hashes = await hashAll(reach, Object.fromEntries(names.map((name) => [name, answers[name] ?? SILENT])));
  const remains = {
    at: now,
    of,
    differing: differingAmong(hashes),
    unhashed: names.filter((name) => hashes.every(({ member }) => member !== name)),
  };
  return { survivors: remains, remains };
}

const SILENT = { is: "silent", why: "" } as const;

type Talking = Extract<Answer, { is: "talking" }>;

/** Learners give no hash, and what they have is nobody's measure. */
function ownOf({ answers, clusterId }: SurvivorFacts): readonly (readonly [string, Talking])[] {
  return Object.entries(answers).flatMap(([member, answer]) => {
    if (answer.is !== "talking" || answer.isLearner) return [];
    return clusterId === undefined || answer.clusterId === clusterId ? [[member, answer] as const] : [];
  });
}

function formatOne([member, { revision }]: readonly [string, Talking], pods: SurvivorFacts["pods"]): string {
  const { uid = "no pod" } = pods.find((pod) => pod.member === member) ?? {};
  return `${member} (${uid}) at ${revision}`;
}

function isDue(former: Remains, { now, since = now }: SurvivorFacts): boolean {
  return isOlder(former, { now, than: former.unhashed.length === 0 ? FRESH : pauseAfter(former, since) });
}
