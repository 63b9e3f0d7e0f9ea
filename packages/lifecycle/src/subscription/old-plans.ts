/** Which InstallPlans of a namespace are old enough to be deleted. */
import type { InstallPlan } from "../kinds/install-plan.ts";

const KEPT = 5;
const DELETED_AT_ONCE = 5;

/** The plans to delete: the lowest generations, until five are left, and at most five at once. */
export function oldPlans(plans: readonly InstallPlan[]): readonly InstallPlan[] {
  const considered = plans.slice(0, KEPT + DELETED_AT_ONCE);
  const generation = ({ spec }: InstallPlan): number => spec.generation ?? 0;
  const sorted = [...considered].sort(
    (a, b) =>
      generation(a) - generation(b) ||
      a.metadata.creationTimestamp.localeCompare(b.metadata.creationTimestamp) ||
      a.metadata.name.localeCompare(b.metadata.name),
  );
  return sorted.slice(0, Math.max(0, considered.length - KEPT));
}
