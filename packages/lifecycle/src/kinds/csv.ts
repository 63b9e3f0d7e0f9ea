/** ClusterServiceVersion: one version of an operator, with what it needs and how far its installation is. */
import type { Kind, StoredObject } from "@capstan/model";
import type { DeploymentSpec } from "@capstan/kinds/apps/v1";
import type { PolicyRule } from "@capstan/kinds/rbac.authorization.k8s.io/v1";

/** The phases of a ClusterServiceVersion. */
export type CsvPhase =
  | ""
  | "Pending"
  | "InstallReady"
  | "Installing"
  | "Succeeded"
  | "Failed"
  | "Unknown"
  | "Replacing"
  | "Deleting";

/** The reasons of a phase. */
export type CsvReason =
  | "RequirementsUnknown"
  | "RequirementsNotMet"
  | "AllRequirementsMet"
  | "OwnerConflict"
  | "InstallComponentFailed"
  | "InstallComponentFailedNoRetry"
  | "InvalidInstallStrategy"
  | "InstallWaiting"
  | "InstallSucceeded"
  | "InstallCheckFailed"
  | "ComponentUnhealthy"
  | "BeingReplaced"
  | "Replaced"
  | "NeedsReinstall"
  | "NeedsCertRotation"
  | "APIServiceResourceIssue"
  | "APIServiceResourcesNeedReinstall"
  | "APIServiceInstallFailed"
  | "Copied"
  | "InvalidInstallModes"
  | "NoTargetNamespaces"
  | "UnsupportedOperatorGroup"
  | "NoOperatorGroup"
  | "TooManyOperatorGroups"
  | "InterOperatorGroupOwnerConflict"
  | "CannotModifyStaticOperatorGroupProvidedAPIs"
  | "DetectedClusterChange"
  | "InvalidWebhookDescription"
  | "OperatorConditionNotUpgradeable"
  | "WaitingOnCleanup";

/** The permissions of one service account. */
export interface CsvPermission {
  readonly serviceAccountName: string;
  readonly rules: readonly PolicyRule[];
}

/** A Deployment of the operator. */
export interface CsvDeployment {
  readonly name: string;
  readonly label?: { readonly [key: string]: string };
  readonly spec: DeploymentSpec;
}

/** What the operator installs. */
export interface CsvStrategy {
  readonly deployments?: readonly CsvDeployment[];
  readonly permissions?: readonly CsvPermission[];
  readonly clusterPermissions?: readonly CsvPermission[];
}

/** An API by its CRD. */
export interface CsvCrd {
  readonly name: string;
  readonly version: string;
  readonly kind: string;
}

/** An API by its APIService. */
export interface CsvApiService {
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly deploymentName?: string;
  readonly containerPort?: number;
}

/** A webhook of the operator. */
export interface CsvWebhook {
  readonly generateName: string;
  readonly type: "ValidatingAdmissionWebhook" | "MutatingAdmissionWebhook" | "ConversionWebhook";
  readonly deploymentName?: string;
  readonly containerPort?: number;
  readonly targetPort?: number | string;
  readonly rules?: readonly {
    readonly apiGroups?: readonly string[];
    readonly apiVersions?: readonly string[];
    readonly operations?: readonly string[];
    readonly resources?: readonly string[];
    readonly scope?: string;
  }[];
  readonly failurePolicy?: string;
  readonly matchPolicy?: string;
  readonly objectSelector?: object;
  readonly sideEffects?: string;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions?: readonly string[];
  readonly reinvocationPolicy?: string;
  readonly webhookPath?: string;
  readonly conversionCRDs?: readonly string[];
}

/** An install mode, and whether the operator supports it. */
export interface InstallMode {
  readonly type: string;
  readonly supported: boolean;
}

export interface CsvSpec {
  readonly cleanup?: { readonly enabled: boolean };
  readonly install: { readonly strategy: string; readonly spec?: CsvStrategy };
  readonly version?: string;
  readonly replaces?: string;
  readonly skips?: readonly string[];
  readonly minKubeVersion?: string;
  readonly installModes?: readonly InstallMode[];
  readonly customresourcedefinitions?: { readonly owned?: readonly CsvCrd[]; readonly required?: readonly CsvCrd[] };
  readonly apiservicedefinitions?: {
    readonly owned?: readonly CsvApiService[];
    readonly required?: readonly CsvApiService[];
  };
  readonly webhookdefinitions?: readonly CsvWebhook[];
  readonly nativeAPIs?: readonly { readonly group: string; readonly version: string; readonly kind: string }[];
  readonly displayName?: string;
  readonly description?: string;
  readonly provider?: { readonly name?: string; readonly url?: string };
}

/** A requirement, and whether the cluster meets it. */
export interface RequirementStatus {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly uuid?: string;
  readonly dependents?: readonly DependentStatus[];
}

/** A rule of a service account, and whether the account has it. */
export interface DependentStatus {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly status: "Satisfied" | "NotSatisfied";
  readonly message?: string;
}

/** One entry of the history of phases. */
export interface CsvCondition {
  readonly phase: CsvPhase;
  readonly reason?: CsvReason;
  readonly message?: string;
  readonly lastUpdateTime?: string;
  readonly lastTransitionTime?: string;
}

export interface CsvStatus {
  readonly phase?: CsvPhase;
  readonly reason?: CsvReason;
  readonly message?: string;
  readonly lastUpdateTime?: string;
  readonly lastTransitionTime?: string;
  readonly conditions?: readonly CsvCondition[];
  readonly requirementStatus?: readonly RequirementStatus[];
  readonly certsLastUpdated?: string;
  readonly certsRotateAt?: string;
  readonly cleanup?: object;
}

/** A ClusterServiceVersion as the server returns it. */
export interface ClusterServiceVersion extends StoredObject {
  readonly spec: CsvSpec;
  readonly status?: CsvStatus;
}

export const ClusterServiceVersion: Kind<ClusterServiceVersion, unknown, "Namespaced"> = {
  group: "operators.coreos.com",
  version: "v1alpha1",
  kind: "ClusterServiceVersion",
  plural: "clusterserviceversions",
  scope: "Namespaced",
};
