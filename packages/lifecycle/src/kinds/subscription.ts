/** Subscription: which package a namespace wants, from which channel of which catalog. */
import type { Kind, StoredObject } from "@capstan/model";
import type {
  Affinity,
  EnvFromSource,
  EnvVar,
  ResourceRequirements,
  Toleration,
  Volume,
  VolumeMount,
} from "@capstan/kinds/v1";

/** A reference to an object, as Kubernetes writes it. */
export interface ObjectReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** What is added to every container of the operator. */
export interface SubscriptionConfig {
  readonly selector?: object;
  readonly nodeSelector?: { readonly [key: string]: string };
  readonly tolerations?: readonly Toleration[];
  readonly resources?: ResourceRequirements;
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly EnvFromSource[];
  readonly volumes?: readonly Volume[];
  readonly volumeMounts?: readonly VolumeMount[];
  readonly affinity?: Affinity;
  readonly annotations?: { readonly [key: string]: string };
}

export interface SubscriptionSpec {
  readonly source: string;
  readonly sourceNamespace: string;
  readonly name: string;
  readonly channel?: string;
  readonly startingCSV?: string;
  readonly installPlanApproval?: "Automatic" | "Manual";
  readonly config?: SubscriptionConfig;
}

/** The condition types of a Subscription. */
export type SubscriptionConditionType =
  | "CatalogSourcesUnhealthy"
  | "InstallPlanMissing"
  | "InstallPlanPending"
  | "InstallPlanFailed"
  | "ResolutionFailed"
  | "BundleUnpacking"
  | "BundleUnpackFailed"
  | "Deprecated"
  | "PackageDeprecated"
  | "ChannelDeprecated"
  | "BundleDeprecated"
  | "RolledBack"
  | "UpgradeHeld";

export interface SubscriptionCondition {
  readonly type: SubscriptionConditionType;
  readonly status: "True" | "False" | "Unknown";
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly lastHeartbeatTime?: string;
}

/** Whether a catalog that the namespace may use is healthy. */
export interface CatalogHealth {
  readonly catalogSourceRef: ObjectReference;
  readonly lastUpdated: string;
  readonly healthy: boolean;
}

/** The states of a Subscription. */
export type SubscriptionState = "" | "UpgradeFailed" | "UpgradeAvailable" | "UpgradePending" | "AtLatestKnown";

export interface SubscriptionStatus {
  readonly currentCSV?: string;
  readonly installedCSV?: string;
  readonly state?: SubscriptionState;
  readonly installPlanRef?: ObjectReference;
  readonly installplan?: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly uuid: string;
  };
  readonly installPlanGeneration?: number;
  readonly catalogHealth?: readonly CatalogHealth[];
  readonly conditions?: readonly SubscriptionCondition[];
  readonly lastUpdated: string;
}

/** A Subscription as the server returns it. */
export interface Subscription extends StoredObject {
  readonly spec: SubscriptionSpec;
  readonly status?: SubscriptionStatus;
}

export const Subscription: Kind<Subscription, unknown, "Namespaced"> = {
  group: "operators.coreos.com",
  version: "v1alpha1",
  kind: "Subscription",
  plural: "subscriptions",
  scope: "Namespaced",
};
