import type { IntOrString, KubeList, ObjectMeta, StoredMeta } from "@capstan/model";
import type { Keyed } from "../../../shape.ts";
import type { Condition, ConditionApply, DeleteOptions, DeleteOptionsApply, LabelSelector, LabelSelectorApply } from "../meta/v1.ts";

export interface Eviction {
  readonly apiVersion: "policy/v1";
  readonly deleteOptions?: DeleteOptions;
  readonly kind: "Eviction";
  readonly metadata: ObjectMeta;
}

export interface EvictionApply {
  readonly apiVersion?: "policy/v1";
  readonly deleteOptions?: DeleteOptionsApply;
  readonly kind?: "Eviction";
  readonly metadata?: ObjectMeta;
}

export interface PodDisruptionBudget {
  readonly apiVersion: "policy/v1";
  readonly kind: "PodDisruptionBudget";
  readonly metadata: StoredMeta;
  readonly spec?: PodDisruptionBudgetSpec;
  readonly status?: PodDisruptionBudgetStatus;
}

export interface PodDisruptionBudgetApply {
  readonly apiVersion?: "policy/v1";
  readonly kind?: "PodDisruptionBudget";
  readonly metadata?: ObjectMeta;
  readonly spec?: PodDisruptionBudgetSpecApply;
  readonly status?: PodDisruptionBudgetStatusApply;
}

export type PodDisruptionBudgetList = KubeList<PodDisruptionBudget>;

export interface PodDisruptionBudgetSpec {
  readonly maxUnavailable?: IntOrString;
  readonly minAvailable?: IntOrString;
  readonly selector?: LabelSelector;
  readonly unhealthyPodEvictionPolicy?: "AlwaysAllow" | "IfHealthyBudget";
}

export interface PodDisruptionBudgetSpecApply {
  readonly maxUnavailable?: IntOrString;
  readonly minAvailable?: IntOrString;
  readonly selector?: LabelSelectorApply;
  readonly unhealthyPodEvictionPolicy?: "AlwaysAllow" | "IfHealthyBudget";
}

export interface PodDisruptionBudgetStatus {
  readonly conditions?: readonly Condition[];
  readonly currentHealthy?: number;
  readonly desiredHealthy?: number;
  readonly disruptedPods?: { readonly [key: string]: string };
  readonly disruptionsAllowed?: number;
  readonly expectedPods?: number;
  readonly observedGeneration?: number;
}

export interface PodDisruptionBudgetStatusApply {
  readonly conditions?: readonly Keyed<ConditionApply, "type">[];
  readonly currentHealthy?: number;
  readonly desiredHealthy?: number;
  readonly disruptedPods?: { readonly [key: string]: string };
  readonly disruptionsAllowed?: number;
  readonly expectedPods?: number;
  readonly observedGeneration?: number;
}
