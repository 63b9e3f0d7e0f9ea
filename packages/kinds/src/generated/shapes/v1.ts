import type { IntOrString, KubeList, ObjectMeta, StoredMeta } from "@capstan/model";
import type { Keyed } from "../../shape.ts";
import type { Condition, ConditionApply, LabelSelector, LabelSelectorApply } from "./meta/v1.ts";

export interface AWSElasticBlockStoreVolumeSource {
  readonly fsType?: string;
  readonly partition?: number;
  readonly readOnly?: boolean;
  readonly volumeID: string;
}

export interface AWSElasticBlockStoreVolumeSourceApply {
  readonly fsType?: string;
  readonly partition?: number;
  readonly readOnly?: boolean;
  readonly volumeID?: string;
}

export interface Affinity {
  readonly nodeAffinity?: NodeAffinity;
  readonly podAffinity?: PodAffinity;
  readonly podAntiAffinity?: PodAntiAffinity;
}

export interface AffinityApply {
  readonly nodeAffinity?: NodeAffinityApply;
  readonly podAffinity?: PodAffinityApply;
  readonly podAntiAffinity?: PodAntiAffinityApply;
}

export interface AppArmorProfile {
  readonly localhostProfile?: string;
  readonly type: "Localhost" | "RuntimeDefault" | "Unconfined";
}

export interface AppArmorProfileApply {
  readonly localhostProfile?: string;
  readonly type?: "Localhost" | "RuntimeDefault" | "Unconfined";
}

export interface AttachedVolume {
  readonly devicePath: string;
  readonly name: string;
}

export interface AttachedVolumeApply {
  readonly devicePath?: string;
  readonly name?: string;
}

export interface AzureDiskVolumeSource {
  readonly cachingMode?: "None" | "ReadOnly" | "ReadWrite";
  readonly diskName: string;
  readonly diskURI: string;
  readonly fsType?: string;
  readonly kind?: "Dedicated" | "Managed" | "Shared";
  readonly readOnly?: boolean;
}

export interface AzureDiskVolumeSourceApply {
  readonly cachingMode?: "None" | "ReadOnly" | "ReadWrite";
  readonly diskName?: string;
  readonly diskURI?: string;
  readonly fsType?: string;
  readonly kind?: "Dedicated" | "Managed" | "Shared";
  readonly readOnly?: boolean;
}

export interface AzureFilePersistentVolumeSource {
  readonly readOnly?: boolean;
  readonly secretName: string;
  readonly secretNamespace?: string;
  readonly shareName: string;
}

export interface AzureFilePersistentVolumeSourceApply {
  readonly readOnly?: boolean;
  readonly secretName?: string;
  readonly secretNamespace?: string;
  readonly shareName?: string;
}

export interface AzureFileVolumeSource {
  readonly readOnly?: boolean;
  readonly secretName: string;
  readonly shareName: string;
}

export interface AzureFileVolumeSourceApply {
  readonly readOnly?: boolean;
  readonly secretName?: string;
  readonly shareName?: string;
}

export interface Binding {
  readonly apiVersion: "v1";
  readonly kind: "Binding";
  readonly metadata: ObjectMeta;
  readonly target: ObjectReference;
}

export interface BindingApply {
  readonly apiVersion?: "v1";
  readonly kind?: "Binding";
  readonly metadata?: ObjectMeta;
  readonly target?: ObjectReferenceApply;
}

export interface CSIPersistentVolumeSource {
  readonly controllerExpandSecretRef?: SecretReference;
  readonly controllerPublishSecretRef?: SecretReference;
  readonly driver: string;
  readonly fsType?: string;
  readonly nodeExpandSecretRef?: SecretReference;
  readonly nodePublishSecretRef?: SecretReference;
  readonly nodeStageSecretRef?: SecretReference;
  readonly readOnly?: boolean;
  readonly volumeAttributes?: { readonly [key: string]: string };
  readonly volumeHandle: string;
}

export interface CSIPersistentVolumeSourceApply {
  readonly controllerExpandSecretRef?: SecretReferenceApply;
  readonly controllerPublishSecretRef?: SecretReferenceApply;
  readonly driver?: string;
  readonly fsType?: string;
  readonly nodeExpandSecretRef?: SecretReferenceApply;
  readonly nodePublishSecretRef?: SecretReferenceApply;
  readonly nodeStageSecretRef?: SecretReferenceApply;
  readonly readOnly?: boolean;
  readonly volumeAttributes?: { readonly [key: string]: string };
  readonly volumeHandle?: string;
}

export interface CSIVolumeSource {
  readonly driver: string;
  readonly fsType?: string;
  readonly nodePublishSecretRef?: LocalObjectReference;
  readonly readOnly?: boolean;
  readonly volumeAttributes?: { readonly [key: string]: string };
}

export interface CSIVolumeSourceApply {
  readonly driver?: string;
  readonly fsType?: string;
  readonly nodePublishSecretRef?: LocalObjectReferenceApply;
  readonly readOnly?: boolean;
  readonly volumeAttributes?: { readonly [key: string]: string };
}

export interface Capabilities {
  readonly add?: readonly string[];
  readonly drop?: readonly string[];
}

export interface CapabilitiesApply {
  readonly add?: readonly string[];
  readonly drop?: readonly string[];
}

export interface CephFSPersistentVolumeSource {
  readonly monitors: readonly string[];
  readonly path?: string;
  readonly readOnly?: boolean;
  readonly secretFile?: string;
  readonly secretRef?: SecretReference;
  readonly user?: string;
}

export interface CephFSPersistentVolumeSourceApply {
  readonly monitors?: readonly string[];
  readonly path?: string;
  readonly readOnly?: boolean;
  readonly secretFile?: string;
  readonly secretRef?: SecretReferenceApply;
  readonly user?: string;
}

export interface CephFSVolumeSource {
  readonly monitors: readonly string[];
  readonly path?: string;
  readonly readOnly?: boolean;
  readonly secretFile?: string;
  readonly secretRef?: LocalObjectReference;
  readonly user?: string;
}

export interface CephFSVolumeSourceApply {
  readonly monitors?: readonly string[];
  readonly path?: string;
  readonly readOnly?: boolean;
  readonly secretFile?: string;
  readonly secretRef?: LocalObjectReferenceApply;
  readonly user?: string;
}

export interface CinderPersistentVolumeSource {
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly secretRef?: SecretReference;
  readonly volumeID: string;
}

export interface CinderPersistentVolumeSourceApply {
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly secretRef?: SecretReferenceApply;
  readonly volumeID?: string;
}

export interface CinderVolumeSource {
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly secretRef?: LocalObjectReference;
  readonly volumeID: string;
}

export interface CinderVolumeSourceApply {
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly secretRef?: LocalObjectReferenceApply;
  readonly volumeID?: string;
}

export interface ClientIPConfig {
  readonly timeoutSeconds?: number;
}

export interface ClientIPConfigApply {
  readonly timeoutSeconds?: number;
}

export interface ClusterTrustBundleProjection {
  readonly labelSelector?: LabelSelector;
  readonly name?: string;
  readonly optional?: boolean;
  readonly path: string;
  readonly signerName?: string;
}

export interface ClusterTrustBundleProjectionApply {
  readonly labelSelector?: LabelSelectorApply;
  readonly name?: string;
  readonly optional?: boolean;
  readonly path?: string;
  readonly signerName?: string;
}

export interface ComponentCondition {
  readonly error?: string;
  readonly message?: string;
  readonly status: string;
  readonly type: string;
}

export interface ComponentConditionApply {
  readonly error?: string;
  readonly message?: string;
  readonly status?: string;
  readonly type?: string;
}

export interface ComponentStatus {
  readonly apiVersion: "v1";
  readonly conditions?: readonly ComponentCondition[];
  readonly kind: "ComponentStatus";
  readonly metadata: StoredMeta;
}

export interface ComponentStatusApply {
  readonly apiVersion?: "v1";
  readonly conditions?: readonly Keyed<ComponentConditionApply, "type">[];
  readonly kind?: "ComponentStatus";
  readonly metadata?: ObjectMeta;
}

export type ComponentStatusList = KubeList<ComponentStatus>;

export interface ConfigMap {
  readonly apiVersion: "v1";
  readonly binaryData?: { readonly [key: string]: string };
  readonly data?: { readonly [key: string]: string };
  readonly immutable?: boolean;
  readonly kind: "ConfigMap";
  readonly metadata: StoredMeta;
}

export interface ConfigMapApply {
  readonly apiVersion?: "v1";
  readonly binaryData?: { readonly [key: string]: string };
  readonly data?: { readonly [key: string]: string };
  readonly immutable?: boolean;
  readonly kind?: "ConfigMap";
  readonly metadata?: ObjectMeta;
}

export interface ConfigMapEnvSource {
  readonly name?: string;
  readonly optional?: boolean;
}

export interface ConfigMapEnvSourceApply {
  readonly name?: string;
  readonly optional?: boolean;
}

export interface ConfigMapKeySelector {
  readonly key: string;
  readonly name?: string;
  readonly optional?: boolean;
}

export interface ConfigMapKeySelectorApply {
  readonly key?: string;
  readonly name?: string;
  readonly optional?: boolean;
}

export type ConfigMapList = KubeList<ConfigMap>;

export interface ConfigMapNodeConfigSource {
  readonly kubeletConfigKey: string;
  readonly name: string;
  readonly namespace: string;
  readonly resourceVersion?: string;
  readonly uid?: string;
}

export interface ConfigMapNodeConfigSourceApply {
  readonly kubeletConfigKey?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly resourceVersion?: string;
  readonly uid?: string;
}

export interface ConfigMapProjection {
  readonly items?: readonly KeyToPath[];
  readonly name?: string;
  readonly optional?: boolean;
}

export interface ConfigMapProjectionApply {
  readonly items?: readonly KeyToPathApply[];
  readonly name?: string;
  readonly optional?: boolean;
}

export interface ConfigMapVolumeSource {
  readonly defaultMode?: number;
  readonly items?: readonly KeyToPath[];
  readonly name?: string;
  readonly optional?: boolean;
}

export interface ConfigMapVolumeSourceApply {
  readonly defaultMode?: number;
  readonly items?: readonly KeyToPathApply[];
  readonly name?: string;
  readonly optional?: boolean;
}

export interface Container {
  readonly args?: readonly string[];
  readonly command?: readonly string[];
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly EnvFromSource[];
  readonly image?: string;
  readonly imagePullPolicy?: "Always" | "IfNotPresent" | "Never";
  readonly lifecycle?: Lifecycle;
  readonly livenessProbe?: Probe;
  readonly name: string;
  readonly ports?: readonly ContainerPort[];
  readonly readinessProbe?: Probe;
  readonly resizePolicy?: readonly ContainerResizePolicy[];
  readonly resources?: ResourceRequirements;
  readonly restartPolicy?: string;
  readonly restartPolicyRules?: readonly ContainerRestartRule[];
  readonly securityContext?: SecurityContext;
  readonly startupProbe?: Probe;
  readonly stdin?: boolean;
  readonly stdinOnce?: boolean;
  readonly terminationMessagePath?: string;
  readonly terminationMessagePolicy?: "FallbackToLogsOnError" | "File";
  readonly tty?: boolean;
  readonly volumeDevices?: readonly VolumeDevice[];
  readonly volumeMounts?: readonly VolumeMount[];
  readonly workingDir?: string;
}

export interface ContainerApply {
  readonly args?: readonly string[];
  readonly command?: readonly string[];
  readonly env?: readonly Keyed<EnvVarApply, "name">[];
  readonly envFrom?: readonly EnvFromSourceApply[];
  readonly image?: string;
  readonly imagePullPolicy?: "Always" | "IfNotPresent" | "Never";
  readonly lifecycle?: LifecycleApply;
  readonly livenessProbe?: ProbeApply;
  readonly name?: string;
  readonly ports?: readonly Keyed<ContainerPortApply, "containerPort">[];
  readonly readinessProbe?: ProbeApply;
  readonly resizePolicy?: readonly ContainerResizePolicyApply[];
  readonly resources?: ResourceRequirementsApply;
  readonly restartPolicy?: string;
  readonly restartPolicyRules?: readonly ContainerRestartRuleApply[];
  readonly securityContext?: SecurityContextApply;
  readonly startupProbe?: ProbeApply;
  readonly stdin?: boolean;
  readonly stdinOnce?: boolean;
  readonly terminationMessagePath?: string;
  readonly terminationMessagePolicy?: "FallbackToLogsOnError" | "File";
  readonly tty?: boolean;
  readonly volumeDevices?: readonly Keyed<VolumeDeviceApply, "devicePath">[];
  readonly volumeMounts?: readonly Keyed<VolumeMountApply, "mountPath">[];
  readonly workingDir?: string;
}

export interface ContainerExtendedResourceRequest {
  readonly containerName: string;
  readonly requestName: string;
  readonly resourceName: string;
}

export interface ContainerExtendedResourceRequestApply {
  readonly containerName?: string;
  readonly requestName?: string;
  readonly resourceName?: string;
}

export interface ContainerImage {
  readonly names?: readonly string[];
  readonly sizeBytes?: number;
}

export interface ContainerImageApply {
  readonly names?: readonly string[];
  readonly sizeBytes?: number;
}

export interface ContainerPort {
  readonly containerPort: number;
  readonly hostIP?: string;
  readonly hostPort?: number;
  readonly name?: string;
  readonly protocol?: "SCTP" | "TCP" | "UDP";
}

export interface ContainerPortApply {
  readonly containerPort?: number;
  readonly hostIP?: string;
  readonly hostPort?: number;
  readonly name?: string;
  readonly protocol?: "SCTP" | "TCP" | "UDP";
}

export interface ContainerResizePolicy {
  readonly resourceName: string;
  readonly restartPolicy: string;
}

export interface ContainerResizePolicyApply {
  readonly resourceName?: string;
  readonly restartPolicy?: string;
}

export interface ContainerRestartRule {
  readonly action: string;
  readonly exitCodes?: ContainerRestartRuleOnExitCodes;
}

export interface ContainerRestartRuleApply {
  readonly action?: string;
  readonly exitCodes?: ContainerRestartRuleOnExitCodesApply;
}

export interface ContainerRestartRuleOnExitCodes {
  readonly operator: string;
  readonly values?: readonly number[];
}

export interface ContainerRestartRuleOnExitCodesApply {
  readonly operator?: string;
  readonly values?: readonly number[];
}

export interface ContainerState {
  readonly running?: ContainerStateRunning;
  readonly terminated?: ContainerStateTerminated;
  readonly waiting?: ContainerStateWaiting;
}

export interface ContainerStateApply {
  readonly running?: ContainerStateRunningApply;
  readonly terminated?: ContainerStateTerminatedApply;
  readonly waiting?: ContainerStateWaitingApply;
}

export interface ContainerStateRunning {
  readonly startedAt?: string;
}

export interface ContainerStateRunningApply {
  readonly startedAt?: string;
}

export interface ContainerStateTerminated {
  readonly containerID?: string;
  readonly exitCode: number;
  readonly finishedAt?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly signal?: number;
  readonly startedAt?: string;
}

export interface ContainerStateTerminatedApply {
  readonly containerID?: string;
  readonly exitCode?: number;
  readonly finishedAt?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly signal?: number;
  readonly startedAt?: string;
}

export interface ContainerStateWaiting {
  readonly message?: string;
  readonly reason?: string;
}

export interface ContainerStateWaitingApply {
  readonly message?: string;
  readonly reason?: string;
}

export interface ContainerStatus {
  readonly allocatedResources?: { readonly [key: string]: string };
  readonly allocatedResourcesStatus?: readonly ResourceStatus[];
  readonly containerID?: string;
  readonly image: string;
  readonly imageID: string;
  readonly lastState?: ContainerState;
  readonly name: string;
  readonly ready: boolean;
  readonly resources?: ResourceRequirements;
  readonly restartCount: number;
  readonly started?: boolean;
  readonly state?: ContainerState;
  readonly stopSignal?: "SIGABRT" | "SIGALRM" | "SIGBUS" | "SIGCHLD" | "SIGCLD" | "SIGCONT" | "SIGFPE" | "SIGHUP" | "SIGILL" | "SIGINT" | "SIGIO" | "SIGIOT" | "SIGKILL" | "SIGPIPE" | "SIGPOLL" | "SIGPROF" | "SIGPWR" | "SIGQUIT" | "SIGRTMAX" | "SIGRTMAX-1" | "SIGRTMAX-10" | "SIGRTMAX-11" | "SIGRTMAX-12" | "SIGRTMAX-13" | "SIGRTMAX-14" | "SIGRTMAX-2" | "SIGRTMAX-3" | "SIGRTMAX-4" | "SIGRTMAX-5" | "SIGRTMAX-6" | "SIGRTMAX-7" | "SIGRTMAX-8" | "SIGRTMAX-9" | "SIGRTMIN" | "SIGRTMIN+1" | "SIGRTMIN+10" | "SIGRTMIN+11" | "SIGRTMIN+12" | "SIGRTMIN+13" | "SIGRTMIN+14" | "SIGRTMIN+15" | "SIGRTMIN+2" | "SIGRTMIN+3" | "SIGRTMIN+4" | "SIGRTMIN+5" | "SIGRTMIN+6" | "SIGRTMIN+7" | "SIGRTMIN+8" | "SIGRTMIN+9" | "SIGSEGV" | "SIGSTKFLT" | "SIGSTOP" | "SIGSYS" | "SIGTERM" | "SIGTRAP" | "SIGTSTP" | "SIGTTIN" | "SIGTTOU" | "SIGURG" | "SIGUSR1" | "SIGUSR2" | "SIGVTALRM" | "SIGWINCH" | "SIGXCPU" | "SIGXFSZ";
  readonly user?: ContainerUser;
  readonly volumeMounts?: readonly VolumeMountStatus[];
}

export interface ContainerStatusApply {
  readonly allocatedResources?: { readonly [key: string]: string | number };
  readonly allocatedResourcesStatus?: readonly Keyed<ResourceStatusApply, "name">[];
  readonly containerID?: string;
  readonly image?: string;
  readonly imageID?: string;
  readonly lastState?: ContainerStateApply;
  readonly name?: string;
  readonly ready?: boolean;
  readonly resources?: ResourceRequirementsApply;
  readonly restartCount?: number;
  readonly started?: boolean;
  readonly state?: ContainerStateApply;
  readonly stopSignal?: "SIGABRT" | "SIGALRM" | "SIGBUS" | "SIGCHLD" | "SIGCLD" | "SIGCONT" | "SIGFPE" | "SIGHUP" | "SIGILL" | "SIGINT" | "SIGIO" | "SIGIOT" | "SIGKILL" | "SIGPIPE" | "SIGPOLL" | "SIGPROF" | "SIGPWR" | "SIGQUIT" | "SIGRTMAX" | "SIGRTMAX-1" | "SIGRTMAX-10" | "SIGRTMAX-11" | "SIGRTMAX-12" | "SIGRTMAX-13" | "SIGRTMAX-14" | "SIGRTMAX-2" | "SIGRTMAX-3" | "SIGRTMAX-4" | "SIGRTMAX-5" | "SIGRTMAX-6" | "SIGRTMAX-7" | "SIGRTMAX-8" | "SIGRTMAX-9" | "SIGRTMIN" | "SIGRTMIN+1" | "SIGRTMIN+10" | "SIGRTMIN+11" | "SIGRTMIN+12" | "SIGRTMIN+13" | "SIGRTMIN+14" | "SIGRTMIN+15" | "SIGRTMIN+2" | "SIGRTMIN+3" | "SIGRTMIN+4" | "SIGRTMIN+5" | "SIGRTMIN+6" | "SIGRTMIN+7" | "SIGRTMIN+8" | "SIGRTMIN+9" | "SIGSEGV" | "SIGSTKFLT" | "SIGSTOP" | "SIGSYS" | "SIGTERM" | "SIGTRAP" | "SIGTSTP" | "SIGTTIN" | "SIGTTOU" | "SIGURG" | "SIGUSR1" | "SIGUSR2" | "SIGVTALRM" | "SIGWINCH" | "SIGXCPU" | "SIGXFSZ";
  readonly user?: ContainerUserApply;
  readonly volumeMounts?: readonly Keyed<VolumeMountStatusApply, "mountPath">[];
}

export interface ContainerUser {
  readonly linux?: LinuxContainerUser;
}

export interface ContainerUserApply {
  readonly linux?: LinuxContainerUserApply;
}

export interface DaemonEndpoint {
  readonly Port: number;
}

export interface DaemonEndpointApply {
  readonly Port?: number;
}

export interface DownwardAPIProjection {
  readonly items?: readonly DownwardAPIVolumeFile[];
}

export interface DownwardAPIProjectionApply {
  readonly items?: readonly DownwardAPIVolumeFileApply[];
}

export interface DownwardAPIVolumeFile {
  readonly fieldRef?: ObjectFieldSelector;
  readonly mode?: number;
  readonly path: string;
  readonly resourceFieldRef?: ResourceFieldSelector;
}

export interface DownwardAPIVolumeFileApply {
  readonly fieldRef?: ObjectFieldSelectorApply;
  readonly mode?: number;
  readonly path?: string;
  readonly resourceFieldRef?: ResourceFieldSelectorApply;
}

export interface DownwardAPIVolumeSource {
  readonly defaultMode?: number;
  readonly items?: readonly DownwardAPIVolumeFile[];
}

export interface DownwardAPIVolumeSourceApply {
  readonly defaultMode?: number;
  readonly items?: readonly DownwardAPIVolumeFileApply[];
}

export interface EmptyDirVolumeSource {
  readonly medium?: string;
  readonly sizeLimit?: string;
}

export interface EmptyDirVolumeSourceApply {
  readonly medium?: string;
  readonly sizeLimit?: string | number;
}

export interface EndpointAddress {
  readonly hostname?: string;
  readonly ip: string;
  readonly nodeName?: string;
  readonly targetRef?: ObjectReference;
}

export interface EndpointAddressApply {
  readonly hostname?: string;
  readonly ip?: string;
  readonly nodeName?: string;
  readonly targetRef?: ObjectReferenceApply;
}

export interface EndpointPort {
  readonly appProtocol?: string;
  readonly name?: string;
  readonly port: number;
  readonly protocol?: "SCTP" | "TCP" | "UDP";
}

export interface EndpointPortApply {
  readonly appProtocol?: string;
  readonly name?: string;
  readonly port?: number;
  readonly protocol?: "SCTP" | "TCP" | "UDP";
}

export interface EndpointSubset {
  readonly addresses?: readonly EndpointAddress[];
  readonly notReadyAddresses?: readonly EndpointAddress[];
  readonly ports?: readonly EndpointPort[];
}

export interface EndpointSubsetApply {
  readonly addresses?: readonly EndpointAddressApply[];
  readonly notReadyAddresses?: readonly EndpointAddressApply[];
  readonly ports?: readonly EndpointPortApply[];
}

export interface Endpoints {
  readonly apiVersion: "v1";
  readonly kind: "Endpoints";
  readonly metadata: StoredMeta;
  readonly subsets?: readonly EndpointSubset[];
}

export interface EndpointsApply {
  readonly apiVersion?: "v1";
  readonly kind?: "Endpoints";
  readonly metadata?: ObjectMeta;
  readonly subsets?: readonly EndpointSubsetApply[];
}

export type EndpointsList = KubeList<Endpoints>;

export interface EnvFromSource {
  readonly configMapRef?: ConfigMapEnvSource;
  readonly prefix?: string;
  readonly secretRef?: SecretEnvSource;
}

export interface EnvFromSourceApply {
  readonly configMapRef?: ConfigMapEnvSourceApply;
  readonly prefix?: string;
  readonly secretRef?: SecretEnvSourceApply;
}

export interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: EnvVarSource;
}

export interface EnvVarApply {
  readonly name?: string;
  readonly value?: string;
  readonly valueFrom?: EnvVarSourceApply;
}

export interface EnvVarSource {
  readonly configMapKeyRef?: ConfigMapKeySelector;
  readonly fieldRef?: ObjectFieldSelector;
  readonly fileKeyRef?: FileKeySelector;
  readonly resourceFieldRef?: ResourceFieldSelector;
  readonly secretKeyRef?: SecretKeySelector;
}

export interface EnvVarSourceApply {
  readonly configMapKeyRef?: ConfigMapKeySelectorApply;
  readonly fieldRef?: ObjectFieldSelectorApply;
  readonly fileKeyRef?: FileKeySelectorApply;
  readonly resourceFieldRef?: ResourceFieldSelectorApply;
  readonly secretKeyRef?: SecretKeySelectorApply;
}

export interface EphemeralContainer {
  readonly args?: readonly string[];
  readonly command?: readonly string[];
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly EnvFromSource[];
  readonly image?: string;
  readonly imagePullPolicy?: "Always" | "IfNotPresent" | "Never";
  readonly lifecycle?: Lifecycle;
  readonly livenessProbe?: Probe;
  readonly name: string;
  readonly ports?: readonly ContainerPort[];
  readonly readinessProbe?: Probe;
  readonly resizePolicy?: readonly ContainerResizePolicy[];
  readonly resources?: ResourceRequirements;
  readonly restartPolicy?: string;
  readonly restartPolicyRules?: readonly ContainerRestartRule[];
  readonly securityContext?: SecurityContext;
  readonly startupProbe?: Probe;
  readonly stdin?: boolean;
  readonly stdinOnce?: boolean;
  readonly targetContainerName?: string;
  readonly terminationMessagePath?: string;
  readonly terminationMessagePolicy?: "FallbackToLogsOnError" | "File";
  readonly tty?: boolean;
  readonly volumeDevices?: readonly VolumeDevice[];
  readonly volumeMounts?: readonly VolumeMount[];
  readonly workingDir?: string;
}

export interface EphemeralContainerApply {
  readonly args?: readonly string[];
  readonly command?: readonly string[];
  readonly env?: readonly Keyed<EnvVarApply, "name">[];
  readonly envFrom?: readonly EnvFromSourceApply[];
  readonly image?: string;
  readonly imagePullPolicy?: "Always" | "IfNotPresent" | "Never";
  readonly lifecycle?: LifecycleApply;
  readonly livenessProbe?: ProbeApply;
  readonly name?: string;
  readonly ports?: readonly Keyed<ContainerPortApply, "containerPort">[];
  readonly readinessProbe?: ProbeApply;
  readonly resizePolicy?: readonly ContainerResizePolicyApply[];
  readonly resources?: ResourceRequirementsApply;
  readonly restartPolicy?: string;
  readonly restartPolicyRules?: readonly ContainerRestartRuleApply[];
  readonly securityContext?: SecurityContextApply;
  readonly startupProbe?: ProbeApply;
  readonly stdin?: boolean;
  readonly stdinOnce?: boolean;
  readonly targetContainerName?: string;
  readonly terminationMessagePath?: string;
  readonly terminationMessagePolicy?: "FallbackToLogsOnError" | "File";
  readonly tty?: boolean;
  readonly volumeDevices?: readonly Keyed<VolumeDeviceApply, "devicePath">[];
  readonly volumeMounts?: readonly Keyed<VolumeMountApply, "mountPath">[];
  readonly workingDir?: string;
}

export interface EphemeralVolumeSource {
  readonly volumeClaimTemplate?: PersistentVolumeClaimTemplate;
}

export interface EphemeralVolumeSourceApply {
  readonly volumeClaimTemplate?: PersistentVolumeClaimTemplateApply;
}

export interface Event {
  readonly action?: string;
  readonly apiVersion: "v1";
  readonly count?: number;
  readonly eventTime?: string;
  readonly firstTimestamp?: string;
  readonly involvedObject: ObjectReference;
  readonly kind: "Event";
  readonly lastTimestamp?: string;
  readonly message?: string;
  readonly metadata: StoredMeta;
  readonly reason?: string;
  readonly related?: ObjectReference;
  readonly reportingComponent?: string;
  readonly reportingInstance?: string;
  readonly series?: EventSeries;
  readonly source?: EventSource;
  readonly type?: string;
}

export interface EventApply {
  readonly action?: string;
  readonly apiVersion?: "v1";
  readonly count?: number;
  readonly eventTime?: string;
  readonly firstTimestamp?: string;
  readonly involvedObject?: ObjectReferenceApply;
  readonly kind?: "Event";
  readonly lastTimestamp?: string;
  readonly message?: string;
  readonly metadata?: ObjectMeta;
  readonly reason?: string;
  readonly related?: ObjectReferenceApply;
  readonly reportingComponent?: string;
  readonly reportingInstance?: string;
  readonly series?: EventSeriesApply;
  readonly source?: EventSourceApply;
  readonly type?: string;
}

export type EventList = KubeList<Event>;

export interface EventSeries {
  readonly count?: number;
  readonly lastObservedTime?: string;
}

export interface EventSeriesApply {
  readonly count?: number;
  readonly lastObservedTime?: string;
}

export interface EventSource {
  readonly component?: string;
  readonly host?: string;
}

export interface EventSourceApply {
  readonly component?: string;
  readonly host?: string;
}

export interface ExecAction {
  readonly command?: readonly string[];
}

export interface ExecActionApply {
  readonly command?: readonly string[];
}

export interface FCVolumeSource {
  readonly fsType?: string;
  readonly lun?: number;
  readonly readOnly?: boolean;
  readonly targetWWNs?: readonly string[];
  readonly wwids?: readonly string[];
}

export interface FCVolumeSourceApply {
  readonly fsType?: string;
  readonly lun?: number;
  readonly readOnly?: boolean;
  readonly targetWWNs?: readonly string[];
  readonly wwids?: readonly string[];
}

export interface FileKeySelector {
  readonly key: string;
  readonly optional?: boolean;
  readonly path: string;
  readonly volumeName: string;
}

export interface FileKeySelectorApply {
  readonly key?: string;
  readonly optional?: boolean;
  readonly path?: string;
  readonly volumeName?: string;
}

export interface FlexPersistentVolumeSource {
  readonly driver: string;
  readonly fsType?: string;
  readonly options?: { readonly [key: string]: string };
  readonly readOnly?: boolean;
  readonly secretRef?: SecretReference;
}

export interface FlexPersistentVolumeSourceApply {
  readonly driver?: string;
  readonly fsType?: string;
  readonly options?: { readonly [key: string]: string };
  readonly readOnly?: boolean;
  readonly secretRef?: SecretReferenceApply;
}

export interface FlexVolumeSource {
  readonly driver: string;
  readonly fsType?: string;
  readonly options?: { readonly [key: string]: string };
  readonly readOnly?: boolean;
  readonly secretRef?: LocalObjectReference;
}

export interface FlexVolumeSourceApply {
  readonly driver?: string;
  readonly fsType?: string;
  readonly options?: { readonly [key: string]: string };
  readonly readOnly?: boolean;
  readonly secretRef?: LocalObjectReferenceApply;
}

export interface FlockerVolumeSource {
  readonly datasetName?: string;
  readonly datasetUUID?: string;
}

export interface FlockerVolumeSourceApply {
  readonly datasetName?: string;
  readonly datasetUUID?: string;
}

export interface GCEPersistentDiskVolumeSource {
  readonly fsType?: string;
  readonly partition?: number;
  readonly pdName: string;
  readonly readOnly?: boolean;
}

export interface GCEPersistentDiskVolumeSourceApply {
  readonly fsType?: string;
  readonly partition?: number;
  readonly pdName?: string;
  readonly readOnly?: boolean;
}

export interface GRPCAction {
  readonly port: number;
  readonly service?: string;
}

export interface GRPCActionApply {
  readonly port?: number;
  readonly service?: string;
}

export interface GitRepoVolumeSource {
  readonly directory?: string;
  readonly repository: string;
  readonly revision?: string;
}

export interface GitRepoVolumeSourceApply {
  readonly directory?: string;
  readonly repository?: string;
  readonly revision?: string;
}

export interface GlusterfsPersistentVolumeSource {
  readonly endpoints: string;
  readonly endpointsNamespace?: string;
  readonly path: string;
  readonly readOnly?: boolean;
}

export interface GlusterfsPersistentVolumeSourceApply {
  readonly endpoints?: string;
  readonly endpointsNamespace?: string;
  readonly path?: string;
  readonly readOnly?: boolean;
}

export interface GlusterfsVolumeSource {
  readonly endpoints: string;
  readonly path: string;
  readonly readOnly?: boolean;
}

export interface GlusterfsVolumeSourceApply {
  readonly endpoints?: string;
  readonly path?: string;
  readonly readOnly?: boolean;
}

export interface HTTPGetAction {
  readonly host?: string;
  readonly httpHeaders?: readonly HTTPHeader[];
  readonly path?: string;
  readonly port: IntOrString;
  readonly scheme?: "HTTP" | "HTTPS";
}

export interface HTTPGetActionApply {
  readonly host?: string;
  readonly httpHeaders?: readonly HTTPHeaderApply[];
  readonly path?: string;
  readonly port?: IntOrString;
  readonly scheme?: "HTTP" | "HTTPS";
}

export interface HTTPHeader {
  readonly name: string;
  readonly value: string;
}

export interface HTTPHeaderApply {
  readonly name?: string;
  readonly value?: string;
}

export interface HostAlias {
  readonly hostnames?: readonly string[];
  readonly ip: string;
}

export interface HostAliasApply {
  readonly hostnames?: readonly string[];
  readonly ip?: string;
}

export interface HostIP {
  readonly ip: string;
}

export interface HostIPApply {
  readonly ip?: string;
}

export interface HostPathVolumeSource {
  readonly path: string;
  readonly type?: "" | "BlockDevice" | "CharDevice" | "Directory" | "DirectoryOrCreate" | "File" | "FileOrCreate" | "Socket";
}

export interface HostPathVolumeSourceApply {
  readonly path?: string;
  readonly type?: "" | "BlockDevice" | "CharDevice" | "Directory" | "DirectoryOrCreate" | "File" | "FileOrCreate" | "Socket";
}

export interface ISCSIPersistentVolumeSource {
  readonly chapAuthDiscovery?: boolean;
  readonly chapAuthSession?: boolean;
  readonly fsType?: string;
  readonly initiatorName?: string;
  readonly iqn: string;
  readonly iscsiInterface?: string;
  readonly lun: number;
  readonly portals?: readonly string[];
  readonly readOnly?: boolean;
  readonly secretRef?: SecretReference;
  readonly targetPortal: string;
}

export interface ISCSIPersistentVolumeSourceApply {
  readonly chapAuthDiscovery?: boolean;
  readonly chapAuthSession?: boolean;
  readonly fsType?: string;
  readonly initiatorName?: string;
  readonly iqn?: string;
  readonly iscsiInterface?: string;
  readonly lun?: number;
  readonly portals?: readonly string[];
  readonly readOnly?: boolean;
  readonly secretRef?: SecretReferenceApply;
  readonly targetPortal?: string;
}

export interface ISCSIVolumeSource {
  readonly chapAuthDiscovery?: boolean;
  readonly chapAuthSession?: boolean;
  readonly fsType?: string;
  readonly initiatorName?: string;
  readonly iqn: string;
  readonly iscsiInterface?: string;
  readonly lun: number;
  readonly portals?: readonly string[];
  readonly readOnly?: boolean;
  readonly secretRef?: LocalObjectReference;
  readonly targetPortal: string;
}

export interface ISCSIVolumeSourceApply {
  readonly chapAuthDiscovery?: boolean;
  readonly chapAuthSession?: boolean;
  readonly fsType?: string;
  readonly initiatorName?: string;
  readonly iqn?: string;
  readonly iscsiInterface?: string;
  readonly lun?: number;
  readonly portals?: readonly string[];
  readonly readOnly?: boolean;
  readonly secretRef?: LocalObjectReferenceApply;
  readonly targetPortal?: string;
}

export interface ImageVolumeSource {
  readonly pullPolicy?: "Always" | "IfNotPresent" | "Never";
  readonly reference?: string;
}

export interface ImageVolumeSourceApply {
  readonly pullPolicy?: "Always" | "IfNotPresent" | "Never";
  readonly reference?: string;
}

export interface ImageVolumeStatus {
  readonly imageRef: string;
}

export interface ImageVolumeStatusApply {
  readonly imageRef?: string;
}

export interface KeyToPath {
  readonly key: string;
  readonly mode?: number;
  readonly path: string;
}

export interface KeyToPathApply {
  readonly key?: string;
  readonly mode?: number;
  readonly path?: string;
}

export interface Lifecycle {
  readonly postStart?: LifecycleHandler;
  readonly preStop?: LifecycleHandler;
  readonly stopSignal?: "SIGABRT" | "SIGALRM" | "SIGBUS" | "SIGCHLD" | "SIGCLD" | "SIGCONT" | "SIGFPE" | "SIGHUP" | "SIGILL" | "SIGINT" | "SIGIO" | "SIGIOT" | "SIGKILL" | "SIGPIPE" | "SIGPOLL" | "SIGPROF" | "SIGPWR" | "SIGQUIT" | "SIGRTMAX" | "SIGRTMAX-1" | "SIGRTMAX-10" | "SIGRTMAX-11" | "SIGRTMAX-12" | "SIGRTMAX-13" | "SIGRTMAX-14" | "SIGRTMAX-2" | "SIGRTMAX-3" | "SIGRTMAX-4" | "SIGRTMAX-5" | "SIGRTMAX-6" | "SIGRTMAX-7" | "SIGRTMAX-8" | "SIGRTMAX-9" | "SIGRTMIN" | "SIGRTMIN+1" | "SIGRTMIN+10" | "SIGRTMIN+11" | "SIGRTMIN+12" | "SIGRTMIN+13" | "SIGRTMIN+14" | "SIGRTMIN+15" | "SIGRTMIN+2" | "SIGRTMIN+3" | "SIGRTMIN+4" | "SIGRTMIN+5" | "SIGRTMIN+6" | "SIGRTMIN+7" | "SIGRTMIN+8" | "SIGRTMIN+9" | "SIGSEGV" | "SIGSTKFLT" | "SIGSTOP" | "SIGSYS" | "SIGTERM" | "SIGTRAP" | "SIGTSTP" | "SIGTTIN" | "SIGTTOU" | "SIGURG" | "SIGUSR1" | "SIGUSR2" | "SIGVTALRM" | "SIGWINCH" | "SIGXCPU" | "SIGXFSZ";
}

export interface LifecycleApply {
  readonly postStart?: LifecycleHandlerApply;
  readonly preStop?: LifecycleHandlerApply;
  readonly stopSignal?: "SIGABRT" | "SIGALRM" | "SIGBUS" | "SIGCHLD" | "SIGCLD" | "SIGCONT" | "SIGFPE" | "SIGHUP" | "SIGILL" | "SIGINT" | "SIGIO" | "SIGIOT" | "SIGKILL" | "SIGPIPE" | "SIGPOLL" | "SIGPROF" | "SIGPWR" | "SIGQUIT" | "SIGRTMAX" | "SIGRTMAX-1" | "SIGRTMAX-10" | "SIGRTMAX-11" | "SIGRTMAX-12" | "SIGRTMAX-13" | "SIGRTMAX-14" | "SIGRTMAX-2" | "SIGRTMAX-3" | "SIGRTMAX-4" | "SIGRTMAX-5" | "SIGRTMAX-6" | "SIGRTMAX-7" | "SIGRTMAX-8" | "SIGRTMAX-9" | "SIGRTMIN" | "SIGRTMIN+1" | "SIGRTMIN+10" | "SIGRTMIN+11" | "SIGRTMIN+12" | "SIGRTMIN+13" | "SIGRTMIN+14" | "SIGRTMIN+15" | "SIGRTMIN+2" | "SIGRTMIN+3" | "SIGRTMIN+4" | "SIGRTMIN+5" | "SIGRTMIN+6" | "SIGRTMIN+7" | "SIGRTMIN+8" | "SIGRTMIN+9" | "SIGSEGV" | "SIGSTKFLT" | "SIGSTOP" | "SIGSYS" | "SIGTERM" | "SIGTRAP" | "SIGTSTP" | "SIGTTIN" | "SIGTTOU" | "SIGURG" | "SIGUSR1" | "SIGUSR2" | "SIGVTALRM" | "SIGWINCH" | "SIGXCPU" | "SIGXFSZ";
}

export interface LifecycleHandler {
  readonly exec?: ExecAction;
  readonly httpGet?: HTTPGetAction;
  readonly sleep?: SleepAction;
  readonly tcpSocket?: TCPSocketAction;
}

export interface LifecycleHandlerApply {
  readonly exec?: ExecActionApply;
  readonly httpGet?: HTTPGetActionApply;
  readonly sleep?: SleepActionApply;
  readonly tcpSocket?: TCPSocketActionApply;
}

export interface LimitRange {
  readonly apiVersion: "v1";
  readonly kind: "LimitRange";
  readonly metadata: StoredMeta;
  readonly spec?: LimitRangeSpec;
}

export interface LimitRangeApply {
  readonly apiVersion?: "v1";
  readonly kind?: "LimitRange";
  readonly metadata?: ObjectMeta;
  readonly spec?: LimitRangeSpecApply;
}

export interface LimitRangeItem {
  readonly default?: { readonly [key: string]: string };
  readonly defaultRequest?: { readonly [key: string]: string };
  readonly max?: { readonly [key: string]: string };
  readonly maxLimitRequestRatio?: { readonly [key: string]: string };
  readonly min?: { readonly [key: string]: string };
  readonly type: string;
}

export interface LimitRangeItemApply {
  readonly default?: { readonly [key: string]: string | number };
  readonly defaultRequest?: { readonly [key: string]: string | number };
  readonly max?: { readonly [key: string]: string | number };
  readonly maxLimitRequestRatio?: { readonly [key: string]: string | number };
  readonly min?: { readonly [key: string]: string | number };
  readonly type?: string;
}

export type LimitRangeList = KubeList<LimitRange>;

export interface LimitRangeSpec {
  readonly limits: readonly LimitRangeItem[];
}

export interface LimitRangeSpecApply {
  readonly limits?: readonly LimitRangeItemApply[];
}

export interface LinuxContainerUser {
  readonly gid: number;
  readonly supplementalGroups?: readonly number[];
  readonly uid: number;
}

export interface LinuxContainerUserApply {
  readonly gid?: number;
  readonly supplementalGroups?: readonly number[];
  readonly uid?: number;
}

export interface LoadBalancerIngress {
  readonly hostname?: string;
  readonly ip?: string;
  readonly ipMode?: string;
  readonly ports?: readonly PortStatus[];
}

export interface LoadBalancerIngressApply {
  readonly hostname?: string;
  readonly ip?: string;
  readonly ipMode?: string;
  readonly ports?: readonly PortStatusApply[];
}

export interface LoadBalancerStatus {
  readonly ingress?: readonly LoadBalancerIngress[];
}

export interface LoadBalancerStatusApply {
  readonly ingress?: readonly LoadBalancerIngressApply[];
}

export interface LocalObjectReference {
  readonly name?: string;
}

export interface LocalObjectReferenceApply {
  readonly name?: string;
}

export interface LocalVolumeSource {
  readonly fsType?: string;
  readonly path: string;
}

export interface LocalVolumeSourceApply {
  readonly fsType?: string;
  readonly path?: string;
}

export interface ModifyVolumeStatus {
  readonly status: "InProgress" | "Infeasible" | "Pending";
  readonly targetVolumeAttributesClassName?: string;
}

export interface ModifyVolumeStatusApply {
  readonly status?: "InProgress" | "Infeasible" | "Pending";
  readonly targetVolumeAttributesClassName?: string;
}

export interface NFSVolumeSource {
  readonly path: string;
  readonly readOnly?: boolean;
  readonly server: string;
}

export interface NFSVolumeSourceApply {
  readonly path?: string;
  readonly readOnly?: boolean;
  readonly server?: string;
}

export interface Namespace {
  readonly apiVersion: "v1";
  readonly kind: "Namespace";
  readonly metadata: StoredMeta;
  readonly spec?: NamespaceSpec;
  readonly status?: NamespaceStatus;
}

export interface NamespaceApply {
  readonly apiVersion?: "v1";
  readonly kind?: "Namespace";
  readonly metadata?: ObjectMeta;
  readonly spec?: NamespaceSpecApply;
  readonly status?: NamespaceStatusApply;
}

export interface NamespaceCondition {
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status: string;
  readonly type: string;
}

export interface NamespaceConditionApply {
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status?: string;
  readonly type?: string;
}

export type NamespaceList = KubeList<Namespace>;

export interface NamespaceSpec {
  readonly finalizers?: readonly string[];
}

export interface NamespaceSpecApply {
  readonly finalizers?: readonly string[];
}

export interface NamespaceStatus {
  readonly conditions?: readonly NamespaceCondition[];
  readonly phase?: "Active" | "Terminating";
}

export interface NamespaceStatusApply {
  readonly conditions?: readonly Keyed<NamespaceConditionApply, "type">[];
  readonly phase?: "Active" | "Terminating";
}

export interface Node {
  readonly apiVersion: "v1";
  readonly kind: "Node";
  readonly metadata: StoredMeta;
  readonly spec?: NodeSpec;
  readonly status?: NodeStatus;
}

export interface NodeApply {
  readonly apiVersion?: "v1";
  readonly kind?: "Node";
  readonly metadata?: ObjectMeta;
  readonly spec?: NodeSpecApply;
  readonly status?: NodeStatusApply;
}

export interface NodeAddress {
  readonly address: string;
  readonly type: string;
}

export interface NodeAddressApply {
  readonly address?: string;
  readonly type?: string;
}

export interface NodeAffinity {
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly PreferredSchedulingTerm[];
  readonly requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
}

export interface NodeAffinityApply {
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly PreferredSchedulingTermApply[];
  readonly requiredDuringSchedulingIgnoredDuringExecution?: NodeSelectorApply;
}

export interface NodeAllocatableResourceClaimStatus {
  readonly containers?: readonly string[];
  readonly resourceClaimName: string;
  readonly resources: { readonly [key: string]: string };
}

export interface NodeAllocatableResourceClaimStatusApply {
  readonly containers?: readonly string[];
  readonly resourceClaimName?: string;
  readonly resources?: { readonly [key: string]: string | number };
}

export interface NodeCondition {
  readonly lastHeartbeatTime?: string;
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status: string;
  readonly type: string;
}

export interface NodeConditionApply {
  readonly lastHeartbeatTime?: string;
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status?: string;
  readonly type?: string;
}

export interface NodeConfigSource {
  readonly configMap?: ConfigMapNodeConfigSource;
}

export interface NodeConfigSourceApply {
  readonly configMap?: ConfigMapNodeConfigSourceApply;
}

export interface NodeConfigStatus {
  readonly active?: NodeConfigSource;
  readonly assigned?: NodeConfigSource;
  readonly error?: string;
  readonly lastKnownGood?: NodeConfigSource;
}

export interface NodeConfigStatusApply {
  readonly active?: NodeConfigSourceApply;
  readonly assigned?: NodeConfigSourceApply;
  readonly error?: string;
  readonly lastKnownGood?: NodeConfigSourceApply;
}

export interface NodeDaemonEndpoints {
  readonly kubeletEndpoint?: DaemonEndpoint;
}

export interface NodeDaemonEndpointsApply {
  readonly kubeletEndpoint?: DaemonEndpointApply;
}

export interface NodeFeatures {
  readonly supplementalGroupsPolicy?: boolean;
}

export interface NodeFeaturesApply {
  readonly supplementalGroupsPolicy?: boolean;
}

export type NodeList = KubeList<Node>;

export interface NodeRuntimeHandler {
  readonly features?: NodeRuntimeHandlerFeatures;
  readonly name?: string;
}

export interface NodeRuntimeHandlerApply {
  readonly features?: NodeRuntimeHandlerFeaturesApply;
  readonly name?: string;
}

export interface NodeRuntimeHandlerFeatures {
  readonly recursiveReadOnlyMounts?: boolean;
  readonly userNamespaces?: boolean;
}

export interface NodeRuntimeHandlerFeaturesApply {
  readonly recursiveReadOnlyMounts?: boolean;
  readonly userNamespaces?: boolean;
}

export interface NodeSelector {
  readonly nodeSelectorTerms: readonly NodeSelectorTerm[];
}

export interface NodeSelectorApply {
  readonly nodeSelectorTerms?: readonly NodeSelectorTermApply[];
}

export interface NodeSelectorRequirement {
  readonly key: string;
  readonly operator: "DoesNotExist" | "Exists" | "Gt" | "In" | "Lt" | "NotIn";
  readonly values?: readonly string[];
}

export interface NodeSelectorRequirementApply {
  readonly key?: string;
  readonly operator?: "DoesNotExist" | "Exists" | "Gt" | "In" | "Lt" | "NotIn";
  readonly values?: readonly string[];
}

export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly NodeSelectorRequirement[];
  readonly matchFields?: readonly NodeSelectorRequirement[];
}

export interface NodeSelectorTermApply {
  readonly matchExpressions?: readonly NodeSelectorRequirementApply[];
  readonly matchFields?: readonly NodeSelectorRequirementApply[];
}

export interface NodeSpec {
  readonly configSource?: NodeConfigSource;
  readonly externalID?: string;
  readonly podCIDR?: string;
  readonly podCIDRs?: readonly string[];
  readonly providerID?: string;
  readonly taints?: readonly Taint[];
  readonly unschedulable?: boolean;
}

export interface NodeSpecApply {
  readonly configSource?: NodeConfigSourceApply;
  readonly externalID?: string;
  readonly podCIDR?: string;
  readonly podCIDRs?: readonly string[];
  readonly providerID?: string;
  readonly taints?: readonly TaintApply[];
  readonly unschedulable?: boolean;
}

export interface NodeStatus {
  readonly addresses?: readonly NodeAddress[];
  readonly allocatable?: { readonly [key: string]: string };
  readonly capacity?: { readonly [key: string]: string };
  readonly conditions?: readonly NodeCondition[];
  readonly config?: NodeConfigStatus;
  readonly daemonEndpoints?: NodeDaemonEndpoints;
  readonly declaredFeatures?: readonly string[];
  readonly features?: NodeFeatures;
  readonly images?: readonly ContainerImage[];
  readonly nodeInfo?: NodeSystemInfo;
  readonly phase?: "Pending" | "Running" | "Terminated";
  readonly runtimeHandlers?: readonly NodeRuntimeHandler[];
  readonly volumesAttached?: readonly AttachedVolume[];
  readonly volumesInUse?: readonly string[];
}

export interface NodeStatusApply {
  readonly addresses?: readonly Keyed<NodeAddressApply, "type">[];
  readonly allocatable?: { readonly [key: string]: string | number };
  readonly capacity?: { readonly [key: string]: string | number };
  readonly conditions?: readonly Keyed<NodeConditionApply, "type">[];
  readonly config?: NodeConfigStatusApply;
  readonly daemonEndpoints?: NodeDaemonEndpointsApply;
  readonly declaredFeatures?: readonly string[];
  readonly features?: NodeFeaturesApply;
  readonly images?: readonly ContainerImageApply[];
  readonly nodeInfo?: NodeSystemInfoApply;
  readonly phase?: "Pending" | "Running" | "Terminated";
  readonly runtimeHandlers?: readonly NodeRuntimeHandlerApply[];
  readonly volumesAttached?: readonly AttachedVolumeApply[];
  readonly volumesInUse?: readonly string[];
}

export interface NodeSwapStatus {
  readonly capacity?: number;
}

export interface NodeSwapStatusApply {
  readonly capacity?: number;
}

export interface NodeSystemInfo {
  readonly architecture: string;
  readonly bootID: string;
  readonly containerRuntimeVersion: string;
  readonly kernelVersion: string;
  readonly kubeProxyVersion: string;
  readonly kubeletVersion: string;
  readonly machineID: string;
  readonly operatingSystem: string;
  readonly osImage: string;
  readonly swap?: NodeSwapStatus;
  readonly systemUUID: string;
}

export interface NodeSystemInfoApply {
  readonly architecture?: string;
  readonly bootID?: string;
  readonly containerRuntimeVersion?: string;
  readonly kernelVersion?: string;
  readonly kubeProxyVersion?: string;
  readonly kubeletVersion?: string;
  readonly machineID?: string;
  readonly operatingSystem?: string;
  readonly osImage?: string;
  readonly swap?: NodeSwapStatusApply;
  readonly systemUUID?: string;
}

export interface ObjectFieldSelector {
  readonly apiVersion?: string;
  readonly fieldPath: string;
}

export interface ObjectFieldSelectorApply {
  readonly apiVersion?: string;
  readonly fieldPath?: string;
}

export interface ObjectReference {
  readonly apiVersion?: string;
  readonly fieldPath?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly resourceVersion?: string;
  readonly uid?: string;
}

export interface ObjectReferenceApply {
  readonly apiVersion?: string;
  readonly fieldPath?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly resourceVersion?: string;
  readonly uid?: string;
}

export interface PersistentVolume {
  readonly apiVersion: "v1";
  readonly kind: "PersistentVolume";
  readonly metadata: StoredMeta;
  readonly spec?: PersistentVolumeSpec;
  readonly status?: PersistentVolumeStatus;
}

export interface PersistentVolumeApply {
  readonly apiVersion?: "v1";
  readonly kind?: "PersistentVolume";
  readonly metadata?: ObjectMeta;
  readonly spec?: PersistentVolumeSpecApply;
  readonly status?: PersistentVolumeStatusApply;
}

export interface PersistentVolumeClaim {
  readonly apiVersion: "v1";
  readonly kind: "PersistentVolumeClaim";
  readonly metadata: StoredMeta;
  readonly spec?: PersistentVolumeClaimSpec;
  readonly status?: PersistentVolumeClaimStatus;
}

export interface PersistentVolumeClaimApply {
  readonly apiVersion?: "v1";
  readonly kind?: "PersistentVolumeClaim";
  readonly metadata?: ObjectMeta;
  readonly spec?: PersistentVolumeClaimSpecApply;
  readonly status?: PersistentVolumeClaimStatusApply;
}

export interface PersistentVolumeClaimCondition {
  readonly lastProbeTime?: string;
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status: string;
  readonly type: string;
}

export interface PersistentVolumeClaimConditionApply {
  readonly lastProbeTime?: string;
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status?: string;
  readonly type?: string;
}

export type PersistentVolumeClaimList = KubeList<PersistentVolumeClaim>;

export interface PersistentVolumeClaimSpec {
  readonly accessModes?: readonly ("ReadOnlyMany" | "ReadWriteMany" | "ReadWriteOnce" | "ReadWriteOncePod")[];
  readonly dataSource?: TypedLocalObjectReference;
  readonly dataSourceRef?: TypedObjectReference;
  readonly resources?: VolumeResourceRequirements;
  readonly selector?: LabelSelector;
  readonly storageClassName?: string;
  readonly volumeAttributesClassName?: string;
  readonly volumeMode?: "Block" | "Filesystem";
  readonly volumeName?: string;
}

export interface PersistentVolumeClaimSpecApply {
  readonly accessModes?: readonly ("ReadOnlyMany" | "ReadWriteMany" | "ReadWriteOnce" | "ReadWriteOncePod")[];
  readonly dataSource?: TypedLocalObjectReferenceApply;
  readonly dataSourceRef?: TypedObjectReferenceApply;
  readonly resources?: VolumeResourceRequirementsApply;
  readonly selector?: LabelSelectorApply;
  readonly storageClassName?: string;
  readonly volumeAttributesClassName?: string;
  readonly volumeMode?: "Block" | "Filesystem";
  readonly volumeName?: string;
}

export interface PersistentVolumeClaimStatus {
  readonly accessModes?: readonly ("ReadOnlyMany" | "ReadWriteMany" | "ReadWriteOnce" | "ReadWriteOncePod")[];
  readonly allocatedResourceStatuses?: { readonly [key: string]: "ControllerResizeInProgress" | "ControllerResizeInfeasible" | "NodeResizeInProgress" | "NodeResizeInfeasible" | "NodeResizePending" };
  readonly allocatedResources?: { readonly [key: string]: string };
  readonly capacity?: { readonly [key: string]: string };
  readonly conditions?: readonly PersistentVolumeClaimCondition[];
  readonly currentVolumeAttributesClassName?: string;
  readonly modifyVolumeStatus?: ModifyVolumeStatus;
  readonly phase?: "Bound" | "Lost" | "Pending";
}

export interface PersistentVolumeClaimStatusApply {
  readonly accessModes?: readonly ("ReadOnlyMany" | "ReadWriteMany" | "ReadWriteOnce" | "ReadWriteOncePod")[];
  readonly allocatedResourceStatuses?: { readonly [key: string]: "ControllerResizeInProgress" | "ControllerResizeInfeasible" | "NodeResizeInProgress" | "NodeResizeInfeasible" | "NodeResizePending" };
  readonly allocatedResources?: { readonly [key: string]: string | number };
  readonly capacity?: { readonly [key: string]: string | number };
  readonly conditions?: readonly Keyed<PersistentVolumeClaimConditionApply, "type">[];
  readonly currentVolumeAttributesClassName?: string;
  readonly modifyVolumeStatus?: ModifyVolumeStatusApply;
  readonly phase?: "Bound" | "Lost" | "Pending";
}

export interface PersistentVolumeClaimTemplate {
  readonly metadata?: ObjectMeta;
  readonly spec: PersistentVolumeClaimSpec;
}

export interface PersistentVolumeClaimTemplateApply {
  readonly metadata?: ObjectMeta;
  readonly spec?: PersistentVolumeClaimSpecApply;
}

export interface PersistentVolumeClaimVolumeSource {
  readonly claimName: string;
  readonly readOnly?: boolean;
}

export interface PersistentVolumeClaimVolumeSourceApply {
  readonly claimName?: string;
  readonly readOnly?: boolean;
}

export type PersistentVolumeList = KubeList<PersistentVolume>;

export interface PersistentVolumeSpec {
  readonly accessModes?: readonly ("ReadOnlyMany" | "ReadWriteMany" | "ReadWriteOnce" | "ReadWriteOncePod")[];
  readonly awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  readonly azureDisk?: AzureDiskVolumeSource;
  readonly azureFile?: AzureFilePersistentVolumeSource;
  readonly capacity?: { readonly [key: string]: string };
  readonly cephfs?: CephFSPersistentVolumeSource;
  readonly cinder?: CinderPersistentVolumeSource;
  readonly claimRef?: ObjectReference;
  readonly csi?: CSIPersistentVolumeSource;
  readonly fc?: FCVolumeSource;
  readonly flexVolume?: FlexPersistentVolumeSource;
  readonly flocker?: FlockerVolumeSource;
  readonly gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  readonly glusterfs?: GlusterfsPersistentVolumeSource;
  readonly hostPath?: HostPathVolumeSource;
  readonly iscsi?: ISCSIPersistentVolumeSource;
  readonly local?: LocalVolumeSource;
  readonly mountOptions?: readonly string[];
  readonly nfs?: NFSVolumeSource;
  readonly nodeAffinity?: VolumeNodeAffinity;
  readonly persistentVolumeReclaimPolicy?: "Delete" | "Recycle" | "Retain";
  readonly photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  readonly portworxVolume?: PortworxVolumeSource;
  readonly quobyte?: QuobyteVolumeSource;
  readonly rbd?: RBDPersistentVolumeSource;
  readonly scaleIO?: ScaleIOPersistentVolumeSource;
  readonly storageClassName?: string;
  readonly storageos?: StorageOSPersistentVolumeSource;
  readonly volumeAttributesClassName?: string;
  readonly volumeMode?: "Block" | "Filesystem";
  readonly vsphereVolume?: VsphereVirtualDiskVolumeSource;
}

export interface PersistentVolumeSpecApply {
  readonly accessModes?: readonly ("ReadOnlyMany" | "ReadWriteMany" | "ReadWriteOnce" | "ReadWriteOncePod")[];
  readonly awsElasticBlockStore?: AWSElasticBlockStoreVolumeSourceApply;
  readonly azureDisk?: AzureDiskVolumeSourceApply;
  readonly azureFile?: AzureFilePersistentVolumeSourceApply;
  readonly capacity?: { readonly [key: string]: string | number };
  readonly cephfs?: CephFSPersistentVolumeSourceApply;
  readonly cinder?: CinderPersistentVolumeSourceApply;
  readonly claimRef?: ObjectReferenceApply;
  readonly csi?: CSIPersistentVolumeSourceApply;
  readonly fc?: FCVolumeSourceApply;
  readonly flexVolume?: FlexPersistentVolumeSourceApply;
  readonly flocker?: FlockerVolumeSourceApply;
  readonly gcePersistentDisk?: GCEPersistentDiskVolumeSourceApply;
  readonly glusterfs?: GlusterfsPersistentVolumeSourceApply;
  readonly hostPath?: HostPathVolumeSourceApply;
  readonly iscsi?: ISCSIPersistentVolumeSourceApply;
  readonly local?: LocalVolumeSourceApply;
  readonly mountOptions?: readonly string[];
  readonly nfs?: NFSVolumeSourceApply;
  readonly nodeAffinity?: VolumeNodeAffinityApply;
  readonly persistentVolumeReclaimPolicy?: "Delete" | "Recycle" | "Retain";
  readonly photonPersistentDisk?: PhotonPersistentDiskVolumeSourceApply;
  readonly portworxVolume?: PortworxVolumeSourceApply;
  readonly quobyte?: QuobyteVolumeSourceApply;
  readonly rbd?: RBDPersistentVolumeSourceApply;
  readonly scaleIO?: ScaleIOPersistentVolumeSourceApply;
  readonly storageClassName?: string;
  readonly storageos?: StorageOSPersistentVolumeSourceApply;
  readonly volumeAttributesClassName?: string;
  readonly volumeMode?: "Block" | "Filesystem";
  readonly vsphereVolume?: VsphereVirtualDiskVolumeSourceApply;
}

export interface PersistentVolumeStatus {
  readonly lastPhaseTransitionTime?: string;
  readonly message?: string;
  readonly phase?: "Available" | "Bound" | "Failed" | "Pending" | "Released";
  readonly reason?: string;
}

export interface PersistentVolumeStatusApply {
  readonly lastPhaseTransitionTime?: string;
  readonly message?: string;
  readonly phase?: "Available" | "Bound" | "Failed" | "Pending" | "Released";
  readonly reason?: string;
}

export interface PhotonPersistentDiskVolumeSource {
  readonly fsType?: string;
  readonly pdID: string;
}

export interface PhotonPersistentDiskVolumeSourceApply {
  readonly fsType?: string;
  readonly pdID?: string;
}

export interface Pod {
  readonly apiVersion: "v1";
  readonly kind: "Pod";
  readonly metadata: StoredMeta;
  readonly spec?: PodSpec;
  readonly status?: PodStatus;
}

export interface PodApply {
  readonly apiVersion?: "v1";
  readonly kind?: "Pod";
  readonly metadata?: ObjectMeta;
  readonly spec?: PodSpecApply;
  readonly status?: PodStatusApply;
}

export interface PodAffinity {
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly WeightedPodAffinityTerm[];
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[];
}

export interface PodAffinityApply {
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly WeightedPodAffinityTermApply[];
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTermApply[];
}

export interface PodAffinityTerm {
  readonly labelSelector?: LabelSelector;
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
  readonly namespaceSelector?: LabelSelector;
  readonly namespaces?: readonly string[];
  readonly topologyKey: string;
}

export interface PodAffinityTermApply {
  readonly labelSelector?: LabelSelectorApply;
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
  readonly namespaceSelector?: LabelSelectorApply;
  readonly namespaces?: readonly string[];
  readonly topologyKey?: string;
}

export interface PodAntiAffinity {
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly WeightedPodAffinityTerm[];
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[];
}

export interface PodAntiAffinityApply {
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly WeightedPodAffinityTermApply[];
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTermApply[];
}

export interface PodCertificateProjection {
  readonly certificateChainPath?: string;
  readonly credentialBundlePath?: string;
  readonly keyPath?: string;
  readonly keyType: string;
  readonly maxExpirationSeconds?: number;
  readonly signerName: string;
  readonly userAnnotations?: { readonly [key: string]: string };
}

export interface PodCertificateProjectionApply {
  readonly certificateChainPath?: string;
  readonly credentialBundlePath?: string;
  readonly keyPath?: string;
  readonly keyType?: string;
  readonly maxExpirationSeconds?: number;
  readonly signerName?: string;
  readonly userAnnotations?: { readonly [key: string]: string };
}

export interface PodCondition {
  readonly lastProbeTime?: string;
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly observedGeneration?: number;
  readonly reason?: string;
  readonly status: string;
  readonly type: string;
}

export interface PodConditionApply {
  readonly lastProbeTime?: string;
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly observedGeneration?: number;
  readonly reason?: string;
  readonly status?: string;
  readonly type?: string;
}

export interface PodDNSConfig {
  readonly nameservers?: readonly string[];
  readonly options?: readonly PodDNSConfigOption[];
  readonly searches?: readonly string[];
}

export interface PodDNSConfigApply {
  readonly nameservers?: readonly string[];
  readonly options?: readonly PodDNSConfigOptionApply[];
  readonly searches?: readonly string[];
}

export interface PodDNSConfigOption {
  readonly name?: string;
  readonly value?: string;
}

export interface PodDNSConfigOptionApply {
  readonly name?: string;
  readonly value?: string;
}

export interface PodExtendedResourceClaimStatus {
  readonly requestMappings: readonly ContainerExtendedResourceRequest[];
  readonly resourceClaimName: string;
}

export interface PodExtendedResourceClaimStatusApply {
  readonly requestMappings?: readonly ContainerExtendedResourceRequestApply[];
  readonly resourceClaimName?: string;
}

export interface PodIP {
  readonly ip: string;
}

export interface PodIPApply {
  readonly ip?: string;
}

export type PodList = KubeList<Pod>;

export interface PodOS {
  readonly name: string;
}

export interface PodOSApply {
  readonly name?: string;
}

export interface PodReadinessGate {
  readonly conditionType: string;
}

export interface PodReadinessGateApply {
  readonly conditionType?: string;
}

export interface PodResourceClaim {
  readonly name: string;
  readonly resourceClaimName?: string;
  readonly resourceClaimTemplateName?: string;
}

export interface PodResourceClaimApply {
  readonly name?: string;
  readonly resourceClaimName?: string;
  readonly resourceClaimTemplateName?: string;
}

export interface PodResourceClaimStatus {
  readonly name: string;
  readonly resourceClaimName?: string;
}

export interface PodResourceClaimStatusApply {
  readonly name?: string;
  readonly resourceClaimName?: string;
}

export interface PodSchedulingGate {
  readonly name: string;
}

export interface PodSchedulingGateApply {
  readonly name?: string;
}

export interface PodSchedulingGroup {
  readonly podGroupName?: string;
}

export interface PodSchedulingGroupApply {
  readonly podGroupName?: string;
}

export interface PodSecurityContext {
  readonly appArmorProfile?: AppArmorProfile;
  readonly fsGroup?: number;
  readonly fsGroupChangePolicy?: "Always" | "OnRootMismatch";
  readonly runAsGroup?: number;
  readonly runAsNonRoot?: boolean;
  readonly runAsUser?: number;
  readonly seLinuxChangePolicy?: string;
  readonly seLinuxOptions?: SELinuxOptions;
  readonly seccompProfile?: SeccompProfile;
  readonly supplementalGroups?: readonly number[];
  readonly supplementalGroupsPolicy?: "Merge" | "Strict";
  readonly sysctls?: readonly Sysctl[];
  readonly windowsOptions?: WindowsSecurityContextOptions;
}

export interface PodSecurityContextApply {
  readonly appArmorProfile?: AppArmorProfileApply;
  readonly fsGroup?: number;
  readonly fsGroupChangePolicy?: "Always" | "OnRootMismatch";
  readonly runAsGroup?: number;
  readonly runAsNonRoot?: boolean;
  readonly runAsUser?: number;
  readonly seLinuxChangePolicy?: string;
  readonly seLinuxOptions?: SELinuxOptionsApply;
  readonly seccompProfile?: SeccompProfileApply;
  readonly supplementalGroups?: readonly number[];
  readonly supplementalGroupsPolicy?: "Merge" | "Strict";
  readonly sysctls?: readonly SysctlApply[];
  readonly windowsOptions?: WindowsSecurityContextOptionsApply;
}

export interface PodSpec {
  readonly activeDeadlineSeconds?: number;
  readonly affinity?: Affinity;
  readonly automountServiceAccountToken?: boolean;
  readonly containers: readonly Container[];
  readonly dnsConfig?: PodDNSConfig;
  readonly dnsPolicy?: "ClusterFirst" | "ClusterFirstWithHostNet" | "Default" | "None";
  readonly enableServiceLinks?: boolean;
  readonly ephemeralContainers?: readonly EphemeralContainer[];
  readonly hostAliases?: readonly HostAlias[];
  readonly hostIPC?: boolean;
  readonly hostNetwork?: boolean;
  readonly hostPID?: boolean;
  readonly hostUsers?: boolean;
  readonly hostname?: string;
  readonly hostnameOverride?: string;
  readonly imagePullSecrets?: readonly LocalObjectReference[];
  readonly initContainers?: readonly Container[];
  readonly nodeName?: string;
  readonly nodeSelector?: { readonly [key: string]: string };
  readonly os?: PodOS;
  readonly overhead?: { readonly [key: string]: string };
  readonly preemptionPolicy?: "Never" | "PreemptLowerPriority";
  readonly priority?: number;
  readonly priorityClassName?: string;
  readonly readinessGates?: readonly PodReadinessGate[];
  readonly resourceClaims?: readonly PodResourceClaim[];
  readonly resources?: ResourceRequirements;
  readonly restartPolicy?: "Always" | "Never" | "OnFailure";
  readonly runtimeClassName?: string;
  readonly schedulerName?: string;
  readonly schedulingGates?: readonly PodSchedulingGate[];
  readonly schedulingGroup?: PodSchedulingGroup;
  readonly securityContext?: PodSecurityContext;
  readonly serviceAccount?: string;
  readonly serviceAccountName?: string;
  readonly setHostnameAsFQDN?: boolean;
  readonly shareProcessNamespace?: boolean;
  readonly subdomain?: string;
  readonly terminationGracePeriodSeconds?: number;
  readonly tolerations?: readonly Toleration[];
  readonly topologySpreadConstraints?: readonly TopologySpreadConstraint[];
  readonly volumes?: readonly Volume[];
}

export interface PodSpecApply {
  readonly activeDeadlineSeconds?: number;
  readonly affinity?: AffinityApply;
  readonly automountServiceAccountToken?: boolean;
  readonly containers?: readonly Keyed<ContainerApply, "name">[];
  readonly dnsConfig?: PodDNSConfigApply;
  readonly dnsPolicy?: "ClusterFirst" | "ClusterFirstWithHostNet" | "Default" | "None";
  readonly enableServiceLinks?: boolean;
  readonly ephemeralContainers?: readonly Keyed<EphemeralContainerApply, "name">[];
  readonly hostAliases?: readonly Keyed<HostAliasApply, "ip">[];
  readonly hostIPC?: boolean;
  readonly hostNetwork?: boolean;
  readonly hostPID?: boolean;
  readonly hostUsers?: boolean;
  readonly hostname?: string;
  readonly hostnameOverride?: string;
  readonly imagePullSecrets?: readonly Keyed<LocalObjectReferenceApply, "name">[];
  readonly initContainers?: readonly Keyed<ContainerApply, "name">[];
  readonly nodeName?: string;
  readonly nodeSelector?: { readonly [key: string]: string };
  readonly os?: PodOSApply;
  readonly overhead?: { readonly [key: string]: string | number };
  readonly preemptionPolicy?: "Never" | "PreemptLowerPriority";
  readonly priority?: number;
  readonly priorityClassName?: string;
  readonly readinessGates?: readonly PodReadinessGateApply[];
  readonly resourceClaims?: readonly Keyed<PodResourceClaimApply, "name">[];
  readonly resources?: ResourceRequirementsApply;
  readonly restartPolicy?: "Always" | "Never" | "OnFailure";
  readonly runtimeClassName?: string;
  readonly schedulerName?: string;
  readonly schedulingGates?: readonly Keyed<PodSchedulingGateApply, "name">[];
  readonly schedulingGroup?: PodSchedulingGroupApply;
  readonly securityContext?: PodSecurityContextApply;
  readonly serviceAccount?: string;
  readonly serviceAccountName?: string;
  readonly setHostnameAsFQDN?: boolean;
  readonly shareProcessNamespace?: boolean;
  readonly subdomain?: string;
  readonly terminationGracePeriodSeconds?: number;
  readonly tolerations?: readonly TolerationApply[];
  readonly topologySpreadConstraints?: readonly Keyed<TopologySpreadConstraintApply, "topologyKey" | "whenUnsatisfiable">[];
  readonly volumes?: readonly Keyed<VolumeApply, "name">[];
}

export interface PodStatus {
  readonly allocatedResources?: { readonly [key: string]: string };
  readonly conditions?: readonly PodCondition[];
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly ephemeralContainerStatuses?: readonly ContainerStatus[];
  readonly extendedResourceClaimStatus?: PodExtendedResourceClaimStatus;
  readonly hostIP?: string;
  readonly hostIPs?: readonly HostIP[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly message?: string;
  readonly nodeAllocatableResourceClaimStatuses?: readonly NodeAllocatableResourceClaimStatus[];
  readonly nominatedNodeName?: string;
  readonly observedGeneration?: number;
  readonly phase?: "Failed" | "Pending" | "Running" | "Succeeded" | "Unknown";
  readonly podIP?: string;
  readonly podIPs?: readonly PodIP[];
  readonly qosClass?: "BestEffort" | "Burstable" | "Guaranteed";
  readonly reason?: string;
  readonly resize?: string;
  readonly resourceClaimStatuses?: readonly PodResourceClaimStatus[];
  readonly resources?: ResourceRequirements;
  readonly startTime?: string;
}

export interface PodStatusApply {
  readonly allocatedResources?: { readonly [key: string]: string | number };
  readonly conditions?: readonly Keyed<PodConditionApply, "type">[];
  readonly containerStatuses?: readonly ContainerStatusApply[];
  readonly ephemeralContainerStatuses?: readonly ContainerStatusApply[];
  readonly extendedResourceClaimStatus?: PodExtendedResourceClaimStatusApply;
  readonly hostIP?: string;
  readonly hostIPs?: readonly HostIPApply[];
  readonly initContainerStatuses?: readonly ContainerStatusApply[];
  readonly message?: string;
  readonly nodeAllocatableResourceClaimStatuses?: readonly NodeAllocatableResourceClaimStatusApply[];
  readonly nominatedNodeName?: string;
  readonly observedGeneration?: number;
  readonly phase?: "Failed" | "Pending" | "Running" | "Succeeded" | "Unknown";
  readonly podIP?: string;
  readonly podIPs?: readonly Keyed<PodIPApply, "ip">[];
  readonly qosClass?: "BestEffort" | "Burstable" | "Guaranteed";
  readonly reason?: string;
  readonly resize?: string;
  readonly resourceClaimStatuses?: readonly Keyed<PodResourceClaimStatusApply, "name">[];
  readonly resources?: ResourceRequirementsApply;
  readonly startTime?: string;
}

export interface PodTemplate {
  readonly apiVersion: "v1";
  readonly kind: "PodTemplate";
  readonly metadata: StoredMeta;
  readonly template?: PodTemplateSpec;
}

export interface PodTemplateApply {
  readonly apiVersion?: "v1";
  readonly kind?: "PodTemplate";
  readonly metadata?: ObjectMeta;
  readonly template?: PodTemplateSpecApply;
}

export type PodTemplateList = KubeList<PodTemplate>;

export interface PodTemplateSpec {
  readonly metadata?: ObjectMeta;
  readonly spec?: PodSpec;
}

export interface PodTemplateSpecApply {
  readonly metadata?: ObjectMeta;
  readonly spec?: PodSpecApply;
}

export interface PortStatus {
  readonly error?: string;
  readonly port: number;
  readonly protocol: "SCTP" | "TCP" | "UDP";
}

export interface PortStatusApply {
  readonly error?: string;
  readonly port?: number;
  readonly protocol?: "SCTP" | "TCP" | "UDP";
}

export interface PortworxVolumeSource {
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly volumeID: string;
}

export interface PortworxVolumeSourceApply {
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly volumeID?: string;
}

export interface PreferredSchedulingTerm {
  readonly preference: NodeSelectorTerm;
  readonly weight: number;
}

export interface PreferredSchedulingTermApply {
  readonly preference?: NodeSelectorTermApply;
  readonly weight?: number;
}

export interface Probe {
  readonly exec?: ExecAction;
  readonly failureThreshold?: number;
  readonly grpc?: GRPCAction;
  readonly httpGet?: HTTPGetAction;
  readonly initialDelaySeconds?: number;
  readonly periodSeconds?: number;
  readonly successThreshold?: number;
  readonly tcpSocket?: TCPSocketAction;
  readonly terminationGracePeriodSeconds?: number;
  readonly timeoutSeconds?: number;
}

export interface ProbeApply {
  readonly exec?: ExecActionApply;
  readonly failureThreshold?: number;
  readonly grpc?: GRPCActionApply;
  readonly httpGet?: HTTPGetActionApply;
  readonly initialDelaySeconds?: number;
  readonly periodSeconds?: number;
  readonly successThreshold?: number;
  readonly tcpSocket?: TCPSocketActionApply;
  readonly terminationGracePeriodSeconds?: number;
  readonly timeoutSeconds?: number;
}

export interface ProjectedVolumeSource {
  readonly defaultMode?: number;
  readonly sources?: readonly VolumeProjection[];
}

export interface ProjectedVolumeSourceApply {
  readonly defaultMode?: number;
  readonly sources?: readonly VolumeProjectionApply[];
}

export interface QuobyteVolumeSource {
  readonly group?: string;
  readonly readOnly?: boolean;
  readonly registry: string;
  readonly tenant?: string;
  readonly user?: string;
  readonly volume: string;
}

export interface QuobyteVolumeSourceApply {
  readonly group?: string;
  readonly readOnly?: boolean;
  readonly registry?: string;
  readonly tenant?: string;
  readonly user?: string;
  readonly volume?: string;
}

export interface RBDPersistentVolumeSource {
  readonly fsType?: string;
  readonly image: string;
  readonly keyring?: string;
  readonly monitors: readonly string[];
  readonly pool?: string;
  readonly readOnly?: boolean;
  readonly secretRef?: SecretReference;
  readonly user?: string;
}

export interface RBDPersistentVolumeSourceApply {
  readonly fsType?: string;
  readonly image?: string;
  readonly keyring?: string;
  readonly monitors?: readonly string[];
  readonly pool?: string;
  readonly readOnly?: boolean;
  readonly secretRef?: SecretReferenceApply;
  readonly user?: string;
}

export interface RBDVolumeSource {
  readonly fsType?: string;
  readonly image: string;
  readonly keyring?: string;
  readonly monitors: readonly string[];
  readonly pool?: string;
  readonly readOnly?: boolean;
  readonly secretRef?: LocalObjectReference;
  readonly user?: string;
}

export interface RBDVolumeSourceApply {
  readonly fsType?: string;
  readonly image?: string;
  readonly keyring?: string;
  readonly monitors?: readonly string[];
  readonly pool?: string;
  readonly readOnly?: boolean;
  readonly secretRef?: LocalObjectReferenceApply;
  readonly user?: string;
}

export interface ReplicationController {
  readonly apiVersion: "v1";
  readonly kind: "ReplicationController";
  readonly metadata: StoredMeta;
  readonly spec?: ReplicationControllerSpec;
  readonly status?: ReplicationControllerStatus;
}

export interface ReplicationControllerApply {
  readonly apiVersion?: "v1";
  readonly kind?: "ReplicationController";
  readonly metadata?: ObjectMeta;
  readonly spec?: ReplicationControllerSpecApply;
  readonly status?: ReplicationControllerStatusApply;
}

export interface ReplicationControllerCondition {
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status: string;
  readonly type: string;
}

export interface ReplicationControllerConditionApply {
  readonly lastTransitionTime?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly status?: string;
  readonly type?: string;
}

export type ReplicationControllerList = KubeList<ReplicationController>;

export interface ReplicationControllerSpec {
  readonly minReadySeconds?: number;
  readonly replicas?: number;
  readonly selector?: { readonly [key: string]: string };
  readonly template?: PodTemplateSpec;
}

export interface ReplicationControllerSpecApply {
  readonly minReadySeconds?: number;
  readonly replicas?: number;
  readonly selector?: { readonly [key: string]: string };
  readonly template?: PodTemplateSpecApply;
}

export interface ReplicationControllerStatus {
  readonly availableReplicas?: number;
  readonly conditions?: readonly ReplicationControllerCondition[];
  readonly fullyLabeledReplicas?: number;
  readonly observedGeneration?: number;
  readonly readyReplicas?: number;
  readonly replicas: number;
}

export interface ReplicationControllerStatusApply {
  readonly availableReplicas?: number;
  readonly conditions?: readonly Keyed<ReplicationControllerConditionApply, "type">[];
  readonly fullyLabeledReplicas?: number;
  readonly observedGeneration?: number;
  readonly readyReplicas?: number;
  readonly replicas?: number;
}

export interface ResourceClaim {
  readonly name: string;
  readonly request?: string;
}

export interface ResourceClaimApply {
  readonly name?: string;
  readonly request?: string;
}

export interface ResourceFieldSelector {
  readonly containerName?: string;
  readonly divisor?: string;
  readonly resource: string;
}

export interface ResourceFieldSelectorApply {
  readonly containerName?: string;
  readonly divisor?: string | number;
  readonly resource?: string;
}

export interface ResourceHealth {
  readonly health?: string;
  readonly message?: string;
  readonly resourceID: string;
}

export interface ResourceHealthApply {
  readonly health?: string;
  readonly message?: string;
  readonly resourceID?: string;
}

export interface ResourceQuota {
  readonly apiVersion: "v1";
  readonly kind: "ResourceQuota";
  readonly metadata: StoredMeta;
  readonly spec?: ResourceQuotaSpec;
  readonly status?: ResourceQuotaStatus;
}

export interface ResourceQuotaApply {
  readonly apiVersion?: "v1";
  readonly kind?: "ResourceQuota";
  readonly metadata?: ObjectMeta;
  readonly spec?: ResourceQuotaSpecApply;
  readonly status?: ResourceQuotaStatusApply;
}

export type ResourceQuotaList = KubeList<ResourceQuota>;

export interface ResourceQuotaSpec {
  readonly hard?: { readonly [key: string]: string };
  readonly scopeSelector?: ScopeSelector;
  readonly scopes?: readonly ("BestEffort" | "CrossNamespacePodAffinity" | "NotBestEffort" | "NotTerminating" | "PriorityClass" | "Terminating" | "VolumeAttributesClass")[];
}

export interface ResourceQuotaSpecApply {
  readonly hard?: { readonly [key: string]: string | number };
  readonly scopeSelector?: ScopeSelectorApply;
  readonly scopes?: readonly ("BestEffort" | "CrossNamespacePodAffinity" | "NotBestEffort" | "NotTerminating" | "PriorityClass" | "Terminating" | "VolumeAttributesClass")[];
}

export interface ResourceQuotaStatus {
  readonly hard?: { readonly [key: string]: string };
  readonly used?: { readonly [key: string]: string };
}

export interface ResourceQuotaStatusApply {
  readonly hard?: { readonly [key: string]: string | number };
  readonly used?: { readonly [key: string]: string | number };
}

export interface ResourceRequirements {
  readonly claims?: readonly ResourceClaim[];
  readonly limits?: { readonly [key: string]: string };
  readonly requests?: { readonly [key: string]: string };
}

export interface ResourceRequirementsApply {
  readonly claims?: readonly Keyed<ResourceClaimApply, "name">[];
  readonly limits?: { readonly [key: string]: string | number };
  readonly requests?: { readonly [key: string]: string | number };
}

export interface ResourceStatus {
  readonly name: string;
  readonly resources?: readonly ResourceHealth[];
}

export interface ResourceStatusApply {
  readonly name?: string;
  readonly resources?: readonly Keyed<ResourceHealthApply, "resourceID">[];
}

export interface SELinuxOptions {
  readonly level?: string;
  readonly role?: string;
  readonly type?: string;
  readonly user?: string;
}

export interface SELinuxOptionsApply {
  readonly level?: string;
  readonly role?: string;
  readonly type?: string;
  readonly user?: string;
}

export interface ScaleIOPersistentVolumeSource {
  readonly fsType?: string;
  readonly gateway: string;
  readonly protectionDomain?: string;
  readonly readOnly?: boolean;
  readonly secretRef: SecretReference;
  readonly sslEnabled?: boolean;
  readonly storageMode?: string;
  readonly storagePool?: string;
  readonly system: string;
  readonly volumeName?: string;
}

export interface ScaleIOPersistentVolumeSourceApply {
  readonly fsType?: string;
  readonly gateway?: string;
  readonly protectionDomain?: string;
  readonly readOnly?: boolean;
  readonly secretRef?: SecretReferenceApply;
  readonly sslEnabled?: boolean;
  readonly storageMode?: string;
  readonly storagePool?: string;
  readonly system?: string;
  readonly volumeName?: string;
}

export interface ScaleIOVolumeSource {
  readonly fsType?: string;
  readonly gateway: string;
  readonly protectionDomain?: string;
  readonly readOnly?: boolean;
  readonly secretRef: LocalObjectReference;
  readonly sslEnabled?: boolean;
  readonly storageMode?: string;
  readonly storagePool?: string;
  readonly system: string;
  readonly volumeName?: string;
}

export interface ScaleIOVolumeSourceApply {
  readonly fsType?: string;
  readonly gateway?: string;
  readonly protectionDomain?: string;
  readonly readOnly?: boolean;
  readonly secretRef?: LocalObjectReferenceApply;
  readonly sslEnabled?: boolean;
  readonly storageMode?: string;
  readonly storagePool?: string;
  readonly system?: string;
  readonly volumeName?: string;
}

export interface ScopeSelector {
  readonly matchExpressions?: readonly ScopedResourceSelectorRequirement[];
}

export interface ScopeSelectorApply {
  readonly matchExpressions?: readonly ScopedResourceSelectorRequirementApply[];
}

export interface ScopedResourceSelectorRequirement {
  readonly operator: "DoesNotExist" | "Exists" | "In" | "NotIn";
  readonly scopeName: "BestEffort" | "CrossNamespacePodAffinity" | "NotBestEffort" | "NotTerminating" | "PriorityClass" | "Terminating" | "VolumeAttributesClass";
  readonly values?: readonly string[];
}

export interface ScopedResourceSelectorRequirementApply {
  readonly operator?: "DoesNotExist" | "Exists" | "In" | "NotIn";
  readonly scopeName?: "BestEffort" | "CrossNamespacePodAffinity" | "NotBestEffort" | "NotTerminating" | "PriorityClass" | "Terminating" | "VolumeAttributesClass";
  readonly values?: readonly string[];
}

export interface SeccompProfile {
  readonly localhostProfile?: string;
  readonly type: "Localhost" | "RuntimeDefault" | "Unconfined";
}

export interface SeccompProfileApply {
  readonly localhostProfile?: string;
  readonly type?: "Localhost" | "RuntimeDefault" | "Unconfined";
}

export interface Secret {
  readonly apiVersion: "v1";
  readonly data?: { readonly [key: string]: string };
  readonly immutable?: boolean;
  readonly kind: "Secret";
  readonly metadata: StoredMeta;
  readonly stringData?: { readonly [key: string]: string };
  readonly type?: string;
}

export interface SecretApply {
  readonly apiVersion?: "v1";
  readonly data?: { readonly [key: string]: string };
  readonly immutable?: boolean;
  readonly kind?: "Secret";
  readonly metadata?: ObjectMeta;
  readonly stringData?: { readonly [key: string]: string };
  readonly type?: string;
}

export interface SecretEnvSource {
  readonly name?: string;
  readonly optional?: boolean;
}

export interface SecretEnvSourceApply {
  readonly name?: string;
  readonly optional?: boolean;
}

export interface SecretKeySelector {
  readonly key: string;
  readonly name?: string;
  readonly optional?: boolean;
}

export interface SecretKeySelectorApply {
  readonly key?: string;
  readonly name?: string;
  readonly optional?: boolean;
}

export type SecretList = KubeList<Secret>;

export interface SecretProjection {
  readonly items?: readonly KeyToPath[];
  readonly name?: string;
  readonly optional?: boolean;
}

export interface SecretProjectionApply {
  readonly items?: readonly KeyToPathApply[];
  readonly name?: string;
  readonly optional?: boolean;
}

export interface SecretReference {
  readonly name?: string;
  readonly namespace?: string;
}

export interface SecretReferenceApply {
  readonly name?: string;
  readonly namespace?: string;
}

export interface SecretVolumeSource {
  readonly defaultMode?: number;
  readonly items?: readonly KeyToPath[];
  readonly optional?: boolean;
  readonly secretName?: string;
}

export interface SecretVolumeSourceApply {
  readonly defaultMode?: number;
  readonly items?: readonly KeyToPathApply[];
  readonly optional?: boolean;
  readonly secretName?: string;
}

export interface SecurityContext {
  readonly allowPrivilegeEscalation?: boolean;
  readonly appArmorProfile?: AppArmorProfile;
  readonly capabilities?: Capabilities;
  readonly privileged?: boolean;
  readonly procMount?: "Default" | "Unmasked";
  readonly readOnlyRootFilesystem?: boolean;
  readonly runAsGroup?: number;
  readonly runAsNonRoot?: boolean;
  readonly runAsUser?: number;
  readonly seLinuxOptions?: SELinuxOptions;
  readonly seccompProfile?: SeccompProfile;
  readonly windowsOptions?: WindowsSecurityContextOptions;
}

export interface SecurityContextApply {
  readonly allowPrivilegeEscalation?: boolean;
  readonly appArmorProfile?: AppArmorProfileApply;
  readonly capabilities?: CapabilitiesApply;
  readonly privileged?: boolean;
  readonly procMount?: "Default" | "Unmasked";
  readonly readOnlyRootFilesystem?: boolean;
  readonly runAsGroup?: number;
  readonly runAsNonRoot?: boolean;
  readonly runAsUser?: number;
  readonly seLinuxOptions?: SELinuxOptionsApply;
  readonly seccompProfile?: SeccompProfileApply;
  readonly windowsOptions?: WindowsSecurityContextOptionsApply;
}

export interface Service {
  readonly apiVersion: "v1";
  readonly kind: "Service";
  readonly metadata: StoredMeta;
  readonly spec?: ServiceSpec;
  readonly status?: ServiceStatus;
}

export interface ServiceApply {
  readonly apiVersion?: "v1";
  readonly kind?: "Service";
  readonly metadata?: ObjectMeta;
  readonly spec?: ServiceSpecApply;
  readonly status?: ServiceStatusApply;
}

export interface ServiceAccount {
  readonly apiVersion: "v1";
  readonly automountServiceAccountToken?: boolean;
  readonly imagePullSecrets?: readonly LocalObjectReference[];
  readonly kind: "ServiceAccount";
  readonly metadata: StoredMeta;
  readonly secrets?: readonly ObjectReference[];
}

export interface ServiceAccountApply {
  readonly apiVersion?: "v1";
  readonly automountServiceAccountToken?: boolean;
  readonly imagePullSecrets?: readonly LocalObjectReferenceApply[];
  readonly kind?: "ServiceAccount";
  readonly metadata?: ObjectMeta;
  readonly secrets?: readonly Keyed<ObjectReferenceApply, "name">[];
}

export type ServiceAccountList = KubeList<ServiceAccount>;

export interface ServiceAccountTokenProjection {
  readonly audience?: string;
  readonly expirationSeconds?: number;
  readonly path: string;
}

export interface ServiceAccountTokenProjectionApply {
  readonly audience?: string;
  readonly expirationSeconds?: number;
  readonly path?: string;
}

export type ServiceList = KubeList<Service>;

export interface ServicePort {
  readonly appProtocol?: string;
  readonly name?: string;
  readonly nodePort?: number;
  readonly port: number;
  readonly protocol?: "SCTP" | "TCP" | "UDP";
  readonly targetPort?: IntOrString;
}

export interface ServicePortApply {
  readonly appProtocol?: string;
  readonly name?: string;
  readonly nodePort?: number;
  readonly port?: number;
  readonly protocol?: "SCTP" | "TCP" | "UDP";
  readonly targetPort?: IntOrString;
}

export interface ServiceSpec {
  readonly allocateLoadBalancerNodePorts?: boolean;
  readonly clusterIP?: string;
  readonly clusterIPs?: readonly string[];
  readonly externalIPs?: readonly string[];
  readonly externalName?: string;
  readonly externalTrafficPolicy?: "Cluster" | "Local";
  readonly healthCheckNodePort?: number;
  readonly internalTrafficPolicy?: "Cluster" | "Local";
  readonly ipFamilies?: readonly ("" | "IPv4" | "IPv6")[];
  readonly ipFamilyPolicy?: "PreferDualStack" | "RequireDualStack" | "SingleStack";
  readonly loadBalancerClass?: string;
  readonly loadBalancerIP?: string;
  readonly loadBalancerSourceRanges?: readonly string[];
  readonly ports?: readonly ServicePort[];
  readonly publishNotReadyAddresses?: boolean;
  readonly selector?: { readonly [key: string]: string };
  readonly sessionAffinity?: "ClientIP" | "None";
  readonly sessionAffinityConfig?: SessionAffinityConfig;
  readonly trafficDistribution?: string;
  readonly type?: "ClusterIP" | "ExternalName" | "LoadBalancer" | "NodePort";
}

export interface ServiceSpecApply {
  readonly allocateLoadBalancerNodePorts?: boolean;
  readonly clusterIP?: string;
  readonly clusterIPs?: readonly string[];
  readonly externalIPs?: readonly string[];
  readonly externalName?: string;
  readonly externalTrafficPolicy?: "Cluster" | "Local";
  readonly healthCheckNodePort?: number;
  readonly internalTrafficPolicy?: "Cluster" | "Local";
  readonly ipFamilies?: readonly ("" | "IPv4" | "IPv6")[];
  readonly ipFamilyPolicy?: "PreferDualStack" | "RequireDualStack" | "SingleStack";
  readonly loadBalancerClass?: string;
  readonly loadBalancerIP?: string;
  readonly loadBalancerSourceRanges?: readonly string[];
  readonly ports?: readonly Keyed<ServicePortApply, "port">[];
  readonly publishNotReadyAddresses?: boolean;
  readonly selector?: { readonly [key: string]: string };
  readonly sessionAffinity?: "ClientIP" | "None";
  readonly sessionAffinityConfig?: SessionAffinityConfigApply;
  readonly trafficDistribution?: string;
  readonly type?: "ClusterIP" | "ExternalName" | "LoadBalancer" | "NodePort";
}

export interface ServiceStatus {
  readonly conditions?: readonly Condition[];
  readonly loadBalancer?: LoadBalancerStatus;
}

export interface ServiceStatusApply {
  readonly conditions?: readonly Keyed<ConditionApply, "type">[];
  readonly loadBalancer?: LoadBalancerStatusApply;
}

export interface SessionAffinityConfig {
  readonly clientIP?: ClientIPConfig;
}

export interface SessionAffinityConfigApply {
  readonly clientIP?: ClientIPConfigApply;
}

export interface SleepAction {
  readonly seconds: number;
}

export interface SleepActionApply {
  readonly seconds?: number;
}

export interface StorageOSPersistentVolumeSource {
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly secretRef?: ObjectReference;
  readonly volumeName?: string;
  readonly volumeNamespace?: string;
}

export interface StorageOSPersistentVolumeSourceApply {
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly secretRef?: ObjectReferenceApply;
  readonly volumeName?: string;
  readonly volumeNamespace?: string;
}

export interface StorageOSVolumeSource {
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly secretRef?: LocalObjectReference;
  readonly volumeName?: string;
  readonly volumeNamespace?: string;
}

export interface StorageOSVolumeSourceApply {
  readonly fsType?: string;
  readonly readOnly?: boolean;
  readonly secretRef?: LocalObjectReferenceApply;
  readonly volumeName?: string;
  readonly volumeNamespace?: string;
}

export interface Sysctl {
  readonly name: string;
  readonly value: string;
}

export interface SysctlApply {
  readonly name?: string;
  readonly value?: string;
}

export interface TCPSocketAction {
  readonly host?: string;
  readonly port: IntOrString;
}

export interface TCPSocketActionApply {
  readonly host?: string;
  readonly port?: IntOrString;
}

export interface Taint {
  readonly effect: "NoExecute" | "NoSchedule" | "PreferNoSchedule";
  readonly key: string;
  readonly timeAdded?: string;
  readonly value?: string;
}

export interface TaintApply {
  readonly effect?: "NoExecute" | "NoSchedule" | "PreferNoSchedule";
  readonly key?: string;
  readonly timeAdded?: string;
  readonly value?: string;
}

export interface Toleration {
  readonly effect?: "NoExecute" | "NoSchedule" | "PreferNoSchedule";
  readonly key?: string;
  readonly operator?: "Equal" | "Exists" | "Gt" | "Lt";
  readonly tolerationSeconds?: number;
  readonly value?: string;
}

export interface TolerationApply {
  readonly effect?: "NoExecute" | "NoSchedule" | "PreferNoSchedule";
  readonly key?: string;
  readonly operator?: "Equal" | "Exists" | "Gt" | "Lt";
  readonly tolerationSeconds?: number;
  readonly value?: string;
}

export interface TopologySelectorLabelRequirement {
  readonly key: string;
  readonly values: readonly string[];
}

export interface TopologySelectorLabelRequirementApply {
  readonly key?: string;
  readonly values?: readonly string[];
}

export interface TopologySelectorTerm {
  readonly matchLabelExpressions?: readonly TopologySelectorLabelRequirement[];
}

export interface TopologySelectorTermApply {
  readonly matchLabelExpressions?: readonly TopologySelectorLabelRequirementApply[];
}

export interface TopologySpreadConstraint {
  readonly labelSelector?: LabelSelector;
  readonly matchLabelKeys?: readonly string[];
  readonly maxSkew: number;
  readonly minDomains?: number;
  readonly nodeAffinityPolicy?: "Honor" | "Ignore";
  readonly nodeTaintsPolicy?: "Honor" | "Ignore";
  readonly topologyKey: string;
  readonly whenUnsatisfiable: "DoNotSchedule" | "ScheduleAnyway";
}

export interface TopologySpreadConstraintApply {
  readonly labelSelector?: LabelSelectorApply;
  readonly matchLabelKeys?: readonly string[];
  readonly maxSkew?: number;
  readonly minDomains?: number;
  readonly nodeAffinityPolicy?: "Honor" | "Ignore";
  readonly nodeTaintsPolicy?: "Honor" | "Ignore";
  readonly topologyKey?: string;
  readonly whenUnsatisfiable?: "DoNotSchedule" | "ScheduleAnyway";
}

export interface TypedLocalObjectReference {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
}

export interface TypedLocalObjectReferenceApply {
  readonly apiGroup?: string;
  readonly kind?: string;
  readonly name?: string;
}

export interface TypedObjectReference {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

export interface TypedObjectReferenceApply {
  readonly apiGroup?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
}

export interface Volume {
  readonly awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  readonly azureDisk?: AzureDiskVolumeSource;
  readonly azureFile?: AzureFileVolumeSource;
  readonly cephfs?: CephFSVolumeSource;
  readonly cinder?: CinderVolumeSource;
  readonly configMap?: ConfigMapVolumeSource;
  readonly csi?: CSIVolumeSource;
  readonly downwardAPI?: DownwardAPIVolumeSource;
  readonly emptyDir?: EmptyDirVolumeSource;
  readonly ephemeral?: EphemeralVolumeSource;
  readonly fc?: FCVolumeSource;
  readonly flexVolume?: FlexVolumeSource;
  readonly flocker?: FlockerVolumeSource;
  readonly gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  readonly gitRepo?: GitRepoVolumeSource;
  readonly glusterfs?: GlusterfsVolumeSource;
  readonly hostPath?: HostPathVolumeSource;
  readonly image?: ImageVolumeSource;
  readonly iscsi?: ISCSIVolumeSource;
  readonly name: string;
  readonly nfs?: NFSVolumeSource;
  readonly persistentVolumeClaim?: PersistentVolumeClaimVolumeSource;
  readonly photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  readonly portworxVolume?: PortworxVolumeSource;
  readonly projected?: ProjectedVolumeSource;
  readonly quobyte?: QuobyteVolumeSource;
  readonly rbd?: RBDVolumeSource;
  readonly scaleIO?: ScaleIOVolumeSource;
  readonly secret?: SecretVolumeSource;
  readonly storageos?: StorageOSVolumeSource;
  readonly vsphereVolume?: VsphereVirtualDiskVolumeSource;
}

export interface VolumeApply {
  readonly awsElasticBlockStore?: AWSElasticBlockStoreVolumeSourceApply;
  readonly azureDisk?: AzureDiskVolumeSourceApply;
  readonly azureFile?: AzureFileVolumeSourceApply;
  readonly cephfs?: CephFSVolumeSourceApply;
  readonly cinder?: CinderVolumeSourceApply;
  readonly configMap?: ConfigMapVolumeSourceApply;
  readonly csi?: CSIVolumeSourceApply;
  readonly downwardAPI?: DownwardAPIVolumeSourceApply;
  readonly emptyDir?: EmptyDirVolumeSourceApply;
  readonly ephemeral?: EphemeralVolumeSourceApply;
  readonly fc?: FCVolumeSourceApply;
  readonly flexVolume?: FlexVolumeSourceApply;
  readonly flocker?: FlockerVolumeSourceApply;
  readonly gcePersistentDisk?: GCEPersistentDiskVolumeSourceApply;
  readonly gitRepo?: GitRepoVolumeSourceApply;
  readonly glusterfs?: GlusterfsVolumeSourceApply;
  readonly hostPath?: HostPathVolumeSourceApply;
  readonly image?: ImageVolumeSourceApply;
  readonly iscsi?: ISCSIVolumeSourceApply;
  readonly name?: string;
  readonly nfs?: NFSVolumeSourceApply;
  readonly persistentVolumeClaim?: PersistentVolumeClaimVolumeSourceApply;
  readonly photonPersistentDisk?: PhotonPersistentDiskVolumeSourceApply;
  readonly portworxVolume?: PortworxVolumeSourceApply;
  readonly projected?: ProjectedVolumeSourceApply;
  readonly quobyte?: QuobyteVolumeSourceApply;
  readonly rbd?: RBDVolumeSourceApply;
  readonly scaleIO?: ScaleIOVolumeSourceApply;
  readonly secret?: SecretVolumeSourceApply;
  readonly storageos?: StorageOSVolumeSourceApply;
  readonly vsphereVolume?: VsphereVirtualDiskVolumeSourceApply;
}

export interface VolumeDevice {
  readonly devicePath: string;
  readonly name: string;
}

export interface VolumeDeviceApply {
  readonly devicePath?: string;
  readonly name?: string;
}

export interface VolumeMount {
  readonly mountPath: string;
  readonly mountPropagation?: "Bidirectional" | "HostToContainer" | "None";
  readonly name: string;
  readonly readOnly?: boolean;
  readonly recursiveReadOnly?: string;
  readonly subPath?: string;
  readonly subPathExpr?: string;
}

export interface VolumeMountApply {
  readonly mountPath?: string;
  readonly mountPropagation?: "Bidirectional" | "HostToContainer" | "None";
  readonly name?: string;
  readonly readOnly?: boolean;
  readonly recursiveReadOnly?: string;
  readonly subPath?: string;
  readonly subPathExpr?: string;
}

export interface VolumeMountStatus {
  readonly mountPath: string;
  readonly name: string;
  readonly readOnly?: boolean;
  readonly recursiveReadOnly?: string;
  readonly volumeStatus?: VolumeStatus;
}

export interface VolumeMountStatusApply {
  readonly mountPath?: string;
  readonly name?: string;
  readonly readOnly?: boolean;
  readonly recursiveReadOnly?: string;
  readonly volumeStatus?: VolumeStatusApply;
}

export interface VolumeNodeAffinity {
  readonly required?: NodeSelector;
}

export interface VolumeNodeAffinityApply {
  readonly required?: NodeSelectorApply;
}

export interface VolumeProjection {
  readonly clusterTrustBundle?: ClusterTrustBundleProjection;
  readonly configMap?: ConfigMapProjection;
  readonly downwardAPI?: DownwardAPIProjection;
  readonly podCertificate?: PodCertificateProjection;
  readonly secret?: SecretProjection;
  readonly serviceAccountToken?: ServiceAccountTokenProjection;
}

export interface VolumeProjectionApply {
  readonly clusterTrustBundle?: ClusterTrustBundleProjectionApply;
  readonly configMap?: ConfigMapProjectionApply;
  readonly downwardAPI?: DownwardAPIProjectionApply;
  readonly podCertificate?: PodCertificateProjectionApply;
  readonly secret?: SecretProjectionApply;
  readonly serviceAccountToken?: ServiceAccountTokenProjectionApply;
}

export interface VolumeResourceRequirements {
  readonly limits?: { readonly [key: string]: string };
  readonly requests?: { readonly [key: string]: string };
}

export interface VolumeResourceRequirementsApply {
  readonly limits?: { readonly [key: string]: string | number };
  readonly requests?: { readonly [key: string]: string | number };
}

export interface VolumeStatus {
  readonly image?: ImageVolumeStatus;
}

export interface VolumeStatusApply {
  readonly image?: ImageVolumeStatusApply;
}

export interface VsphereVirtualDiskVolumeSource {
  readonly fsType?: string;
  readonly storagePolicyID?: string;
  readonly storagePolicyName?: string;
  readonly volumePath: string;
}

export interface VsphereVirtualDiskVolumeSourceApply {
  readonly fsType?: string;
  readonly storagePolicyID?: string;
  readonly storagePolicyName?: string;
  readonly volumePath?: string;
}

export interface WeightedPodAffinityTerm {
  readonly podAffinityTerm: PodAffinityTerm;
  readonly weight: number;
}

export interface WeightedPodAffinityTermApply {
  readonly podAffinityTerm?: PodAffinityTermApply;
  readonly weight?: number;
}

export interface WindowsSecurityContextOptions {
  readonly gmsaCredentialSpec?: string;
  readonly gmsaCredentialSpecName?: string;
  readonly hostProcess?: boolean;
  readonly runAsUserName?: string;
}

export interface WindowsSecurityContextOptionsApply {
  readonly gmsaCredentialSpec?: string;
  readonly gmsaCredentialSpecName?: string;
  readonly hostProcess?: boolean;
  readonly runAsUserName?: string;
}
