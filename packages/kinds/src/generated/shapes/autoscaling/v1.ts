import type { KubeList, ObjectMeta, StoredMeta } from "@capstan/model";

export interface CrossVersionObjectReference {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly name: string;
}

export interface CrossVersionObjectReferenceApply {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
}

export interface HorizontalPodAutoscaler {
  readonly apiVersion: "autoscaling/v1";
  readonly kind: "HorizontalPodAutoscaler";
  readonly metadata: StoredMeta;
  readonly spec: HorizontalPodAutoscalerSpec;
  readonly status?: HorizontalPodAutoscalerStatus;
}

export interface HorizontalPodAutoscalerApply {
  readonly apiVersion?: "autoscaling/v1";
  readonly kind?: "HorizontalPodAutoscaler";
  readonly metadata?: ObjectMeta;
  readonly spec?: HorizontalPodAutoscalerSpecApply;
  readonly status?: HorizontalPodAutoscalerStatusApply;
}

export type HorizontalPodAutoscalerList = KubeList<HorizontalPodAutoscaler>;

export interface HorizontalPodAutoscalerSpec {
  readonly maxReplicas: number;
  readonly minReplicas?: number;
  readonly scaleTargetRef: CrossVersionObjectReference;
  readonly targetCPUUtilizationPercentage?: number;
}

export interface HorizontalPodAutoscalerSpecApply {
  readonly maxReplicas?: number;
  readonly minReplicas?: number;
  readonly scaleTargetRef?: CrossVersionObjectReferenceApply;
  readonly targetCPUUtilizationPercentage?: number;
}

export interface HorizontalPodAutoscalerStatus {
  readonly currentCPUUtilizationPercentage?: number;
  readonly currentReplicas: number;
  readonly desiredReplicas: number;
  readonly lastScaleTime?: string;
  readonly observedGeneration?: number;
}

export interface HorizontalPodAutoscalerStatusApply {
  readonly currentCPUUtilizationPercentage?: number;
  readonly currentReplicas?: number;
  readonly desiredReplicas?: number;
  readonly lastScaleTime?: string;
  readonly observedGeneration?: number;
}

export interface Scale {
  readonly apiVersion: "autoscaling/v1";
  readonly kind: "Scale";
  readonly metadata: ObjectMeta;
  readonly spec?: ScaleSpec;
  readonly status?: ScaleStatus;
}

export interface ScaleApply {
  readonly apiVersion?: "autoscaling/v1";
  readonly kind?: "Scale";
  readonly metadata?: ObjectMeta;
  readonly spec?: ScaleSpecApply;
  readonly status?: ScaleStatusApply;
}

export interface ScaleSpec {
  readonly replicas?: number;
}

export interface ScaleSpecApply {
  readonly replicas?: number;
}

export interface ScaleStatus {
  readonly replicas: number;
  readonly selector?: string;
}

export interface ScaleStatusApply {
  readonly replicas?: number;
  readonly selector?: string;
}
