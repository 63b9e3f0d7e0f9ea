/** How long a pod is given to end. */
import type { Pod } from "@capstan/kinds/v1";

/** A pod that no node runs, or that has ended, goes at once. */
export function graceOf({ spec, status }: Pod, requested: number | undefined): number {
  const isOver = status?.phase === "Failed" || status?.phase === "Succeeded";
  if ((spec?.nodeName ?? "") === "" || isOver) return 0;
  const grace = requested ?? spec?.terminationGracePeriodSeconds ?? 0;
  return grace < 0 ? 1 : grace;
}
