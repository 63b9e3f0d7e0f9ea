/**
 * The interval for comparing data that is known to differ. Each comparison reads all data of all members, and its finding stays the same
 * until something is done.
 */
import type { ObservedPod } from "../contract.ts";
import type { Comparison } from "./compare.ts";
import type { MemberReports } from "./reports.ts";
import { isOlder, nextInterval, hourlyInterval } from "./intervals.ts";

/** What a finding is about. */
export interface DisagreementFacts {
  readonly hearing: Pick<MemberReports, "quorum">;
  readonly pods: readonly Pick<ObservedPod, "member" | "uid">[];
  /** Generation of the spec: the user may have changed it because of the finding. */
  readonly generation: number;
}

/**
 * The voters, their pods, and the generation of the spec. A change of the key is compared at once.
 *
 * @example
 * const key = disagreementKey({ hearing: { quorum: undefined }, pods: [], generation: 1 });
 */
export function disagreementKey({ hearing, pods, generation }: DisagreementFacts): string {
  const voters = (hearing.quorum?.members ?? []).filter(({ isLearner }) => !isLearner);
  const uidOf = (name: string): string => pods.find(({ member }) => member === name)?.uid ?? "no pod";
  const names = voters.map(({ member, id }) => `${member} ${id} (${uidOf(member)})`).toSorted();
  return [...names, `spec ${generation}`].join(", ");
}

/** The new finding, with the time since which it is the same for the same key. */
export function withSince(found: Comparison, { former, subject, now }: Finding): Comparison {
  const { of, since: _since, ...rest } = found;
  if (!isUnhealthy(found)) return rest;
  // A kept finding has its time already.
  if (of !== undefined) return found;
  const isSame = former?.of === subject && textOf(former) === textOf(found);
  return { ...found, of: subject, since: isSame ? (former.since ?? former.at) : now };
}

interface Finding {
  readonly former: Comparison | undefined;
  readonly subject: string;
  readonly now: number;
}

/** Whether a finding is still valid: for one minute, two, four, up to an hour. */
export function isStillValid(former: Comparison, { subject, now }: Pick<Finding, "subject" | "now">): boolean {
  const { since = former.at } = former;
  return former.of === subject && !isOlder(former, { now, than: nextInterval(former, since, hourlyInterval) });
}

function isUnhealthy({ differing, accused = [] }: Comparison): boolean {
  return differing.length > 0 || accused.length > 0;
}

function textOf({ differing, accused = [] }: Comparison): string {
  return [differing, accused].map((names) => names.toSorted().join(" ")).join("; ");
}
