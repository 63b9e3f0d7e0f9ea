/**
 * Compares the data of the members that survive a quorum loss. The choice of the recovery source depends on it, and no client can write
 * meanwhile.
 */
import type { MemberStatus, Observation, ObservedPod } from "../contract.ts";
import { differingAmong, hashAll } from "./hashes.ts";
import type { MemberReports } from "./reports.ts";
import { reuseInterval, isOlder, nextInterval, retryInterval } from "./intervals.ts";
import type { HashReader } from "./reports.ts";

/**
 * The finding of the last comparison of survivors.
 *
 * @example
 * const isOpen = ({ withoutHash }: SurvivorComparison) => withoutHash.length > 0;
 */
export interface SurvivorComparison {
  readonly at: number;
  /** The survivors, their pods and revisions. A change is compared at once. */
  readonly of: string;
  readonly differing: readonly string[];
  readonly withoutHash: readonly string[];
}

/** What is known about the data of the survivors. */
export type Survivors = Required<Pick<Observation, "differing" | "withoutHash">>;

/**
 * What a comparison of survivors depends on.
 *
 * @example
 * const isFirst = ({ former }: SurvivorFacts) => former === undefined;
 */
export interface SurvivorFacts {
  readonly answers: MemberReports["answers"];
  readonly pods: readonly Pick<ObservedPod, "member" | "uid">[];
  readonly clusterId: string | undefined;
  readonly now: number;
  readonly former: SurvivorComparison | undefined;
  /** Since when a member has returned no hash. */
  readonly since: number | undefined;
}

/** The present finding, and the state to record. */
export interface SurvivorResult {
  readonly survivors: Survivors;
  readonly remains: SurvivorComparison | undefined;
}

/**
 * Which survivors differ, and which could not be asked. A single survivor has no other to compare with. Members of another cluster are
 * ignored. A comparison reads all data, so a finding is kept while the survivors are the same, and a missing hash is requested with
 * growing delays.
 *
 * @example
 * const compare = async (reader: HashReader, facts: SurvivorFacts) => await compareSurvivors(reader, facts);
 */
export async function compareSurvivors(clients: HashReader, facts: SurvivorFacts): Promise<SurvivorResult> {
  const { answers, now, former } = facts;
  const own = ownHashes(facts);
  const names = own.map(([member]) => member);
  const isOpen = former !== undefined && former.withoutHash.length > 0;
  // A member that comes and goes is not asked each time.
  if (own.length < 2) return { survivors: { differing: [], withoutHash: [] }, remains: isOpen ? former : undefined };
  const of = own.map((one) => formatOne(one, facts.pods)).join(", ");
  if (former?.of === of && !isDue(former, facts)) return { survivors: former, remains: former };
  const isTooSoon = isOpen && !isOlder(former, { now, than: retryInterval });
  if (isTooSoon) return { survivors: { differing: [], withoutHash: names }, remains: former };
  const hashes = await hashAll(
    clients,
    Object.fromEntries(names.map((name) => [name, answers[name] ?? unreachableStatus])),
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

/** Learners return no hash and do not count. */
function ownHashes({ answers, clusterId }: SurvivorFacts): readonly (readonly [string, Talking])[] {
  return Object.entries(answers).flatMap(([member, answer]) => {
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
