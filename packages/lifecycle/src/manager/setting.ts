/** What the manager is given: the API server, the clock, the catalogs, and everything else outside of its rules. */
import type { DiscoveredKind } from "@capstan/client";
import type { Entropy } from "@capstan/pki";
import type { Clock } from "@capstan/runtime";
import type { CatalogStore } from "../catalog-source/store.ts";
import type { Manifest } from "../csv/permissions.ts";
import type { ResolutionInput, ResolutionResult } from "../resolve/resolution.ts";
import type { Cluster } from "../cluster/cluster.ts";

/** What the server serves. */
export interface Discovery {
  /** The version of the server, such as `v1.36.0`. */
  readonly version: () => Promise<string>;
  /** The kind, or undefined if it is not served. */
  readonly kind: (group: string, version: string, kind: string) => Promise<DiscoveredKind | undefined>;
}

/** A service account. */
export interface AccountReference {
  readonly namespace: string;
  readonly name: string;
}

/** The pull secrets for an image, by the names of Secrets in a namespace. */
export interface PullReference {
  readonly namespace: string;
  readonly secrets: readonly string[];
}

/** Another cluster. */
export interface OtherClusterConnection extends AsyncDisposable {
  readonly cluster: Pick<Cluster, "get">;
}

/** Everything that the controllers need. */
export interface ManagerSetting {
  readonly cluster: Cluster;
  /** The calls with the permissions of a service account. */
  readonly as: (account: AccountReference) => Cluster;
  readonly discovery: Discovery;
  readonly clock: Clock;
  readonly catalogs: CatalogStore;
  readonly resolve: (input: ResolutionInput) => ResolutionResult;
  /** Reads the objects of a bundle from its image. */
  readonly readBundle: (image: string, pull: PullReference) => Promise<readonly Manifest[]>;
  /** Connects to another cluster by the text of a kubeconfig, for policies that wait for what succeeds there. */
  readonly connect?: ((kubeconfig: string) => Promise<OtherClusterConnection>) | undefined;
  readonly entropy?: Entropy | undefined;
  /** Where the content of ClusterCatalogs is served, without their names: `http://127.0.0.1:8080/catalogs`. */
  readonly catalogUrl?: string | undefined;
  /**
   * With whose permissions the CRDs of an OperatorGroup with a service account are written. Default: those of the account, so that an
   * install never does more than it may. The original always takes those of the manager.
   */
  readonly scopedCrds?: "account" | "manager" | undefined;
  /** The namespace of the manager, whose catalogs all namespaces may use. Default: `olm`. */
  readonly namespace: string;
}
