import type { KubeList, ObjectMeta, StoredMeta } from "@capstan/model";
import type { LabelSelector, LabelSelectorApply } from "../meta/v1.ts";
import type { ObjectReference, ObjectReferenceApply, PodTemplateSpec, PodTemplateSpecApply } from "../v1.ts";

export interface CronJob {
  readonly apiVersion: "batch/v1";
  readonly kind: "CronJob";
  readonly metadata: StoredMeta;
  readonly spec: CronJobSpec;
  readonly status?: CronJobStatus;
}

export interface CronJobApply {
  readonly apiVersion?: "batch/v1";
  readonly kind?: "CronJob";
  readonly metadata?: ObjectMeta;
  readonly spec?: CronJobSpecApply;
  readonly status?: CronJobStatusApply;
}

export type CronJobList = KubeList<CronJob>;

export interface CronJobSpec {
  readonly concurrencyPolicy?: "Allow" | "Forbid" | "Replace";
  readonly failedJobsHistoryLimit?: number;
  readonly jobTemplate: JobTemplateSpec;
  readonly schedule: string;
  readonly startingDeadlineSeconds?: number;
  readonly successfulJobsHistoryLimit?: number;
  readonly suspend?: boolean;
  readonly timeZone?: string;
}

export interface CronJobSpecApply {
  readonly concurrencyPolicy?: "Allow" | "Forbid" | "Replace";
  readonly failedJobsHistoryLimit?: number;
  readonly jobTemplate?: JobTemplateSpecApply;
  readonly schedule?: string;
  readonly startingDeadlineSeconds?: number;
  readonly successfulJobsHistoryLimit?: number;
  readonly suspend?: boolean;
  readonly timeZone?: string;
}

export interface CronJobStatus {
  readonly active?: readonly ObjectReference[];
  readonly lastScheduleTime?: string;
  readonly lastSuccessfulTime?: string;
}

export interface CronJobStatusApply {
  readonly active?: readonly ObjectReferenceApply[];
  readonly lastScheduleTime?: string;
  readonly lastSuccessfulTime?: string;
}

export interface Job {
  readonly apiVersion: "batch/v1";
  readonly kind: "Job";
  readonly metadata: StoredMeta;
  readonly spec?: JobSpec;
  readonly status?: JobStatus;
}

export interface JobApply {
  readonly apiVersion?: "batch/v1";
  readonly kind?: "Job";
  readonly metadata?: ObjectMeta;
  readonly spec?: JobSpecApply;
  readonly status?: JobStatusApply;
}

export interface JobCondition {
  readonly lastProbeTime?: string;
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status: string;
  readonly type: string;
}

export interface JobConditionApply {
  readonly lastProbeTime?: string;
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status?: string;
  readonly type?: string;
}

export type JobList = KubeList<Job>;

export interface JobSpec {
  readonly activeDeadlineSeconds?: number;
  readonly backoffLimit?: number;
  readonly backoffLimitPerIndex?: number;
  readonly completionMode?: "Indexed" | "NonIndexed";
  readonly completions?: number;
  readonly managedBy?: string;
  readonly manualSelector?: boolean;
  readonly maxFailedIndexes?: number;
  readonly parallelism?: number;
  readonly podFailurePolicy?: PodFailurePolicy;
  readonly podReplacementPolicy?: "Failed" | "TerminatingOrFailed";
  readonly selector?: LabelSelector;
  readonly successPolicy?: SuccessPolicy;
  readonly suspend?: boolean;
  readonly template: PodTemplateSpec;
  readonly ttlSecondsAfterFinished?: number;
}

export interface JobSpecApply {
  readonly activeDeadlineSeconds?: number;
  readonly backoffLimit?: number;
  readonly backoffLimitPerIndex?: number;
  readonly completionMode?: "Indexed" | "NonIndexed";
  readonly completions?: number;
  readonly managedBy?: string;
  readonly manualSelector?: boolean;
  readonly maxFailedIndexes?: number;
  readonly parallelism?: number;
  readonly podFailurePolicy?: PodFailurePolicyApply;
  readonly podReplacementPolicy?: "Failed" | "TerminatingOrFailed";
  readonly selector?: LabelSelectorApply;
  readonly successPolicy?: SuccessPolicyApply;
  readonly suspend?: boolean;
  readonly template?: PodTemplateSpecApply;
  readonly ttlSecondsAfterFinished?: number;
}

export interface JobStatus {
  readonly active?: number;
  readonly completedIndexes?: string;
  readonly completionTime?: string;
  readonly conditions?: readonly JobCondition[];
  readonly failed?: number;
  readonly failedIndexes?: string;
  readonly ready?: number;
  readonly startTime?: string;
  readonly succeeded?: number;
  readonly terminating?: number;
  readonly uncountedTerminatedPods?: UncountedTerminatedPods;
}

export interface JobStatusApply {
  readonly active?: number;
  readonly completedIndexes?: string;
  readonly completionTime?: string;
  readonly conditions?: readonly JobConditionApply[];
  readonly failed?: number;
  readonly failedIndexes?: string;
  readonly ready?: number;
  readonly startTime?: string;
  readonly succeeded?: number;
  readonly terminating?: number;
  readonly uncountedTerminatedPods?: UncountedTerminatedPodsApply;
}

export interface JobTemplateSpec {
  readonly metadata?: ObjectMeta;
  readonly spec?: JobSpec;
}

export interface JobTemplateSpecApply {
  readonly metadata?: ObjectMeta;
  readonly spec?: JobSpecApply;
}

export interface PodFailurePolicy {
  readonly rules: readonly PodFailurePolicyRule[];
}

export interface PodFailurePolicyApply {
  readonly rules?: readonly PodFailurePolicyRuleApply[];
}

export interface PodFailurePolicyOnExitCodesRequirement {
  readonly containerName?: string;
  readonly operator: "In" | "NotIn";
  readonly values: readonly number[];
}

export interface PodFailurePolicyOnExitCodesRequirementApply {
  readonly containerName?: string;
  readonly operator?: "In" | "NotIn";
  readonly values?: readonly number[];
}

export interface PodFailurePolicyOnPodConditionsPattern {
  readonly status?: string;
  readonly type: string;
}

export interface PodFailurePolicyOnPodConditionsPatternApply {
  readonly status?: string;
  readonly type?: string;
}

export interface PodFailurePolicyRule {
  readonly action: "Count" | "FailIndex" | "FailJob" | "Ignore";
  readonly onExitCodes?: PodFailurePolicyOnExitCodesRequirement;
  readonly onPodConditions?: readonly PodFailurePolicyOnPodConditionsPattern[];
}

export interface PodFailurePolicyRuleApply {
  readonly action?: "Count" | "FailIndex" | "FailJob" | "Ignore";
  readonly onExitCodes?: PodFailurePolicyOnExitCodesRequirementApply;
  readonly onPodConditions?: readonly PodFailurePolicyOnPodConditionsPatternApply[];
}

export interface SuccessPolicy {
  readonly rules: readonly SuccessPolicyRule[];
}

export interface SuccessPolicyApply {
  readonly rules?: readonly SuccessPolicyRuleApply[];
}

export interface SuccessPolicyRule {
  readonly succeededCount?: number;
  readonly succeededIndexes?: string;
}

export interface SuccessPolicyRuleApply {
  readonly succeededCount?: number;
  readonly succeededIndexes?: string;
}

export interface UncountedTerminatedPods {
  readonly failed?: readonly string[];
  readonly succeeded?: readonly string[];
}

export interface UncountedTerminatedPodsApply {
  readonly failed?: readonly string[];
  readonly succeeded?: readonly string[];
}
