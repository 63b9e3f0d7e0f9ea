import type { KubeList, ObjectMeta, StoredMeta } from "@capstan/model";
import type { LabelSelector, LabelSelectorApply } from "../meta/v1.ts";

export interface AggregationRule {
  readonly clusterRoleSelectors?: readonly LabelSelector[];
}

export interface AggregationRuleApply {
  readonly clusterRoleSelectors?: readonly LabelSelectorApply[];
}

export interface ClusterRole {
  readonly aggregationRule?: AggregationRule;
  readonly apiVersion: "rbac.authorization.k8s.io/v1";
  readonly kind: "ClusterRole";
  readonly metadata: StoredMeta;
  readonly rules?: readonly PolicyRule[];
}

export interface ClusterRoleApply {
  readonly aggregationRule?: AggregationRuleApply;
  readonly apiVersion?: "rbac.authorization.k8s.io/v1";
  readonly kind?: "ClusterRole";
  readonly metadata?: ObjectMeta;
  readonly rules?: readonly PolicyRuleApply[];
}

export interface ClusterRoleBinding {
  readonly apiVersion: "rbac.authorization.k8s.io/v1";
  readonly kind: "ClusterRoleBinding";
  readonly metadata: StoredMeta;
  readonly roleRef: RoleRef;
  readonly subjects?: readonly Subject[];
}

export interface ClusterRoleBindingApply {
  readonly apiVersion?: "rbac.authorization.k8s.io/v1";
  readonly kind?: "ClusterRoleBinding";
  readonly metadata?: ObjectMeta;
  readonly roleRef?: RoleRefApply;
  readonly subjects?: readonly SubjectApply[];
}

export type ClusterRoleBindingList = KubeList<ClusterRoleBinding>;

export type ClusterRoleList = KubeList<ClusterRole>;

export interface PolicyRule {
  readonly apiGroups?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly resources?: readonly string[];
  readonly verbs: readonly string[];
}

export interface PolicyRuleApply {
  readonly apiGroups?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly resources?: readonly string[];
  readonly verbs?: readonly string[];
}

export interface Role {
  readonly apiVersion: "rbac.authorization.k8s.io/v1";
  readonly kind: "Role";
  readonly metadata: StoredMeta;
  readonly rules?: readonly PolicyRule[];
}

export interface RoleApply {
  readonly apiVersion?: "rbac.authorization.k8s.io/v1";
  readonly kind?: "Role";
  readonly metadata?: ObjectMeta;
  readonly rules?: readonly PolicyRuleApply[];
}

export interface RoleBinding {
  readonly apiVersion: "rbac.authorization.k8s.io/v1";
  readonly kind: "RoleBinding";
  readonly metadata: StoredMeta;
  readonly roleRef: RoleRef;
  readonly subjects?: readonly Subject[];
}

export interface RoleBindingApply {
  readonly apiVersion?: "rbac.authorization.k8s.io/v1";
  readonly kind?: "RoleBinding";
  readonly metadata?: ObjectMeta;
  readonly roleRef?: RoleRefApply;
  readonly subjects?: readonly SubjectApply[];
}

export type RoleBindingList = KubeList<RoleBinding>;

export type RoleList = KubeList<Role>;

export interface RoleRef {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
}

export interface RoleRefApply {
  readonly apiGroup?: string;
  readonly kind?: string;
  readonly name?: string;
}

export interface Subject {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

export interface SubjectApply {
  readonly apiGroup?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
}
