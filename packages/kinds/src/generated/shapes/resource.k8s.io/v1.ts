import type { KubeList, ObjectMeta, StoredMeta } from "@capstan/model";
import type { JsonObject, Keyed } from "../../../shape.ts";
import type { Condition, ConditionApply } from "../meta/v1.ts";
import type { NodeSelector, NodeSelectorApply } from "../v1.ts";

export interface AllocatedDeviceStatus {
  readonly conditions?: readonly Condition[];
  readonly data?: JsonObject;
  readonly device: string;
  readonly driver: string;
  readonly networkData?: NetworkDeviceData;
  readonly pool: string;
  readonly shareID?: string;
}

export interface AllocatedDeviceStatusApply {
  readonly conditions?: readonly Keyed<ConditionApply, "type">[];
  readonly data?: JsonObject;
  readonly device?: string;
  readonly driver?: string;
  readonly networkData?: NetworkDeviceDataApply;
  readonly pool?: string;
  readonly shareID?: string;
}

export interface AllocationResult {
  readonly allocationTimestamp?: string;
  readonly devices?: DeviceAllocationResult;
  readonly nodeSelector?: NodeSelector;
}

export interface AllocationResultApply {
  readonly allocationTimestamp?: string;
  readonly devices?: DeviceAllocationResultApply;
  readonly nodeSelector?: NodeSelectorApply;
}

export interface CELDeviceSelector {
  readonly expression: string;
}

export interface CELDeviceSelectorApply {
  readonly expression?: string;
}

export interface CapacityRequestPolicy {
  readonly default?: string;
  readonly validRange?: CapacityRequestPolicyRange;
  readonly validValues?: readonly string[];
}

export interface CapacityRequestPolicyApply {
  readonly default?: string | number;
  readonly validRange?: CapacityRequestPolicyRangeApply;
  readonly validValues?: readonly (string | number)[];
}

export interface CapacityRequestPolicyRange {
  readonly max?: string;
  readonly min: string;
  readonly step?: string;
}

export interface CapacityRequestPolicyRangeApply {
  readonly max?: string | number;
  readonly min?: string | number;
  readonly step?: string | number;
}

export interface CapacityRequirements {
  readonly requests?: { readonly [key: string]: string };
}

export interface CapacityRequirementsApply {
  readonly requests?: { readonly [key: string]: string | number };
}

export interface Counter {
  readonly value: string;
}

export interface CounterApply {
  readonly value?: string | number;
}

export interface CounterSet {
  readonly counters: { readonly [key: string]: Counter };
  readonly name: string;
}

export interface CounterSetApply {
  readonly counters?: { readonly [key: string]: CounterApply };
  readonly name?: string;
}

export interface Device {
  readonly allNodes?: boolean;
  readonly allowMultipleAllocations?: boolean;
  readonly attributes?: { readonly [key: string]: DeviceAttribute };
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
  readonly bindsToNode?: boolean;
  readonly capacity?: { readonly [key: string]: DeviceCapacity };
  readonly consumesCounters?: readonly DeviceCounterConsumption[];
  readonly name: string;
  readonly nodeAllocatableResourceMappings?: { readonly [key: string]: NodeAllocatableResourceMapping };
  readonly nodeName?: string;
  readonly nodeSelector?: NodeSelector;
  readonly taints?: readonly DeviceTaint[];
}

export interface DeviceApply {
  readonly allNodes?: boolean;
  readonly allowMultipleAllocations?: boolean;
  readonly attributes?: { readonly [key: string]: DeviceAttributeApply };
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
  readonly bindsToNode?: boolean;
  readonly capacity?: { readonly [key: string]: DeviceCapacityApply };
  readonly consumesCounters?: readonly DeviceCounterConsumptionApply[];
  readonly name?: string;
  readonly nodeAllocatableResourceMappings?: { readonly [key: string]: NodeAllocatableResourceMappingApply };
  readonly nodeName?: string;
  readonly nodeSelector?: NodeSelectorApply;
  readonly taints?: readonly DeviceTaintApply[];
}

export interface DeviceAllocationConfiguration {
  readonly opaque?: OpaqueDeviceConfiguration;
  readonly requests?: readonly string[];
  readonly source: "FromClaim" | "FromClass";
}

export interface DeviceAllocationConfigurationApply {
  readonly opaque?: OpaqueDeviceConfigurationApply;
  readonly requests?: readonly string[];
  readonly source?: "FromClaim" | "FromClass";
}

export interface DeviceAllocationResult {
  readonly config?: readonly DeviceAllocationConfiguration[];
  readonly results?: readonly DeviceRequestAllocationResult[];
}

export interface DeviceAllocationResultApply {
  readonly config?: readonly DeviceAllocationConfigurationApply[];
  readonly results?: readonly DeviceRequestAllocationResultApply[];
}

export interface DeviceAttribute {
  readonly bool?: boolean;
  readonly bools?: readonly boolean[];
  readonly int?: number;
  readonly ints?: readonly number[];
  readonly string?: string;
  readonly strings?: readonly string[];
  readonly version?: string;
  readonly versions?: readonly string[];
}

export interface DeviceAttributeApply {
  readonly bool?: boolean;
  readonly bools?: readonly boolean[];
  readonly int?: number;
  readonly ints?: readonly number[];
  readonly string?: string;
  readonly strings?: readonly string[];
  readonly version?: string;
  readonly versions?: readonly string[];
}

export interface DeviceCapacity {
  readonly requestPolicy?: CapacityRequestPolicy;
  readonly value: string;
}

export interface DeviceCapacityApply {
  readonly requestPolicy?: CapacityRequestPolicyApply;
  readonly value?: string | number;
}

export interface DeviceClaim {
  readonly config?: readonly DeviceClaimConfiguration[];
  readonly constraints?: readonly DeviceConstraint[];
  readonly requests?: readonly DeviceRequest[];
}

export interface DeviceClaimApply {
  readonly config?: readonly DeviceClaimConfigurationApply[];
  readonly constraints?: readonly DeviceConstraintApply[];
  readonly requests?: readonly DeviceRequestApply[];
}

export interface DeviceClaimConfiguration {
  readonly opaque?: OpaqueDeviceConfiguration;
  readonly requests?: readonly string[];
}

export interface DeviceClaimConfigurationApply {
  readonly opaque?: OpaqueDeviceConfigurationApply;
  readonly requests?: readonly string[];
}

export interface DeviceClass {
  readonly apiVersion: "resource.k8s.io/v1";
  readonly kind: "DeviceClass";
  readonly metadata: StoredMeta;
  readonly spec: DeviceClassSpec;
}

export interface DeviceClassApply {
  readonly apiVersion?: "resource.k8s.io/v1";
  readonly kind?: "DeviceClass";
  readonly metadata?: ObjectMeta;
  readonly spec?: DeviceClassSpecApply;
}

export interface DeviceClassConfiguration {
  readonly opaque?: OpaqueDeviceConfiguration;
}

export interface DeviceClassConfigurationApply {
  readonly opaque?: OpaqueDeviceConfigurationApply;
}

export type DeviceClassList = KubeList<DeviceClass>;

export interface DeviceClassSpec {
  readonly config?: readonly DeviceClassConfiguration[];
  readonly extendedResourceName?: string;
  readonly selectors?: readonly DeviceSelector[];
}

export interface DeviceClassSpecApply {
  readonly config?: readonly DeviceClassConfigurationApply[];
  readonly extendedResourceName?: string;
  readonly selectors?: readonly DeviceSelectorApply[];
}

export interface DeviceConstraint {
  readonly distinctAttribute?: string;
  readonly matchAttribute?: string;
  readonly requests?: readonly string[];
}

export interface DeviceConstraintApply {
  readonly distinctAttribute?: string;
  readonly matchAttribute?: string;
  readonly requests?: readonly string[];
}

export interface DeviceCounterConsumption {
  readonly counterSet: string;
  readonly counters: { readonly [key: string]: Counter };
}

export interface DeviceCounterConsumptionApply {
  readonly counterSet?: string;
  readonly counters?: { readonly [key: string]: CounterApply };
}

export interface DeviceRequest {
  readonly exactly?: ExactDeviceRequest;
  readonly firstAvailable?: readonly DeviceSubRequest[];
  readonly name: string;
}

export interface DeviceRequestApply {
  readonly exactly?: ExactDeviceRequestApply;
  readonly firstAvailable?: readonly DeviceSubRequestApply[];
  readonly name?: string;
}

export interface DeviceRequestAllocationResult {
  readonly adminAccess?: boolean;
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
  readonly consumedCapacity?: { readonly [key: string]: string };
  readonly device: string;
  readonly driver: string;
  readonly pool: string;
  readonly request: string;
  readonly shareID?: string;
  readonly tolerations?: readonly DeviceToleration[];
}

export interface DeviceRequestAllocationResultApply {
  readonly adminAccess?: boolean;
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
  readonly consumedCapacity?: { readonly [key: string]: string | number };
  readonly device?: string;
  readonly driver?: string;
  readonly pool?: string;
  readonly request?: string;
  readonly shareID?: string;
  readonly tolerations?: readonly DeviceTolerationApply[];
}

export interface DeviceSelector {
  readonly cel?: CELDeviceSelector;
}

export interface DeviceSelectorApply {
  readonly cel?: CELDeviceSelectorApply;
}

export interface DeviceSubRequest {
  readonly allocationMode?: "All" | "ExactCount";
  readonly capacity?: CapacityRequirements;
  readonly count?: number;
  readonly deviceClassName: string;
  readonly name: string;
  readonly selectors?: readonly DeviceSelector[];
  readonly tolerations?: readonly DeviceToleration[];
}

export interface DeviceSubRequestApply {
  readonly allocationMode?: "All" | "ExactCount";
  readonly capacity?: CapacityRequirementsApply;
  readonly count?: number;
  readonly deviceClassName?: string;
  readonly name?: string;
  readonly selectors?: readonly DeviceSelectorApply[];
  readonly tolerations?: readonly DeviceTolerationApply[];
}

export interface DeviceTaint {
  readonly effect: "NoExecute" | "NoSchedule" | "None";
  readonly key: string;
  readonly timeAdded?: string;
  readonly value?: string;
}

export interface DeviceTaintApply {
  readonly effect?: "NoExecute" | "NoSchedule" | "None";
  readonly key?: string;
  readonly timeAdded?: string;
  readonly value?: string;
}

export interface DeviceToleration {
  readonly effect?: "NoExecute" | "NoSchedule" | "None";
  readonly key?: string;
  readonly operator?: "Equal" | "Exists";
  readonly tolerationSeconds?: number;
  readonly value?: string;
}

export interface DeviceTolerationApply {
  readonly effect?: "NoExecute" | "NoSchedule" | "None";
  readonly key?: string;
  readonly operator?: "Equal" | "Exists";
  readonly tolerationSeconds?: number;
  readonly value?: string;
}

export interface ExactDeviceRequest {
  readonly adminAccess?: boolean;
  readonly allocationMode?: "All" | "ExactCount";
  readonly capacity?: CapacityRequirements;
  readonly count?: number;
  readonly deviceClassName: string;
  readonly selectors?: readonly DeviceSelector[];
  readonly tolerations?: readonly DeviceToleration[];
}

export interface ExactDeviceRequestApply {
  readonly adminAccess?: boolean;
  readonly allocationMode?: "All" | "ExactCount";
  readonly capacity?: CapacityRequirementsApply;
  readonly count?: number;
  readonly deviceClassName?: string;
  readonly selectors?: readonly DeviceSelectorApply[];
  readonly tolerations?: readonly DeviceTolerationApply[];
}

export interface NetworkDeviceData {
  readonly hardwareAddress?: string;
  readonly interfaceName?: string;
  readonly ips?: readonly string[];
}

export interface NetworkDeviceDataApply {
  readonly hardwareAddress?: string;
  readonly interfaceName?: string;
  readonly ips?: readonly string[];
}

export interface NodeAllocatableResourceMapping {
  readonly allocationMultiplier?: string;
  readonly capacityKey?: string;
}

export interface NodeAllocatableResourceMappingApply {
  readonly allocationMultiplier?: string | number;
  readonly capacityKey?: string;
}

export interface OpaqueDeviceConfiguration {
  readonly driver: string;
  readonly parameters: JsonObject;
}

export interface OpaqueDeviceConfigurationApply {
  readonly driver?: string;
  readonly parameters?: JsonObject;
}

export interface ResourceClaim {
  readonly apiVersion: "resource.k8s.io/v1";
  readonly kind: "ResourceClaim";
  readonly metadata: StoredMeta;
  readonly spec: ResourceClaimSpec;
  readonly status?: ResourceClaimStatus;
}

export interface ResourceClaimApply {
  readonly apiVersion?: "resource.k8s.io/v1";
  readonly kind?: "ResourceClaim";
  readonly metadata?: ObjectMeta;
  readonly spec?: ResourceClaimSpecApply;
  readonly status?: ResourceClaimStatusApply;
}

export interface ResourceClaimConsumerReference {
  readonly apiGroup?: string;
  readonly name: string;
  readonly resource: string;
  readonly uid: string;
}

export interface ResourceClaimConsumerReferenceApply {
  readonly apiGroup?: string;
  readonly name?: string;
  readonly resource?: string;
  readonly uid?: string;
}

export type ResourceClaimList = KubeList<ResourceClaim>;

export interface ResourceClaimSpec {
  readonly devices?: DeviceClaim;
}

export interface ResourceClaimSpecApply {
  readonly devices?: DeviceClaimApply;
}

export interface ResourceClaimStatus {
  readonly allocation?: AllocationResult;
  readonly devices?: readonly AllocatedDeviceStatus[];
  readonly reservedFor?: readonly ResourceClaimConsumerReference[];
}

export interface ResourceClaimStatusApply {
  readonly allocation?: AllocationResultApply;
  readonly devices?: readonly Keyed<AllocatedDeviceStatusApply, "driver" | "device" | "pool" | "shareID">[];
  readonly reservedFor?: readonly Keyed<ResourceClaimConsumerReferenceApply, "uid">[];
}

export interface ResourceClaimTemplate {
  readonly apiVersion: "resource.k8s.io/v1";
  readonly kind: "ResourceClaimTemplate";
  readonly metadata: StoredMeta;
  readonly spec: ResourceClaimTemplateSpec;
}

export interface ResourceClaimTemplateApply {
  readonly apiVersion?: "resource.k8s.io/v1";
  readonly kind?: "ResourceClaimTemplate";
  readonly metadata?: ObjectMeta;
  readonly spec?: ResourceClaimTemplateSpecApply;
}

export type ResourceClaimTemplateList = KubeList<ResourceClaimTemplate>;

export interface ResourceClaimTemplateSpec {
  readonly metadata?: ObjectMeta;
  readonly spec: ResourceClaimSpec;
}

export interface ResourceClaimTemplateSpecApply {
  readonly metadata?: ObjectMeta;
  readonly spec?: ResourceClaimSpecApply;
}

export interface ResourcePool {
  readonly generation: number;
  readonly name: string;
  readonly resourceSliceCount: number;
}

export interface ResourcePoolApply {
  readonly generation?: number;
  readonly name?: string;
  readonly resourceSliceCount?: number;
}

export interface ResourceSlice {
  readonly apiVersion: "resource.k8s.io/v1";
  readonly kind: "ResourceSlice";
  readonly metadata: StoredMeta;
  readonly spec: ResourceSliceSpec;
}

export interface ResourceSliceApply {
  readonly apiVersion?: "resource.k8s.io/v1";
  readonly kind?: "ResourceSlice";
  readonly metadata?: ObjectMeta;
  readonly spec?: ResourceSliceSpecApply;
}

export type ResourceSliceList = KubeList<ResourceSlice>;

export interface ResourceSliceSpec {
  readonly allNodes?: boolean;
  readonly devices?: readonly Device[];
  readonly driver: string;
  readonly nodeName?: string;
  readonly nodeSelector?: NodeSelector;
  readonly perDeviceNodeSelection?: boolean;
  readonly pool: ResourcePool;
  readonly sharedCounters?: readonly CounterSet[];
}

export interface ResourceSliceSpecApply {
  readonly allNodes?: boolean;
  readonly devices?: readonly DeviceApply[];
  readonly driver?: string;
  readonly nodeName?: string;
  readonly nodeSelector?: NodeSelectorApply;
  readonly perDeviceNodeSelection?: boolean;
  readonly pool?: ResourcePoolApply;
  readonly sharedCounters?: readonly CounterSetApply[];
}
