/** ClusterExtension: a package that is to be installed for the cluster, and what is installed. */
import type { Condition, Kind, StoredObject } from "@capstan/model";

/** Selects by labels, as in every Kubernetes kind. */
export interface LabelSelector {
  readonly matchLabels?: { readonly [label: string]: string };
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

/** The package to install from the catalogs. */
export interface CatalogFilter {
  readonly packageName: string;
  readonly version?: string;
  readonly channels?: readonly string[];
  readonly selector?: LabelSelector;
  readonly upgradeConstraintPolicy?: "CatalogProvided" | "SelfCertified";
}

export interface ClusterExtensionSpec {
  readonly namespace: string;
  readonly source: { readonly sourceType: string; readonly catalog?: CatalogFilter };
  readonly install?: { readonly preflight?: { readonly crdUpgradeSafety?: { readonly enforcement: string } } };
  readonly config?: { readonly configType: string; readonly inline?: { readonly [field: string]: unknown } };
  readonly progressDeadlineMinutes?: number;
}

/** A bundle that is installed. */
export interface BundleMetadata {
  readonly name: string;
  readonly version: string;
  readonly release?: string;
}

export interface ClusterExtensionStatus {
  readonly conditions?: readonly Condition[];
  readonly install?: { readonly bundle: BundleMetadata };
  readonly activeRevisions?: readonly { readonly name: string; readonly conditions?: readonly Condition[] }[];
}

/** A ClusterExtension as the server returns it. */
export interface ClusterExtension extends StoredObject {
  readonly spec: ClusterExtensionSpec;
  readonly status?: ClusterExtensionStatus;
}

export const ClusterExtension: Kind<ClusterExtension, unknown, "Cluster"> = {
  group: "olm.operatorframework.io",
  version: "v1",
  kind: "ClusterExtension",
  plural: "clusterextensions",
  scope: "Cluster",
};
