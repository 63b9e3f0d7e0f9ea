/** ClusterCatalog: a catalog image whose packages ClusterExtensions may install. */
import type { Condition, Kind, StoredObject } from "@capstan/model";

export interface ClusterCatalogSpec {
  readonly source: {
    readonly type: string;
    readonly image?: { readonly ref: string; readonly pollIntervalMinutes?: number };
  };
  readonly priority?: number;
  readonly availabilityMode?: "Available" | "Unavailable";
}

export interface ClusterCatalogStatus {
  readonly conditions?: readonly Condition[];
  readonly resolvedSource?: { readonly type: "Image"; readonly image: { readonly ref: string } };
  readonly urls?: { readonly base: string };
  readonly lastUnpacked?: string;
}

/** A ClusterCatalog as the server returns it. */
export interface ClusterCatalog extends StoredObject {
  readonly spec: ClusterCatalogSpec;
  readonly status?: ClusterCatalogStatus;
}

export const ClusterCatalog: Kind<ClusterCatalog, unknown, "Cluster"> = {
  group: "olm.operatorframework.io",
  version: "v1",
  kind: "ClusterCatalog",
  plural: "clustercatalogs",
  scope: "Cluster",
};
