/** A condition of a pod that somebody else than its node tells. Pure. */
import type { Pod } from "@capstan/kinds/v1";
import { formatTime } from "@capstan/model";

type Condition = NonNullable<NonNullable<Pod["status"]>["conditions"]>[number];

/** The condition as of the generation that was looked at. */
export function conditionOf(
  { metadata: { generation } }: Pod,
  fields: Pick<Condition, "type" | "status" | "reason" | "message">,
  now: number,
): Condition {
  return {
    ...fields,
    ...(generation !== undefined && { observedGeneration: generation }),
    lastTransitionTime: formatTime(now),
  };
}
