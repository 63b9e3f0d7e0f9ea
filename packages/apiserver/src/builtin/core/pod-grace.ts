/** The grace period of the deletion of a pod. */
import type { Pod } from "@capstan/kinds/v1";

/** Zero for a pod that is not scheduled or has finished. */
export function graceOf({ spec, status }: Pod, requested: number | undefined): number {
  const isOver = status?.phase === "Failed" || status?.phase === "Succeeded";
  if ((spec?.nodeName ?? "") === "" || isOver) return 0;
  const grace = requested ?? spec?.terminationGracePeriodSeconds ?? 0;
  return grace < 0 ? 1 : grace;
}
