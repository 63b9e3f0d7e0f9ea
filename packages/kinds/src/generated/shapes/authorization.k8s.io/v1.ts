import type { ObjectMeta } from "@capstan/model";
import type { FieldSelectorRequirement, FieldSelectorRequirementApply, LabelSelectorRequirement, LabelSelectorRequirementApply } from "../meta/v1.ts";

export interface FieldSelectorAttributes {
  readonly rawSelector?: string;
  readonly requirements?: readonly FieldSelectorRequirement[];
}

export interface FieldSelectorAttributesApply {
  readonly rawSelector?: string;
  readonly requirements?: readonly FieldSelectorRequirementApply[];
}

export interface LabelSelectorAttributes {
  readonly rawSelector?: string;
  readonly requirements?: readonly LabelSelectorRequirement[];
}

export interface LabelSelectorAttributesApply {
  readonly rawSelector?: string;
  readonly requirements?: readonly LabelSelectorRequirementApply[];
}

export interface LocalSubjectAccessReview {
  readonly apiVersion: "authorization.k8s.io/v1";
  readonly kind: "LocalSubjectAccessReview";
  readonly metadata: ObjectMeta;
  readonly spec: SubjectAccessReviewSpec;
  readonly status?: SubjectAccessReviewStatus;
}

export interface LocalSubjectAccessReviewApply {
  readonly apiVersion?: "authorization.k8s.io/v1";
  readonly kind?: "LocalSubjectAccessReview";
  readonly metadata?: ObjectMeta;
  readonly spec?: SubjectAccessReviewSpecApply;
  readonly status?: SubjectAccessReviewStatusApply;
}

export interface NonResourceAttributes {
  readonly path?: string;
  readonly verb?: string;
}

export interface NonResourceAttributesApply {
  readonly path?: string;
  readonly verb?: string;
}

export interface NonResourceRule {
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
}

export interface NonResourceRuleApply {
  readonly nonResourceURLs?: readonly string[];
  readonly verbs?: readonly string[];
}

export interface ResourceAttributes {
  readonly fieldSelector?: FieldSelectorAttributes;
  readonly group?: string;
  readonly labelSelector?: LabelSelectorAttributes;
  readonly name?: string;
  readonly namespace?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly verb?: string;
  readonly version?: string;
}

export interface ResourceAttributesApply {
  readonly fieldSelector?: FieldSelectorAttributesApply;
  readonly group?: string;
  readonly labelSelector?: LabelSelectorAttributesApply;
  readonly name?: string;
  readonly namespace?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly verb?: string;
  readonly version?: string;
}

export interface ResourceRule {
  readonly apiGroups?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly resources?: readonly string[];
  readonly verbs: readonly string[];
}

export interface ResourceRuleApply {
  readonly apiGroups?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly resources?: readonly string[];
  readonly verbs?: readonly string[];
}

export interface SelfSubjectAccessReview {
  readonly apiVersion: "authorization.k8s.io/v1";
  readonly kind: "SelfSubjectAccessReview";
  readonly metadata: ObjectMeta;
  readonly spec: SelfSubjectAccessReviewSpec;
  readonly status?: SubjectAccessReviewStatus;
}

export interface SelfSubjectAccessReviewApply {
  readonly apiVersion?: "authorization.k8s.io/v1";
  readonly kind?: "SelfSubjectAccessReview";
  readonly metadata?: ObjectMeta;
  readonly spec?: SelfSubjectAccessReviewSpecApply;
  readonly status?: SubjectAccessReviewStatusApply;
}

export interface SelfSubjectAccessReviewSpec {
  readonly nonResourceAttributes?: NonResourceAttributes;
  readonly resourceAttributes?: ResourceAttributes;
}

export interface SelfSubjectAccessReviewSpecApply {
  readonly nonResourceAttributes?: NonResourceAttributesApply;
  readonly resourceAttributes?: ResourceAttributesApply;
}

export interface SelfSubjectRulesReview {
  readonly apiVersion: "authorization.k8s.io/v1";
  readonly kind: "SelfSubjectRulesReview";
  readonly metadata: ObjectMeta;
  readonly spec: SelfSubjectRulesReviewSpec;
  readonly status?: SubjectRulesReviewStatus;
}

export interface SelfSubjectRulesReviewApply {
  readonly apiVersion?: "authorization.k8s.io/v1";
  readonly kind?: "SelfSubjectRulesReview";
  readonly metadata?: ObjectMeta;
  readonly spec?: SelfSubjectRulesReviewSpecApply;
  readonly status?: SubjectRulesReviewStatusApply;
}

export interface SelfSubjectRulesReviewSpec {
  readonly namespace?: string;
}

export interface SelfSubjectRulesReviewSpecApply {
  readonly namespace?: string;
}

export interface SubjectAccessReview {
  readonly apiVersion: "authorization.k8s.io/v1";
  readonly kind: "SubjectAccessReview";
  readonly metadata: ObjectMeta;
  readonly spec: SubjectAccessReviewSpec;
  readonly status?: SubjectAccessReviewStatus;
}

export interface SubjectAccessReviewApply {
  readonly apiVersion?: "authorization.k8s.io/v1";
  readonly kind?: "SubjectAccessReview";
  readonly metadata?: ObjectMeta;
  readonly spec?: SubjectAccessReviewSpecApply;
  readonly status?: SubjectAccessReviewStatusApply;
}

export interface SubjectAccessReviewSpec {
  readonly extra?: { readonly [key: string]: readonly string[] };
  readonly groups?: readonly string[];
  readonly nonResourceAttributes?: NonResourceAttributes;
  readonly resourceAttributes?: ResourceAttributes;
  readonly uid?: string;
  readonly user?: string;
}

export interface SubjectAccessReviewSpecApply {
  readonly extra?: { readonly [key: string]: readonly string[] };
  readonly groups?: readonly string[];
  readonly nonResourceAttributes?: NonResourceAttributesApply;
  readonly resourceAttributes?: ResourceAttributesApply;
  readonly uid?: string;
  readonly user?: string;
}

export interface SubjectAccessReviewStatus {
  readonly allowed: boolean;
  readonly denied?: boolean;
  readonly evaluationError?: string;
  readonly reason?: string;
}

export interface SubjectAccessReviewStatusApply {
  readonly allowed?: boolean;
  readonly denied?: boolean;
  readonly evaluationError?: string;
  readonly reason?: string;
}

export interface SubjectRulesReviewStatus {
  readonly evaluationError?: string;
  readonly incomplete: boolean;
  readonly nonResourceRules: readonly NonResourceRule[];
  readonly resourceRules: readonly ResourceRule[];
}

export interface SubjectRulesReviewStatusApply {
  readonly evaluationError?: string;
  readonly incomplete?: boolean;
  readonly nonResourceRules?: readonly NonResourceRuleApply[];
  readonly resourceRules?: readonly ResourceRuleApply[];
}
