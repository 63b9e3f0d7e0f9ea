/** The rules of the group policy. */
import type { ResourceName } from "../context.ts";
import type { ResourceRules } from "../rules.ts";
import { podDisruptionBudget } from "./pod-disruption-budget.ts";

export const policyRules: ReadonlyMap<ResourceName, ResourceRules> = new Map<ResourceName, ResourceRules>([
  ["poddisruptionbudgets.policy", podDisruptionBudget],
]);
