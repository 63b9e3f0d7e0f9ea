/** Compares the data of those that are left without quorum: who of them goes on depends on it, and nobody writes meanwhile. */
import type { MemberStatus, Observation, ObservedPod } from "../contract.ts";
import { differingAmong, hashAll } from "./hashes.ts";
import type { MemberReport } from "./query-members.ts";
import { reuseInterval, isOlder, nextInterval, retryInterval } from "./intervals.ts";
import type { MemberClients } from "./member-clients.ts";

/** What was found when those that are left were last compared. */
export interface SurvivorComparison {
  readonly at: number;
  /** Who they were, in which pods and with what: others are another question. */
  readonly of: string;
  readonly differing: readonly string[];
  readonly withoutHash: readonly string[];
}

/** What is known of the data of those that are left. */
export type Survivors = Required<Pick<Observation, "differing" | "withoutHash">>;

/** What a comparison depends on. */
export interface SurvivorFacts {
  readonly answers: MemberReport["answers"];
  readonly pods: readonly Pick<ObservedPod, "member" | "uid">[];
  readonly clusterId: string | undefined;
  readonly now: number;
  readonly former: SurvivorComparison | undefined;
  /** Since when somebody has given no hash. */
  readonly since: number | undefined;
}

/** What holds now, and what is to be remembered. */
export interface SurvivorResult {
  readonly survivors: Survivors;
  readonly remains: SurvivorComparison | undefined;
}

/**
 * Who of those that are left differs, and who could not be asked; there is nothing to compare where one is left. Strangers are nobody's
 * measure. All data is read for it, so what was found is kept as long as they are the same, and what was not is asked for with pauses.
 */
export async function compareSurvivors(clients: MemberClients, facts: SurvivorFacts): Promise<SurvivorResult> {
  const { answers: memberStatuses, now, former } = facts;
  const own = ownHashes(facts);
  const names = own.map(([member]) => member);
  const isOpen = former !== undefined && former.withoutHash.length > 0;
  // Whoever comes and goes is not to be asked each time it comes.
  if (own.length < 2) return { survivors: { differing: [], withoutHash: [] }, remains: isOpen ? former : undefined };
  const of = own.map((one) => formatOne(one, facts.pods)).join(", ");
  if (former?.of === of && !isDue(former, facts)) return { survivors: former, remains: former };
  const isTooSoon = isOpen && !isOlder(former, { now, than: retryInterval });
  if (isTooSoon) return { survivors: { differing: [], withoutHash: names }, remains: former };
  const hashes = await hashAll(
    clients,
    Object.fromEntries(names.map((name) => [name, memberStatuses[name] ?? unreachableStatus])),
  );
  const remains = {
    at: now,
    of,
    differing: differingAmong(hashes),
    withoutHash: names.filter((name) => hashes.every(({ member }) => member !== name)),
  };
  return { survivors: remains, remains };
}

const unreachableStatus = { is: "silent", why: "" } as const;

type Talking = Extract<MemberStatus, { is: "talking" }>;

/** Learners give no hash, and what they have is nobody's measure. */
function ownHashes({ answers: memberStatuses, clusterId }: SurvivorFacts): readonly (readonly [string, Talking])[] {
  return Object.entries(memberStatuses).flatMap(([member, answer]) => {
    if (answer.is !== "talking" || answer.isLearner) return [];
    return clusterId === undefined || answer.clusterId === clusterId ? [[member, answer] as const] : [];
  });
}

function formatOne([member, { revision }]: readonly [string, Talking], pods: SurvivorFacts["pods"]): string {
  const { uid = "no pod" } = pods.find((pod) => pod.member === member) ?? {};
  return `${member} (${uid}) at ${revision}`;
}

function isDue(former: SurvivorComparison, { now, since = now }: SurvivorFacts): boolean {
  return isOlder(former, { now, than: former.withoutHash.length === 0 ? reuseInterval : nextInterval(former, since) });
}
