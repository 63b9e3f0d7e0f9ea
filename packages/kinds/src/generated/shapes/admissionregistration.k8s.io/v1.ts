import type { KubeList, ObjectMeta, StoredMeta } from "@capstan/model";
import type { Keyed } from "../../../shape.ts";
import type { Condition, ConditionApply, LabelSelector, LabelSelectorApply } from "../meta/v1.ts";

export interface ApplyConfiguration {
  readonly expression?: string;
}

export interface ApplyConfigurationApply {
  readonly expression?: string;
}

export interface AuditAnnotation {
  readonly key: string;
  readonly valueExpression: string;
}

export interface AuditAnnotationApply {
  readonly key?: string;
  readonly valueExpression?: string;
}

export interface ExpressionWarning {
  readonly fieldRef: string;
  readonly warning: string;
}

export interface ExpressionWarningApply {
  readonly fieldRef?: string;
  readonly warning?: string;
}

export interface JSONPatch {
  readonly expression?: string;
}

export interface JSONPatchApply {
  readonly expression?: string;
}

export interface MatchCondition {
  readonly expression: string;
  readonly name: string;
}

export interface MatchConditionApply {
  readonly expression?: string;
  readonly name?: string;
}

export interface MatchResources {
  readonly excludeResourceRules?: readonly NamedRuleWithOperations[];
  readonly matchPolicy?: "Equivalent" | "Exact";
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly resourceRules?: readonly NamedRuleWithOperations[];
}

export interface MatchResourcesApply {
  readonly excludeResourceRules?: readonly NamedRuleWithOperationsApply[];
  readonly matchPolicy?: "Equivalent" | "Exact";
  readonly namespaceSelector?: LabelSelectorApply;
  readonly objectSelector?: LabelSelectorApply;
  readonly resourceRules?: readonly NamedRuleWithOperationsApply[];
}

export interface MutatingAdmissionPolicy {
  readonly apiVersion: "admissionregistration.k8s.io/v1";
  readonly kind: "MutatingAdmissionPolicy";
  readonly metadata: StoredMeta;
  readonly spec?: MutatingAdmissionPolicySpec;
}

export interface MutatingAdmissionPolicyApply {
  readonly apiVersion?: "admissionregistration.k8s.io/v1";
  readonly kind?: "MutatingAdmissionPolicy";
  readonly metadata?: ObjectMeta;
  readonly spec?: MutatingAdmissionPolicySpecApply;
}

export interface MutatingAdmissionPolicyBinding {
  readonly apiVersion: "admissionregistration.k8s.io/v1";
  readonly kind: "MutatingAdmissionPolicyBinding";
  readonly metadata: StoredMeta;
  readonly spec?: MutatingAdmissionPolicyBindingSpec;
}

export interface MutatingAdmissionPolicyBindingApply {
  readonly apiVersion?: "admissionregistration.k8s.io/v1";
  readonly kind?: "MutatingAdmissionPolicyBinding";
  readonly metadata?: ObjectMeta;
  readonly spec?: MutatingAdmissionPolicyBindingSpecApply;
}

export type MutatingAdmissionPolicyBindingList = KubeList<MutatingAdmissionPolicyBinding>;

export interface MutatingAdmissionPolicyBindingSpec {
  readonly matchResources?: MatchResources;
  readonly paramRef?: ParamRef;
  readonly policyName?: string;
}

export interface MutatingAdmissionPolicyBindingSpecApply {
  readonly matchResources?: MatchResourcesApply;
  readonly paramRef?: ParamRefApply;
  readonly policyName?: string;
}

export type MutatingAdmissionPolicyList = KubeList<MutatingAdmissionPolicy>;

export interface MutatingAdmissionPolicySpec {
  readonly failurePolicy?: "Fail" | "Ignore";
  readonly matchConditions?: readonly MatchCondition[];
  readonly matchConstraints?: MatchResources;
  readonly mutations?: readonly Mutation[];
  readonly paramKind?: ParamKind;
  readonly reinvocationPolicy?: "IfNeeded" | "Never";
  readonly variables?: readonly Variable[];
}

export interface MutatingAdmissionPolicySpecApply {
  readonly failurePolicy?: "Fail" | "Ignore";
  readonly matchConditions?: readonly Keyed<MatchConditionApply, "name">[];
  readonly matchConstraints?: MatchResourcesApply;
  readonly mutations?: readonly MutationApply[];
  readonly paramKind?: ParamKindApply;
  readonly reinvocationPolicy?: "IfNeeded" | "Never";
  readonly variables?: readonly VariableApply[];
}

export interface MutatingWebhook {
  readonly admissionReviewVersions: readonly string[];
  readonly clientConfig: WebhookClientConfig;
  readonly failurePolicy?: "Fail" | "Ignore";
  readonly matchConditions?: readonly MatchCondition[];
  readonly matchPolicy?: "Equivalent" | "Exact";
  readonly name: string;
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly reinvocationPolicy?: "IfNeeded" | "Never";
  readonly rules?: readonly RuleWithOperations[];
  readonly sideEffects: "None" | "NoneOnDryRun" | "Some" | "Unknown";
  readonly timeoutSeconds?: number;
}

export interface MutatingWebhookApply {
  readonly admissionReviewVersions?: readonly string[];
  readonly clientConfig?: WebhookClientConfigApply;
  readonly failurePolicy?: "Fail" | "Ignore";
  readonly matchConditions?: readonly Keyed<MatchConditionApply, "name">[];
  readonly matchPolicy?: "Equivalent" | "Exact";
  readonly name?: string;
  readonly namespaceSelector?: LabelSelectorApply;
  readonly objectSelector?: LabelSelectorApply;
  readonly reinvocationPolicy?: "IfNeeded" | "Never";
  readonly rules?: readonly RuleWithOperationsApply[];
  readonly sideEffects?: "None" | "NoneOnDryRun" | "Some" | "Unknown";
  readonly timeoutSeconds?: number;
}

export interface MutatingWebhookConfiguration {
  readonly apiVersion: "admissionregistration.k8s.io/v1";
  readonly kind: "MutatingWebhookConfiguration";
  readonly metadata: StoredMeta;
  readonly webhooks?: readonly MutatingWebhook[];
}

export interface MutatingWebhookConfigurationApply {
  readonly apiVersion?: "admissionregistration.k8s.io/v1";
  readonly kind?: "MutatingWebhookConfiguration";
  readonly metadata?: ObjectMeta;
  readonly webhooks?: readonly Keyed<MutatingWebhookApply, "name">[];
}

export type MutatingWebhookConfigurationList = KubeList<MutatingWebhookConfiguration>;

export interface Mutation {
  readonly applyConfiguration?: ApplyConfiguration;
  readonly jsonPatch?: JSONPatch;
  readonly patchType: "ApplyConfiguration" | "JSONPatch";
}

export interface MutationApply {
  readonly applyConfiguration?: ApplyConfigurationApply;
  readonly jsonPatch?: JSONPatchApply;
  readonly patchType?: "ApplyConfiguration" | "JSONPatch";
}

export interface NamedRuleWithOperations {
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly operations?: readonly ("*" | "CONNECT" | "CREATE" | "DELETE" | "UPDATE")[];
  readonly resourceNames?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: "*" | "Cluster" | "Namespaced";
}

export interface NamedRuleWithOperationsApply {
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly operations?: readonly ("*" | "CONNECT" | "CREATE" | "DELETE" | "UPDATE")[];
  readonly resourceNames?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: "*" | "Cluster" | "Namespaced";
}

export interface ParamKind {
  readonly apiVersion?: string;
  readonly kind?: string;
}

export interface ParamKindApply {
  readonly apiVersion?: string;
  readonly kind?: string;
}

export interface ParamRef {
  readonly name?: string;
  readonly namespace?: string;
  readonly parameterNotFoundAction?: string;
  readonly selector?: LabelSelector;
}

export interface ParamRefApply {
  readonly name?: string;
  readonly namespace?: string;
  readonly parameterNotFoundAction?: string;
  readonly selector?: LabelSelectorApply;
}

export interface RuleWithOperations {
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly operations?: readonly ("*" | "CONNECT" | "CREATE" | "DELETE" | "UPDATE")[];
  readonly resources?: readonly string[];
  readonly scope?: "*" | "Cluster" | "Namespaced";
}

export interface RuleWithOperationsApply {
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly operations?: readonly ("*" | "CONNECT" | "CREATE" | "DELETE" | "UPDATE")[];
  readonly resources?: readonly string[];
  readonly scope?: "*" | "Cluster" | "Namespaced";
}

export interface ServiceReference {
  readonly name: string;
  readonly namespace: string;
  readonly path?: string;
  readonly port?: number;
}

export interface ServiceReferenceApply {
  readonly name?: string;
  readonly namespace?: string;
  readonly path?: string;
  readonly port?: number;
}

export interface TypeChecking {
  readonly expressionWarnings?: readonly ExpressionWarning[];
}

export interface TypeCheckingApply {
  readonly expressionWarnings?: readonly ExpressionWarningApply[];
}

export interface ValidatingAdmissionPolicy {
  readonly apiVersion: "admissionregistration.k8s.io/v1";
  readonly kind: "ValidatingAdmissionPolicy";
  readonly metadata: StoredMeta;
  readonly spec?: ValidatingAdmissionPolicySpec;
  readonly status?: ValidatingAdmissionPolicyStatus;
}

export interface ValidatingAdmissionPolicyApply {
  readonly apiVersion?: "admissionregistration.k8s.io/v1";
  readonly kind?: "ValidatingAdmissionPolicy";
  readonly metadata?: ObjectMeta;
  readonly spec?: ValidatingAdmissionPolicySpecApply;
  readonly status?: ValidatingAdmissionPolicyStatusApply;
}

export interface ValidatingAdmissionPolicyBinding {
  readonly apiVersion: "admissionregistration.k8s.io/v1";
  readonly kind: "ValidatingAdmissionPolicyBinding";
  readonly metadata: StoredMeta;
  readonly spec: ValidatingAdmissionPolicyBindingSpec;
}

export interface ValidatingAdmissionPolicyBindingApply {
  readonly apiVersion?: "admissionregistration.k8s.io/v1";
  readonly kind?: "ValidatingAdmissionPolicyBinding";
  readonly metadata?: ObjectMeta;
  readonly spec?: ValidatingAdmissionPolicyBindingSpecApply;
}

export type ValidatingAdmissionPolicyBindingList = KubeList<ValidatingAdmissionPolicyBinding>;

export interface ValidatingAdmissionPolicyBindingSpec {
  readonly matchResources?: MatchResources;
  readonly paramRef?: ParamRef;
  readonly policyName: string;
  readonly validationActions: readonly ("Audit" | "Deny" | "Warn")[];
}

export interface ValidatingAdmissionPolicyBindingSpecApply {
  readonly matchResources?: MatchResourcesApply;
  readonly paramRef?: ParamRefApply;
  readonly policyName?: string;
  readonly validationActions?: readonly ("Audit" | "Deny" | "Warn")[];
}

export type ValidatingAdmissionPolicyList = KubeList<ValidatingAdmissionPolicy>;

export interface ValidatingAdmissionPolicySpec {
  readonly auditAnnotations?: readonly AuditAnnotation[];
  readonly failurePolicy?: "Fail" | "Ignore";
  readonly matchConditions?: readonly MatchCondition[];
  readonly matchConstraints?: MatchResources;
  readonly paramKind?: ParamKind;
  readonly validations?: readonly Validation[];
  readonly variables?: readonly Variable[];
}

export interface ValidatingAdmissionPolicySpecApply {
  readonly auditAnnotations?: readonly AuditAnnotationApply[];
  readonly failurePolicy?: "Fail" | "Ignore";
  readonly matchConditions?: readonly Keyed<MatchConditionApply, "name">[];
  readonly matchConstraints?: MatchResourcesApply;
  readonly paramKind?: ParamKindApply;
  readonly validations?: readonly ValidationApply[];
  readonly variables?: readonly Keyed<VariableApply, "name">[];
}

export interface ValidatingAdmissionPolicyStatus {
  readonly conditions?: readonly Condition[];
  readonly observedGeneration?: number;
  readonly typeChecking?: TypeChecking;
}

export interface ValidatingAdmissionPolicyStatusApply {
  readonly conditions?: readonly Keyed<ConditionApply, "type">[];
  readonly observedGeneration?: number;
  readonly typeChecking?: TypeCheckingApply;
}

export interface ValidatingWebhook {
  readonly admissionReviewVersions: readonly string[];
  readonly clientConfig: WebhookClientConfig;
  readonly failurePolicy?: "Fail" | "Ignore";
  readonly matchConditions?: readonly MatchCondition[];
  readonly matchPolicy?: "Equivalent" | "Exact";
  readonly name: string;
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly rules?: readonly RuleWithOperations[];
  readonly sideEffects: "None" | "NoneOnDryRun" | "Some" | "Unknown";
  readonly timeoutSeconds?: number;
}

export interface ValidatingWebhookApply {
  readonly admissionReviewVersions?: readonly string[];
  readonly clientConfig?: WebhookClientConfigApply;
  readonly failurePolicy?: "Fail" | "Ignore";
  readonly matchConditions?: readonly Keyed<MatchConditionApply, "name">[];
  readonly matchPolicy?: "Equivalent" | "Exact";
  readonly name?: string;
  readonly namespaceSelector?: LabelSelectorApply;
  readonly objectSelector?: LabelSelectorApply;
  readonly rules?: readonly RuleWithOperationsApply[];
  readonly sideEffects?: "None" | "NoneOnDryRun" | "Some" | "Unknown";
  readonly timeoutSeconds?: number;
}

export interface ValidatingWebhookConfiguration {
  readonly apiVersion: "admissionregistration.k8s.io/v1";
  readonly kind: "ValidatingWebhookConfiguration";
  readonly metadata: StoredMeta;
  readonly webhooks?: readonly ValidatingWebhook[];
}

export interface ValidatingWebhookConfigurationApply {
  readonly apiVersion?: "admissionregistration.k8s.io/v1";
  readonly kind?: "ValidatingWebhookConfiguration";
  readonly metadata?: ObjectMeta;
  readonly webhooks?: readonly Keyed<ValidatingWebhookApply, "name">[];
}

export type ValidatingWebhookConfigurationList = KubeList<ValidatingWebhookConfiguration>;

export interface Validation {
  readonly expression: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
}

export interface ValidationApply {
  readonly expression?: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
}

export interface Variable {
  readonly expression: string;
  readonly name: string;
}

export interface VariableApply {
  readonly expression?: string;
  readonly name?: string;
}

export interface WebhookClientConfig {
  readonly caBundle?: string;
  readonly service?: ServiceReference;
  readonly url?: string;
}

export interface WebhookClientConfigApply {
  readonly caBundle?: string;
  readonly service?: ServiceReferenceApply;
  readonly url?: string;
}
