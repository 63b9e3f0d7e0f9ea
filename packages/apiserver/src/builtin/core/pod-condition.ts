/** Sets conditions of a pod on behalf of the server. */
import type { PodCondition, PodStatus } from "@capstan/kinds/v1";
import type { Draft } from "../draft.ts";

interface Wanted {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/** Adds or replaces a condition; the time of transition changes only with the status. */
export function setPodCondition(status: Draft<PodStatus>, wanted: Wanted, now: string): void {
  const conditions = status.conditions ?? [];
  const before = conditions.find(({ type }) => type === wanted.type);
  const lastTransitionTime = before?.status === wanted.status ? (before.lastTransitionTime ?? now) : now;
  const condition = { ...wanted, lastTransitionTime } as Draft<PodCondition>;
  status.conditions =
    before === undefined ? [...conditions, condition] : conditions.map((one) => (one === before ? condition : one));
}
