import type { JsonObject } from "../../../shape.ts";

export interface APIGroup {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name: string;
  readonly preferredVersion?: GroupVersionForDiscovery;
  readonly serverAddressByClientCIDRs?: readonly ServerAddressByClientCIDR[];
  readonly versions: readonly GroupVersionForDiscovery[];
}

export interface APIGroupApply {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly preferredVersion?: GroupVersionForDiscoveryApply;
  readonly serverAddressByClientCIDRs?: readonly ServerAddressByClientCIDRApply[];
  readonly versions?: readonly GroupVersionForDiscoveryApply[];
}

export interface APIGroupList {
  readonly apiVersion?: string;
  readonly groups: readonly APIGroup[];
  readonly kind?: string;
}

export interface APIGroupListApply {
  readonly apiVersion?: string;
  readonly groups?: readonly APIGroupApply[];
  readonly kind?: string;
}

export interface APIResource {
  readonly categories?: readonly string[];
  readonly group?: string;
  readonly kind: string;
  readonly name: string;
  readonly namespaced: boolean;
  readonly shortNames?: readonly string[];
  readonly singularName: string;
  readonly storageVersionHash?: string;
  readonly verbs: readonly string[];
  readonly version?: string;
}

export interface APIResourceApply {
  readonly categories?: readonly string[];
  readonly group?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly namespaced?: boolean;
  readonly shortNames?: readonly string[];
  readonly singularName?: string;
  readonly storageVersionHash?: string;
  readonly verbs?: readonly string[];
  readonly version?: string;
}

export interface APIResourceList {
  readonly apiVersion?: string;
  readonly groupVersion: string;
  readonly kind?: string;
  readonly resources: readonly APIResource[];
}

export interface APIResourceListApply {
  readonly apiVersion?: string;
  readonly groupVersion?: string;
  readonly kind?: string;
  readonly resources?: readonly APIResourceApply[];
}

export interface APIVersions {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly serverAddressByClientCIDRs: readonly ServerAddressByClientCIDR[];
  readonly versions: readonly string[];
}

export interface APIVersionsApply {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly serverAddressByClientCIDRs?: readonly ServerAddressByClientCIDRApply[];
  readonly versions?: readonly string[];
}

export interface Condition {
  readonly lastTransitionTime: string;
  readonly message: string;
  readonly observedGeneration?: number;
  readonly reason: string;
  readonly status: string;
  readonly type: string;
}

export interface ConditionApply {
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly observedGeneration?: number;
  readonly reason?: string;
  readonly status?: string;
  readonly type?: string;
}

export interface DeleteOptions {
  readonly apiVersion?: string;
  readonly dryRun?: readonly string[];
  readonly gracePeriodSeconds?: number;
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
  readonly kind?: string;
  readonly orphanDependents?: boolean;
  readonly preconditions?: Preconditions;
  readonly propagationPolicy?: string;
}

export interface DeleteOptionsApply {
  readonly apiVersion?: string;
  readonly dryRun?: readonly string[];
  readonly gracePeriodSeconds?: number;
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
  readonly kind?: string;
  readonly orphanDependents?: boolean;
  readonly preconditions?: PreconditionsApply;
  readonly propagationPolicy?: string;
}

export interface FieldSelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface FieldSelectorRequirementApply {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

export interface GroupVersionForDiscovery {
  readonly groupVersion: string;
  readonly version: string;
}

export interface GroupVersionForDiscoveryApply {
  readonly groupVersion?: string;
  readonly version?: string;
}

export interface LabelSelector {
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
  readonly matchLabels?: { readonly [key: string]: string };
}

export interface LabelSelectorApply {
  readonly matchExpressions?: readonly LabelSelectorRequirementApply[];
  readonly matchLabels?: { readonly [key: string]: string };
}

export interface LabelSelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface LabelSelectorRequirementApply {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

export interface ListMeta {
  readonly continue?: string;
  readonly remainingItemCount?: number;
  readonly resourceVersion?: string;
  readonly selfLink?: string;
  readonly shardInfo?: ShardInfo;
}

export interface ListMetaApply {
  readonly continue?: string;
  readonly remainingItemCount?: number;
  readonly resourceVersion?: string;
  readonly selfLink?: string;
  readonly shardInfo?: ShardInfoApply;
}

export type Patch = JsonObject;
export type PatchApply = Patch;

export interface Preconditions {
  readonly resourceVersion?: string;
  readonly uid?: string;
}

export interface PreconditionsApply {
  readonly resourceVersion?: string;
  readonly uid?: string;
}

export interface ServerAddressByClientCIDR {
  readonly clientCIDR: string;
  readonly serverAddress: string;
}

export interface ServerAddressByClientCIDRApply {
  readonly clientCIDR?: string;
  readonly serverAddress?: string;
}

export interface ShardInfo {
  readonly selector: string;
}

export interface ShardInfoApply {
  readonly selector?: string;
}

export interface Status {
  readonly apiVersion?: string;
  readonly code?: number;
  readonly details?: StatusDetails;
  readonly kind?: string;
  readonly message?: string;
  readonly metadata?: ListMeta;
  readonly reason?: string;
  readonly status?: string;
}

export interface StatusApply {
  readonly apiVersion?: string;
  readonly code?: number;
  readonly details?: StatusDetailsApply;
  readonly kind?: string;
  readonly message?: string;
  readonly metadata?: ListMetaApply;
  readonly reason?: string;
  readonly status?: string;
}

export interface StatusCause {
  readonly field?: string;
  readonly message?: string;
  readonly reason?: string;
}

export interface StatusCauseApply {
  readonly field?: string;
  readonly message?: string;
  readonly reason?: string;
}

export interface StatusDetails {
  readonly causes?: readonly StatusCause[];
  readonly group?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly retryAfterSeconds?: number;
  readonly uid?: string;
}

export interface StatusDetailsApply {
  readonly causes?: readonly StatusCauseApply[];
  readonly group?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly retryAfterSeconds?: number;
  readonly uid?: string;
}

export interface WatchEvent {
  readonly object: JsonObject;
  readonly type: string;
}

export interface WatchEventApply {
  readonly object?: JsonObject;
  readonly type?: string;
}
