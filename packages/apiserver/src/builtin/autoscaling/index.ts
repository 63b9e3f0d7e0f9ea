/** The rules of the group autoscaling. */
import type { ResourceName } from "../context.ts";
import type { ResourceRules } from "../rules.ts";
import { horizontalPodAutoscaler } from "./horizontal-pod-autoscaler.ts";

export const autoscalingRules: ReadonlyMap<ResourceName, ResourceRules> = new Map<ResourceName, ResourceRules>([
  ["horizontalpodautoscalers.autoscaling", horizontalPodAutoscaler],
]);
