import type { KubeList, ObjectMeta, StoredMeta } from "@capstan/model";
import type { Keyed } from "../../../shape.ts";

export interface ExemptPriorityLevelConfiguration {
  readonly lendablePercent?: number;
  readonly nominalConcurrencyShares?: number;
}

export interface ExemptPriorityLevelConfigurationApply {
  readonly lendablePercent?: number;
  readonly nominalConcurrencyShares?: number;
}

export interface FlowDistinguisherMethod {
  readonly type: string;
}

export interface FlowDistinguisherMethodApply {
  readonly type?: string;
}

export interface FlowSchema {
  readonly apiVersion: "flowcontrol.apiserver.k8s.io/v1";
  readonly kind: "FlowSchema";
  readonly metadata: StoredMeta;
  readonly spec?: FlowSchemaSpec;
  readonly status?: FlowSchemaStatus;
}

export interface FlowSchemaApply {
  readonly apiVersion?: "flowcontrol.apiserver.k8s.io/v1";
  readonly kind?: "FlowSchema";
  readonly metadata?: ObjectMeta;
  readonly spec?: FlowSchemaSpecApply;
  readonly status?: FlowSchemaStatusApply;
}

export interface FlowSchemaCondition {
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status?: string;
  readonly type?: string;
}

export interface FlowSchemaConditionApply {
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status?: string;
  readonly type?: string;
}

export type FlowSchemaList = KubeList<FlowSchema>;

export interface FlowSchemaSpec {
  readonly distinguisherMethod?: FlowDistinguisherMethod;
  readonly matchingPrecedence?: number;
  readonly priorityLevelConfiguration: PriorityLevelConfigurationReference;
  readonly rules?: readonly PolicyRulesWithSubjects[];
}

export interface FlowSchemaSpecApply {
  readonly distinguisherMethod?: FlowDistinguisherMethodApply;
  readonly matchingPrecedence?: number;
  readonly priorityLevelConfiguration?: PriorityLevelConfigurationReferenceApply;
  readonly rules?: readonly PolicyRulesWithSubjectsApply[];
}

export interface FlowSchemaStatus {
  readonly conditions?: readonly FlowSchemaCondition[];
}

export interface FlowSchemaStatusApply {
  readonly conditions?: readonly Keyed<FlowSchemaConditionApply, "type">[];
}

export interface GroupSubject {
  readonly name: string;
}

export interface GroupSubjectApply {
  readonly name?: string;
}

export interface LimitResponse {
  readonly queuing?: QueuingConfiguration;
  readonly type: string;
}

export interface LimitResponseApply {
  readonly queuing?: QueuingConfigurationApply;
  readonly type?: string;
}

export interface LimitedPriorityLevelConfiguration {
  readonly borrowingLimitPercent?: number;
  readonly lendablePercent?: number;
  readonly limitResponse?: LimitResponse;
  readonly nominalConcurrencyShares?: number;
}

export interface LimitedPriorityLevelConfigurationApply {
  readonly borrowingLimitPercent?: number;
  readonly lendablePercent?: number;
  readonly limitResponse?: LimitResponseApply;
  readonly nominalConcurrencyShares?: number;
}

export interface NonResourcePolicyRule {
  readonly nonResourceURLs: readonly string[];
  readonly verbs: readonly string[];
}

export interface NonResourcePolicyRuleApply {
  readonly nonResourceURLs?: readonly string[];
  readonly verbs?: readonly string[];
}

export interface PolicyRulesWithSubjects {
  readonly nonResourceRules?: readonly NonResourcePolicyRule[];
  readonly resourceRules?: readonly ResourcePolicyRule[];
  readonly subjects: readonly Subject[];
}

export interface PolicyRulesWithSubjectsApply {
  readonly nonResourceRules?: readonly NonResourcePolicyRuleApply[];
  readonly resourceRules?: readonly ResourcePolicyRuleApply[];
  readonly subjects?: readonly SubjectApply[];
}

export interface PriorityLevelConfiguration {
  readonly apiVersion: "flowcontrol.apiserver.k8s.io/v1";
  readonly kind: "PriorityLevelConfiguration";
  readonly metadata: StoredMeta;
  readonly spec?: PriorityLevelConfigurationSpec;
  readonly status?: PriorityLevelConfigurationStatus;
}

export interface PriorityLevelConfigurationApply {
  readonly apiVersion?: "flowcontrol.apiserver.k8s.io/v1";
  readonly kind?: "PriorityLevelConfiguration";
  readonly metadata?: ObjectMeta;
  readonly spec?: PriorityLevelConfigurationSpecApply;
  readonly status?: PriorityLevelConfigurationStatusApply;
}

export interface PriorityLevelConfigurationCondition {
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status?: string;
  readonly type?: string;
}

export interface PriorityLevelConfigurationConditionApply {
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status?: string;
  readonly type?: string;
}

export type PriorityLevelConfigurationList = KubeList<PriorityLevelConfiguration>;

export interface PriorityLevelConfigurationReference {
  readonly name: string;
}

export interface PriorityLevelConfigurationReferenceApply {
  readonly name?: string;
}

export interface PriorityLevelConfigurationSpec {
  readonly exempt?: ExemptPriorityLevelConfiguration;
  readonly limited?: LimitedPriorityLevelConfiguration;
  readonly type: string;
}

export interface PriorityLevelConfigurationSpecApply {
  readonly exempt?: ExemptPriorityLevelConfigurationApply;
  readonly limited?: LimitedPriorityLevelConfigurationApply;
  readonly type?: string;
}

export interface PriorityLevelConfigurationStatus {
  readonly conditions?: readonly PriorityLevelConfigurationCondition[];
}

export interface PriorityLevelConfigurationStatusApply {
  readonly conditions?: readonly Keyed<PriorityLevelConfigurationConditionApply, "type">[];
}

export interface QueuingConfiguration {
  readonly handSize?: number;
  readonly queueLengthLimit?: number;
  readonly queues?: number;
}

export interface QueuingConfigurationApply {
  readonly handSize?: number;
  readonly queueLengthLimit?: number;
  readonly queues?: number;
}

export interface ResourcePolicyRule {
  readonly apiGroups: readonly string[];
  readonly clusterScope?: boolean;
  readonly namespaces?: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

export interface ResourcePolicyRuleApply {
  readonly apiGroups?: readonly string[];
  readonly clusterScope?: boolean;
  readonly namespaces?: readonly string[];
  readonly resources?: readonly string[];
  readonly verbs?: readonly string[];
}

export interface ServiceAccountSubject {
  readonly name: string;
  readonly namespace: string;
}

export interface ServiceAccountSubjectApply {
  readonly name?: string;
  readonly namespace?: string;
}

export interface Subject {
  readonly group?: GroupSubject;
  readonly kind: string;
  readonly serviceAccount?: ServiceAccountSubject;
  readonly user?: UserSubject;
}

export interface SubjectApply {
  readonly group?: GroupSubjectApply;
  readonly kind?: string;
  readonly serviceAccount?: ServiceAccountSubjectApply;
  readonly user?: UserSubjectApply;
}

export interface UserSubject {
  readonly name: string;
}

export interface UserSubjectApply {
  readonly name?: string;
}
