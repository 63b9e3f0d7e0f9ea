/** The annotations of a Subscription about rollbacks. */
import type { Subscription } from "../kinds/subscription.ts";

/** The version that a rollback under way returns to. */
export const rollBackToAnnotation = "lifecycle.capstan.dev/roll-back-to";
/** The version that it leaves. */
export const rollBackFromAnnotation = "lifecycle.capstan.dev/roll-back-from";
/** The InstallPlan of the rollback. */
export const rollbackPlanAnnotation = "lifecycle.capstan.dev/rollback-plan";
/** Versions that the Subscription does not install, separated by commas: those that were rolled back. Users remove them to try again. */
export const excludedAnnotation = "lifecycle.capstan.dev/excluded-versions";
/** How long a new version may take to succeed, such as `10m`, before it is rolled back. */
export const rollbackAfterAnnotation = "lifecycle.capstan.dev/roll-back-after";

/** On the plan of a rollback: what the version before replaced, which it says again when the rollback is complete. */
export const replacesAnnotation = "lifecycle.capstan.dev/replaces";

/** A rollback under way. */
export interface Rollback {
  readonly from: string;
  readonly to: string;
  readonly plan: string;
}

/** The rollback of a Subscription; undefined without one. */
export function rollbackOf({ metadata: { annotations = {} } }: Pick<Subscription, "metadata">): Rollback | undefined {
  const to = annotations[rollBackToAnnotation] ?? "";
  const plan = annotations[rollbackPlanAnnotation] ?? "";
  return to === "" || plan === "" ? undefined : { from: annotations[rollBackFromAnnotation] ?? "", to, plan };
}

/** The versions that a Subscription does not install. */
export function excludedOf({ metadata }: Pick<Subscription, "metadata">): readonly string[] {
  const text = metadata.annotations?.[excludedAnnotation] ?? "";
  return text.split(",").flatMap((each) => (each.trim() === "" ? [] : [each.trim()]));
}
