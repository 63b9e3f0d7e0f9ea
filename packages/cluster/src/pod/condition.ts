/** Pod conditions that a controller writes. Pure. */
import type { Pod } from "@capstan/kinds/v1";
import { formatTime } from "@capstan/model";

type Condition = NonNullable<NonNullable<Pod["status"]>["conditions"]>[number];

/** The condition with the observed generation and the transition time. */
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
