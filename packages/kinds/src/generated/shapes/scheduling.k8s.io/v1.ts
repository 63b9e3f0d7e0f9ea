import type { KubeList, ObjectMeta, StoredMeta } from "@capstan/model";

export interface PriorityClass {
  readonly apiVersion: "scheduling.k8s.io/v1";
  readonly description?: string;
  readonly globalDefault?: boolean;
  readonly kind: "PriorityClass";
  readonly metadata: StoredMeta;
  readonly preemptionPolicy?: "Never" | "PreemptLowerPriority";
  readonly value?: number;
}

export interface PriorityClassApply {
  readonly apiVersion?: "scheduling.k8s.io/v1";
  readonly description?: string;
  readonly globalDefault?: boolean;
  readonly kind?: "PriorityClass";
  readonly metadata?: ObjectMeta;
  readonly preemptionPolicy?: "Never" | "PreemptLowerPriority";
  readonly value?: number;
}

export type PriorityClassList = KubeList<PriorityClass>;
