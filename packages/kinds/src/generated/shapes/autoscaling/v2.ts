import type { KubeList, ObjectMeta, StoredMeta } from "@capstan/model";
import type { Keyed } from "../../../shape.ts";
import type { LabelSelector, LabelSelectorApply } from "../meta/v1.ts";

export interface ContainerResourceMetricSource {
  readonly container: string;
  readonly name: string;
  readonly target: MetricTarget;
}

export interface ContainerResourceMetricSourceApply {
  readonly container?: string;
  readonly name?: string;
  readonly target?: MetricTargetApply;
}

export interface ContainerResourceMetricStatus {
  readonly container: string;
  readonly current: MetricValueStatus;
  readonly name: string;
}

export interface ContainerResourceMetricStatusApply {
  readonly container?: string;
  readonly current?: MetricValueStatusApply;
  readonly name?: string;
}

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

export interface ExternalMetricSource {
  readonly metric: MetricIdentifier;
  readonly target: MetricTarget;
}

export interface ExternalMetricSourceApply {
  readonly metric?: MetricIdentifierApply;
  readonly target?: MetricTargetApply;
}

export interface ExternalMetricStatus {
  readonly current: MetricValueStatus;
  readonly metric: MetricIdentifier;
}

export interface ExternalMetricStatusApply {
  readonly current?: MetricValueStatusApply;
  readonly metric?: MetricIdentifierApply;
}

export interface HPAScalingPolicy {
  readonly periodSeconds: number;
  readonly type: string;
  readonly value: number;
}

export interface HPAScalingPolicyApply {
  readonly periodSeconds?: number;
  readonly type?: string;
  readonly value?: number;
}

export interface HPAScalingRules {
  readonly policies?: readonly HPAScalingPolicy[];
  readonly selectPolicy?: string;
  readonly stabilizationWindowSeconds?: number;
  readonly tolerance?: string;
}

export interface HPAScalingRulesApply {
  readonly policies?: readonly HPAScalingPolicyApply[];
  readonly selectPolicy?: string;
  readonly stabilizationWindowSeconds?: number;
  readonly tolerance?: string | number;
}

export interface HorizontalPodAutoscaler {
  readonly apiVersion: "autoscaling/v2";
  readonly kind: "HorizontalPodAutoscaler";
  readonly metadata: StoredMeta;
  readonly spec: HorizontalPodAutoscalerSpec;
  readonly status?: HorizontalPodAutoscalerStatus;
}

export interface HorizontalPodAutoscalerApply {
  readonly apiVersion?: "autoscaling/v2";
  readonly kind?: "HorizontalPodAutoscaler";
  readonly metadata?: ObjectMeta;
  readonly spec?: HorizontalPodAutoscalerSpecApply;
  readonly status?: HorizontalPodAutoscalerStatusApply;
}

export interface HorizontalPodAutoscalerBehavior {
  readonly scaleDown?: HPAScalingRules;
  readonly scaleUp?: HPAScalingRules;
}

export interface HorizontalPodAutoscalerBehaviorApply {
  readonly scaleDown?: HPAScalingRulesApply;
  readonly scaleUp?: HPAScalingRulesApply;
}

export interface HorizontalPodAutoscalerCondition {
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status: string;
  readonly type: string;
}

export interface HorizontalPodAutoscalerConditionApply {
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status?: string;
  readonly type?: string;
}

export type HorizontalPodAutoscalerList = KubeList<HorizontalPodAutoscaler>;

export interface HorizontalPodAutoscalerSpec {
  readonly behavior?: HorizontalPodAutoscalerBehavior;
  readonly maxReplicas: number;
  readonly metrics?: readonly MetricSpec[];
  readonly minReplicas?: number;
  readonly scaleTargetRef: CrossVersionObjectReference;
}

export interface HorizontalPodAutoscalerSpecApply {
  readonly behavior?: HorizontalPodAutoscalerBehaviorApply;
  readonly maxReplicas?: number;
  readonly metrics?: readonly MetricSpecApply[];
  readonly minReplicas?: number;
  readonly scaleTargetRef?: CrossVersionObjectReferenceApply;
}

export interface HorizontalPodAutoscalerStatus {
  readonly conditions?: readonly HorizontalPodAutoscalerCondition[];
  readonly currentMetrics?: readonly MetricStatus[];
  readonly currentReplicas?: number;
  readonly desiredReplicas: number;
  readonly lastScaleTime?: string;
  readonly observedGeneration?: number;
}

export interface HorizontalPodAutoscalerStatusApply {
  readonly conditions?: readonly Keyed<HorizontalPodAutoscalerConditionApply, "type">[];
  readonly currentMetrics?: readonly MetricStatusApply[];
  readonly currentReplicas?: number;
  readonly desiredReplicas?: number;
  readonly lastScaleTime?: string;
  readonly observedGeneration?: number;
}

export interface MetricIdentifier {
  readonly name: string;
  readonly selector?: LabelSelector;
}

export interface MetricIdentifierApply {
  readonly name?: string;
  readonly selector?: LabelSelectorApply;
}

export interface MetricSpec {
  readonly containerResource?: ContainerResourceMetricSource;
  readonly external?: ExternalMetricSource;
  readonly object?: ObjectMetricSource;
  readonly pods?: PodsMetricSource;
  readonly resource?: ResourceMetricSource;
  readonly type: string;
}

export interface MetricSpecApply {
  readonly containerResource?: ContainerResourceMetricSourceApply;
  readonly external?: ExternalMetricSourceApply;
  readonly object?: ObjectMetricSourceApply;
  readonly pods?: PodsMetricSourceApply;
  readonly resource?: ResourceMetricSourceApply;
  readonly type?: string;
}

export interface MetricStatus {
  readonly containerResource?: ContainerResourceMetricStatus;
  readonly external?: ExternalMetricStatus;
  readonly object?: ObjectMetricStatus;
  readonly pods?: PodsMetricStatus;
  readonly resource?: ResourceMetricStatus;
  readonly type: string;
}

export interface MetricStatusApply {
  readonly containerResource?: ContainerResourceMetricStatusApply;
  readonly external?: ExternalMetricStatusApply;
  readonly object?: ObjectMetricStatusApply;
  readonly pods?: PodsMetricStatusApply;
  readonly resource?: ResourceMetricStatusApply;
  readonly type?: string;
}

export interface MetricTarget {
  readonly averageUtilization?: number;
  readonly averageValue?: string;
  readonly type: string;
  readonly value?: string;
}

export interface MetricTargetApply {
  readonly averageUtilization?: number;
  readonly averageValue?: string | number;
  readonly type?: string;
  readonly value?: string | number;
}

export interface MetricValueStatus {
  readonly averageUtilization?: number;
  readonly averageValue?: string;
  readonly value?: string;
}

export interface MetricValueStatusApply {
  readonly averageUtilization?: number;
  readonly averageValue?: string | number;
  readonly value?: string | number;
}

export interface ObjectMetricSource {
  readonly describedObject: CrossVersionObjectReference;
  readonly metric: MetricIdentifier;
  readonly target: MetricTarget;
}

export interface ObjectMetricSourceApply {
  readonly describedObject?: CrossVersionObjectReferenceApply;
  readonly metric?: MetricIdentifierApply;
  readonly target?: MetricTargetApply;
}

export interface ObjectMetricStatus {
  readonly current: MetricValueStatus;
  readonly describedObject: CrossVersionObjectReference;
  readonly metric: MetricIdentifier;
}

export interface ObjectMetricStatusApply {
  readonly current?: MetricValueStatusApply;
  readonly describedObject?: CrossVersionObjectReferenceApply;
  readonly metric?: MetricIdentifierApply;
}

export interface PodsMetricSource {
  readonly metric: MetricIdentifier;
  readonly target: MetricTarget;
}

export interface PodsMetricSourceApply {
  readonly metric?: MetricIdentifierApply;
  readonly target?: MetricTargetApply;
}

export interface PodsMetricStatus {
  readonly current: MetricValueStatus;
  readonly metric: MetricIdentifier;
}

export interface PodsMetricStatusApply {
  readonly current?: MetricValueStatusApply;
  readonly metric?: MetricIdentifierApply;
}

export interface ResourceMetricSource {
  readonly name: string;
  readonly target: MetricTarget;
}

export interface ResourceMetricSourceApply {
  readonly name?: string;
  readonly target?: MetricTargetApply;
}

export interface ResourceMetricStatus {
  readonly current: MetricValueStatus;
  readonly name: string;
}

export interface ResourceMetricStatusApply {
  readonly current?: MetricValueStatusApply;
  readonly name?: string;
}
