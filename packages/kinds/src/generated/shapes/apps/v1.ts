import type { IntOrString, KubeList, ObjectMeta, StoredMeta } from "@capstan/model";
import type { JsonObject, Keyed } from "../../../shape.ts";
import type { LabelSelector, LabelSelectorApply } from "../meta/v1.ts";
import type { PersistentVolumeClaim, PersistentVolumeClaimApply, PodTemplateSpec, PodTemplateSpecApply } from "../v1.ts";

export interface ControllerRevision {
  readonly apiVersion: "apps/v1";
  readonly data?: JsonObject;
  readonly kind: "ControllerRevision";
  readonly metadata: StoredMeta;
  readonly revision: number;
}

export interface ControllerRevisionApply {
  readonly apiVersion?: "apps/v1";
  readonly data?: JsonObject;
  readonly kind?: "ControllerRevision";
  readonly metadata?: ObjectMeta;
  readonly revision?: number;
}

export type ControllerRevisionList = KubeList<ControllerRevision>;

export interface DaemonSet {
  readonly apiVersion: "apps/v1";
  readonly kind: "DaemonSet";
  readonly metadata: StoredMeta;
  readonly spec?: DaemonSetSpec;
  readonly status?: DaemonSetStatus;
}

export interface DaemonSetApply {
  readonly apiVersion?: "apps/v1";
  readonly kind?: "DaemonSet";
  readonly metadata?: ObjectMeta;
  readonly spec?: DaemonSetSpecApply;
  readonly status?: DaemonSetStatusApply;
}

export interface DaemonSetCondition {
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status: string;
  readonly type: string;
}

export interface DaemonSetConditionApply {
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status?: string;
  readonly type?: string;
}

export type DaemonSetList = KubeList<DaemonSet>;

export interface DaemonSetSpec {
  readonly minReadySeconds?: number;
  readonly revisionHistoryLimit?: number;
  readonly selector: LabelSelector;
  readonly template: PodTemplateSpec;
  readonly updateStrategy?: DaemonSetUpdateStrategy;
}

export interface DaemonSetSpecApply {
  readonly minReadySeconds?: number;
  readonly revisionHistoryLimit?: number;
  readonly selector?: LabelSelectorApply;
  readonly template?: PodTemplateSpecApply;
  readonly updateStrategy?: DaemonSetUpdateStrategyApply;
}

export interface DaemonSetStatus {
  readonly collisionCount?: number;
  readonly conditions?: readonly DaemonSetCondition[];
  readonly currentNumberScheduled: number;
  readonly desiredNumberScheduled: number;
  readonly numberAvailable?: number;
  readonly numberMisscheduled: number;
  readonly numberReady: number;
  readonly numberUnavailable?: number;
  readonly observedGeneration?: number;
  readonly updatedNumberScheduled?: number;
}

export interface DaemonSetStatusApply {
  readonly collisionCount?: number;
  readonly conditions?: readonly Keyed<DaemonSetConditionApply, "type">[];
  readonly currentNumberScheduled?: number;
  readonly desiredNumberScheduled?: number;
  readonly numberAvailable?: number;
  readonly numberMisscheduled?: number;
  readonly numberReady?: number;
  readonly numberUnavailable?: number;
  readonly observedGeneration?: number;
  readonly updatedNumberScheduled?: number;
}

export interface DaemonSetUpdateStrategy {
  readonly rollingUpdate?: RollingUpdateDaemonSet;
  readonly type?: "OnDelete" | "RollingUpdate";
}

export interface DaemonSetUpdateStrategyApply {
  readonly rollingUpdate?: RollingUpdateDaemonSetApply;
  readonly type?: "OnDelete" | "RollingUpdate";
}

export interface Deployment {
  readonly apiVersion: "apps/v1";
  readonly kind: "Deployment";
  readonly metadata: StoredMeta;
  readonly spec?: DeploymentSpec;
  readonly status?: DeploymentStatus;
}

export interface DeploymentApply {
  readonly apiVersion?: "apps/v1";
  readonly kind?: "Deployment";
  readonly metadata?: ObjectMeta;
  readonly spec?: DeploymentSpecApply;
  readonly status?: DeploymentStatusApply;
}

export interface DeploymentCondition {
  readonly lastTransitionTime?: string;
  readonly lastUpdateTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status: string;
  readonly type: string;
}

export interface DeploymentConditionApply {
  readonly lastTransitionTime?: string;
  readonly lastUpdateTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status?: string;
  readonly type?: string;
}

export type DeploymentList = KubeList<Deployment>;

export interface DeploymentSpec {
  readonly minReadySeconds?: number;
  readonly paused?: boolean;
  readonly progressDeadlineSeconds?: number;
  readonly replicas?: number;
  readonly revisionHistoryLimit?: number;
  readonly selector: LabelSelector;
  readonly strategy?: DeploymentStrategy;
  readonly template: PodTemplateSpec;
}

export interface DeploymentSpecApply {
  readonly minReadySeconds?: number;
  readonly paused?: boolean;
  readonly progressDeadlineSeconds?: number;
  readonly replicas?: number;
  readonly revisionHistoryLimit?: number;
  readonly selector?: LabelSelectorApply;
  readonly strategy?: DeploymentStrategyApply;
  readonly template?: PodTemplateSpecApply;
}

export interface DeploymentStatus {
  readonly availableReplicas?: number;
  readonly collisionCount?: number;
  readonly conditions?: readonly DeploymentCondition[];
  readonly observedGeneration?: number;
  readonly readyReplicas?: number;
  readonly replicas?: number;
  readonly terminatingReplicas?: number;
  readonly unavailableReplicas?: number;
  readonly updatedReplicas?: number;
}

export interface DeploymentStatusApply {
  readonly availableReplicas?: number;
  readonly collisionCount?: number;
  readonly conditions?: readonly Keyed<DeploymentConditionApply, "type">[];
  readonly observedGeneration?: number;
  readonly readyReplicas?: number;
  readonly replicas?: number;
  readonly terminatingReplicas?: number;
  readonly unavailableReplicas?: number;
  readonly updatedReplicas?: number;
}

export interface DeploymentStrategy {
  readonly rollingUpdate?: RollingUpdateDeployment;
  readonly type?: "Recreate" | "RollingUpdate";
}

export interface DeploymentStrategyApply {
  readonly rollingUpdate?: RollingUpdateDeploymentApply;
  readonly type?: "Recreate" | "RollingUpdate";
}

export interface ReplicaSet {
  readonly apiVersion: "apps/v1";
  readonly kind: "ReplicaSet";
  readonly metadata: StoredMeta;
  readonly spec?: ReplicaSetSpec;
  readonly status?: ReplicaSetStatus;
}

export interface ReplicaSetApply {
  readonly apiVersion?: "apps/v1";
  readonly kind?: "ReplicaSet";
  readonly metadata?: ObjectMeta;
  readonly spec?: ReplicaSetSpecApply;
  readonly status?: ReplicaSetStatusApply;
}

export interface ReplicaSetCondition {
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status: string;
  readonly type: string;
}

export interface ReplicaSetConditionApply {
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status?: string;
  readonly type?: string;
}

export type ReplicaSetList = KubeList<ReplicaSet>;

export interface ReplicaSetSpec {
  readonly minReadySeconds?: number;
  readonly replicas?: number;
  readonly selector: LabelSelector;
  readonly template?: PodTemplateSpec;
}

export interface ReplicaSetSpecApply {
  readonly minReadySeconds?: number;
  readonly replicas?: number;
  readonly selector?: LabelSelectorApply;
  readonly template?: PodTemplateSpecApply;
}

export interface ReplicaSetStatus {
  readonly availableReplicas?: number;
  readonly conditions?: readonly ReplicaSetCondition[];
  readonly fullyLabeledReplicas?: number;
  readonly observedGeneration?: number;
  readonly readyReplicas?: number;
  readonly replicas: number;
  readonly terminatingReplicas?: number;
}

export interface ReplicaSetStatusApply {
  readonly availableReplicas?: number;
  readonly conditions?: readonly Keyed<ReplicaSetConditionApply, "type">[];
  readonly fullyLabeledReplicas?: number;
  readonly observedGeneration?: number;
  readonly readyReplicas?: number;
  readonly replicas?: number;
  readonly terminatingReplicas?: number;
}

export interface RollingUpdateDaemonSet {
  readonly maxSurge?: IntOrString;
  readonly maxUnavailable?: IntOrString;
}

export interface RollingUpdateDaemonSetApply {
  readonly maxSurge?: IntOrString;
  readonly maxUnavailable?: IntOrString;
}

export interface RollingUpdateDeployment {
  readonly maxSurge?: IntOrString;
  readonly maxUnavailable?: IntOrString;
}

export interface RollingUpdateDeploymentApply {
  readonly maxSurge?: IntOrString;
  readonly maxUnavailable?: IntOrString;
}

export interface RollingUpdateStatefulSetStrategy {
  readonly maxUnavailable?: IntOrString;
  readonly partition?: number;
}

export interface RollingUpdateStatefulSetStrategyApply {
  readonly maxUnavailable?: IntOrString;
  readonly partition?: number;
}

export interface StatefulSet {
  readonly apiVersion: "apps/v1";
  readonly kind: "StatefulSet";
  readonly metadata: StoredMeta;
  readonly spec?: StatefulSetSpec;
  readonly status?: StatefulSetStatus;
}

export interface StatefulSetApply {
  readonly apiVersion?: "apps/v1";
  readonly kind?: "StatefulSet";
  readonly metadata?: ObjectMeta;
  readonly spec?: StatefulSetSpecApply;
  readonly status?: StatefulSetStatusApply;
}

export interface StatefulSetCondition {
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status: string;
  readonly type: string;
}

export interface StatefulSetConditionApply {
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status?: string;
  readonly type?: string;
}

export type StatefulSetList = KubeList<StatefulSet>;

export interface StatefulSetOrdinals {
  readonly start?: number;
}

export interface StatefulSetOrdinalsApply {
  readonly start?: number;
}

export interface StatefulSetPersistentVolumeClaimRetentionPolicy {
  readonly whenDeleted?: string;
  readonly whenScaled?: string;
}

export interface StatefulSetPersistentVolumeClaimRetentionPolicyApply {
  readonly whenDeleted?: string;
  readonly whenScaled?: string;
}

export interface StatefulSetSpec {
  readonly minReadySeconds?: number;
  readonly ordinals?: StatefulSetOrdinals;
  readonly persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy;
  readonly podManagementPolicy?: "OrderedReady" | "Parallel";
  readonly replicas?: number;
  readonly revisionHistoryLimit?: number;
  readonly selector: LabelSelector;
  readonly serviceName?: string;
  readonly template: PodTemplateSpec;
  readonly updateStrategy?: StatefulSetUpdateStrategy;
  readonly volumeClaimTemplates?: readonly PersistentVolumeClaim[];
}

export interface StatefulSetSpecApply {
  readonly minReadySeconds?: number;
  readonly ordinals?: StatefulSetOrdinalsApply;
  readonly persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicyApply;
  readonly podManagementPolicy?: "OrderedReady" | "Parallel";
  readonly replicas?: number;
  readonly revisionHistoryLimit?: number;
  readonly selector?: LabelSelectorApply;
  readonly serviceName?: string;
  readonly template?: PodTemplateSpecApply;
  readonly updateStrategy?: StatefulSetUpdateStrategyApply;
  readonly volumeClaimTemplates?: readonly PersistentVolumeClaimApply[];
}

export interface StatefulSetStatus {
  readonly availableReplicas?: number;
  readonly collisionCount?: number;
  readonly conditions?: readonly StatefulSetCondition[];
  readonly currentReplicas?: number;
  readonly currentRevision?: string;
  readonly observedGeneration?: number;
  readonly readyReplicas?: number;
  readonly replicas: number;
  readonly updateRevision?: string;
  readonly updatedReplicas?: number;
}

export interface StatefulSetStatusApply {
  readonly availableReplicas?: number;
  readonly collisionCount?: number;
  readonly conditions?: readonly Keyed<StatefulSetConditionApply, "type">[];
  readonly currentReplicas?: number;
  readonly currentRevision?: string;
  readonly observedGeneration?: number;
  readonly readyReplicas?: number;
  readonly replicas?: number;
  readonly updateRevision?: string;
  readonly updatedReplicas?: number;
}

export interface StatefulSetUpdateStrategy {
  readonly rollingUpdate?: RollingUpdateStatefulSetStrategy;
  readonly type?: "OnDelete" | "RollingUpdate";
}

export interface StatefulSetUpdateStrategyApply {
  readonly rollingUpdate?: RollingUpdateStatefulSetStrategyApply;
  readonly type?: "OnDelete" | "RollingUpdate";
}
