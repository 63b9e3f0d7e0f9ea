/** How often data that is known to differ is compared again: everybody reads all of it, and as long as nothing is done about it the same is found. */
import type { ObservedPod } from "../contract.ts";
import type { Comparison } from "./compare.ts";
import type { MemberReport } from "./query-members.ts";
import { isOlder, nextInterval, hourlyInterval } from "./intervals.ts";

/** What a finding is about. */
export interface DisagreementFacts {
  readonly hearing: Pick<MemberReport, "quorum">;
  readonly pods: readonly Pick<ObservedPod, "member" | "uid">[];
  /** Of the spec: somebody may have changed it because of what was found. */
  readonly generation: number;
}

/** Who votes, in which pods, by which spec: others are another question, and it is asked at once. */
export function disagreementKey({ hearing: report, pods, generation }: DisagreementFacts): string {
  const voters = (report.quorum?.members ?? []).filter(({ isLearner }) => !isLearner);
  const uidOf = (name: string): string => pods.find(({ member }) => member === name)?.uid ?? "no pod";
  const names = voters.map(({ member, id }) => `${member} ${id} (${uidOf(member)})`).toSorted();
  return [...names, `spec ${generation}`].join(", ");
}

/** What was found just now, and since when the same has been found of the same. */
export function withSince(found: Comparison, { former, subject, now }: Finding): Comparison {
  const { of, since: _since, ...rest } = found;
  if (!isUnhealthy(found)) return rest;
  // What was kept has it already.
  if (of !== undefined) return found;
  const isSame = former?.of === subject && textOf(former) === textOf(found);
  return { ...found, of: subject, since: isSame ? (former.since ?? former.at) : now };
}

interface Finding {
  readonly former: Comparison | undefined;
  readonly subject: string;
  readonly now: number;
}

/** Whether what was found is still to be taken for what is: for one minute, two, four, and at last an hour. */
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
