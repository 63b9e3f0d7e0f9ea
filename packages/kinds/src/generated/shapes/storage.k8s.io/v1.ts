import type { KubeList, ObjectMeta, StoredMeta } from "@capstan/model";
import type { Keyed } from "../../../shape.ts";
import type { LabelSelector, LabelSelectorApply } from "../meta/v1.ts";
import type { PersistentVolumeSpec, PersistentVolumeSpecApply, TopologySelectorTerm, TopologySelectorTermApply } from "../v1.ts";

export interface CSIDriver {
  readonly apiVersion: "storage.k8s.io/v1";
  readonly kind: "CSIDriver";
  readonly metadata: StoredMeta;
  readonly spec: CSIDriverSpec;
}

export interface CSIDriverApply {
  readonly apiVersion?: "storage.k8s.io/v1";
  readonly kind?: "CSIDriver";
  readonly metadata?: ObjectMeta;
  readonly spec?: CSIDriverSpecApply;
}

export type CSIDriverList = KubeList<CSIDriver>;

export interface CSIDriverSpec {
  readonly attachRequired?: boolean;
  readonly fsGroupPolicy?: string;
  readonly nodeAllocatableUpdatePeriodSeconds?: number;
  readonly podInfoOnMount?: boolean;
  readonly preventPodSchedulingIfMissing?: boolean;
  readonly requiresRepublish?: boolean;
  readonly seLinuxMount?: boolean;
  readonly serviceAccountTokenInSecrets?: boolean;
  readonly storageCapacity?: boolean;
  readonly tokenRequests?: readonly TokenRequest[];
  readonly volumeLifecycleModes?: readonly string[];
}

export interface CSIDriverSpecApply {
  readonly attachRequired?: boolean;
  readonly fsGroupPolicy?: string;
  readonly nodeAllocatableUpdatePeriodSeconds?: number;
  readonly podInfoOnMount?: boolean;
  readonly preventPodSchedulingIfMissing?: boolean;
  readonly requiresRepublish?: boolean;
  readonly seLinuxMount?: boolean;
  readonly serviceAccountTokenInSecrets?: boolean;
  readonly storageCapacity?: boolean;
  readonly tokenRequests?: readonly TokenRequestApply[];
  readonly volumeLifecycleModes?: readonly string[];
}

export interface CSINode {
  readonly apiVersion: "storage.k8s.io/v1";
  readonly kind: "CSINode";
  readonly metadata: StoredMeta;
  readonly spec: CSINodeSpec;
}

export interface CSINodeApply {
  readonly apiVersion?: "storage.k8s.io/v1";
  readonly kind?: "CSINode";
  readonly metadata?: ObjectMeta;
  readonly spec?: CSINodeSpecApply;
}

export interface CSINodeDriver {
  readonly allocatable?: VolumeNodeResources;
  readonly name: string;
  readonly nodeID: string;
  readonly topologyKeys?: readonly string[];
}

export interface CSINodeDriverApply {
  readonly allocatable?: VolumeNodeResourcesApply;
  readonly name?: string;
  readonly nodeID?: string;
  readonly topologyKeys?: readonly string[];
}

export type CSINodeList = KubeList<CSINode>;

export interface CSINodeSpec {
  readonly drivers: readonly CSINodeDriver[];
}

export interface CSINodeSpecApply {
  readonly drivers?: readonly Keyed<CSINodeDriverApply, "name">[];
}

export interface CSIStorageCapacity {
  readonly apiVersion: "storage.k8s.io/v1";
  readonly capacity?: string;
  readonly kind: "CSIStorageCapacity";
  readonly maximumVolumeSize?: string;
  readonly metadata: StoredMeta;
  readonly nodeTopology?: LabelSelector;
  readonly storageClassName: string;
}

export interface CSIStorageCapacityApply {
  readonly apiVersion?: "storage.k8s.io/v1";
  readonly capacity?: string | number;
  readonly kind?: "CSIStorageCapacity";
  readonly maximumVolumeSize?: string | number;
  readonly metadata?: ObjectMeta;
  readonly nodeTopology?: LabelSelectorApply;
  readonly storageClassName?: string;
}

export type CSIStorageCapacityList = KubeList<CSIStorageCapacity>;

export interface StorageClass {
  readonly allowVolumeExpansion?: boolean;
  readonly allowedTopologies?: readonly TopologySelectorTerm[];
  readonly apiVersion: "storage.k8s.io/v1";
  readonly kind: "StorageClass";
  readonly metadata: StoredMeta;
  readonly mountOptions?: readonly string[];
  readonly parameters?: { readonly [key: string]: string };
  readonly provisioner: string;
  readonly reclaimPolicy?: "Delete" | "Recycle" | "Retain";
  readonly volumeBindingMode?: "Immediate" | "WaitForFirstConsumer";
}

export interface StorageClassApply {
  readonly allowVolumeExpansion?: boolean;
  readonly allowedTopologies?: readonly TopologySelectorTermApply[];
  readonly apiVersion?: "storage.k8s.io/v1";
  readonly kind?: "StorageClass";
  readonly metadata?: ObjectMeta;
  readonly mountOptions?: readonly string[];
  readonly parameters?: { readonly [key: string]: string };
  readonly provisioner?: string;
  readonly reclaimPolicy?: "Delete" | "Recycle" | "Retain";
  readonly volumeBindingMode?: "Immediate" | "WaitForFirstConsumer";
}

export type StorageClassList = KubeList<StorageClass>;

export interface TokenRequest {
  readonly audience: string;
  readonly expirationSeconds?: number;
}

export interface TokenRequestApply {
  readonly audience?: string;
  readonly expirationSeconds?: number;
}

export interface VolumeAttachment {
  readonly apiVersion: "storage.k8s.io/v1";
  readonly kind: "VolumeAttachment";
  readonly metadata: StoredMeta;
  readonly spec: VolumeAttachmentSpec;
  readonly status?: VolumeAttachmentStatus;
}

export interface VolumeAttachmentApply {
  readonly apiVersion?: "storage.k8s.io/v1";
  readonly kind?: "VolumeAttachment";
  readonly metadata?: ObjectMeta;
  readonly spec?: VolumeAttachmentSpecApply;
  readonly status?: VolumeAttachmentStatusApply;
}

export type VolumeAttachmentList = KubeList<VolumeAttachment>;

export interface VolumeAttachmentSource {
  readonly inlineVolumeSpec?: PersistentVolumeSpec;
  readonly persistentVolumeName?: string;
}

export interface VolumeAttachmentSourceApply {
  readonly inlineVolumeSpec?: PersistentVolumeSpecApply;
  readonly persistentVolumeName?: string;
}

export interface VolumeAttachmentSpec {
  readonly attacher: string;
  readonly nodeName: string;
  readonly source: VolumeAttachmentSource;
}

export interface VolumeAttachmentSpecApply {
  readonly attacher?: string;
  readonly nodeName?: string;
  readonly source?: VolumeAttachmentSourceApply;
}

export interface VolumeAttachmentStatus {
  readonly attachError?: VolumeError;
  readonly attached: boolean;
  readonly attachmentMetadata?: { readonly [key: string]: string };
  readonly detachError?: VolumeError;
}

export interface VolumeAttachmentStatusApply {
  readonly attachError?: VolumeErrorApply;
  readonly attached?: boolean;
  readonly attachmentMetadata?: { readonly [key: string]: string };
  readonly detachError?: VolumeErrorApply;
}

export interface VolumeAttributesClass {
  readonly apiVersion: "storage.k8s.io/v1";
  readonly driverName: string;
  readonly kind: "VolumeAttributesClass";
  readonly metadata: StoredMeta;
  readonly parameters?: { readonly [key: string]: string };
}

export interface VolumeAttributesClassApply {
  readonly apiVersion?: "storage.k8s.io/v1";
  readonly driverName?: string;
  readonly kind?: "VolumeAttributesClass";
  readonly metadata?: ObjectMeta;
  readonly parameters?: { readonly [key: string]: string };
}

export type VolumeAttributesClassList = KubeList<VolumeAttributesClass>;

export interface VolumeError {
  readonly errorCode?: number;
  readonly message?: string;
  readonly time?: string;
}

export interface VolumeErrorApply {
  readonly errorCode?: number;
  readonly message?: string;
  readonly time?: string;
}

export interface VolumeNodeResources {
  readonly count?: number;
}

export interface VolumeNodeResourcesApply {
  readonly count?: number;
}
