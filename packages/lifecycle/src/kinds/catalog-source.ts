/** CatalogSource: where a catalog of operators comes from. */
import type { Condition, Kind, StoredObject } from "@capstan/model";

export interface CatalogSourceSpec {
  readonly sourceType: string;
  readonly image?: string;
  readonly address?: string;
  readonly configMap?: string;
  readonly priority?: number;
  readonly secrets?: readonly string[];
  readonly updateStrategy?: { readonly registryPoll?: { readonly interval?: string } };
  readonly displayName?: string;
  readonly publisher?: string;
}

/** The reasons of a failing catalog. */
export type CatalogSourceReason =
  | "SpecInvalidError"
  | "ConfigMapError"
  | "RegistryServerError"
  | "InvalidIntervalError";

export interface CatalogSourceStatus {
  readonly message?: string;
  readonly reason?: CatalogSourceReason;
  readonly configMapReference?: {
    readonly name: string;
    readonly namespace: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly lastUpdateTime?: string;
  };
  readonly registryService?: {
    readonly protocol?: string;
    readonly serviceName?: string;
    readonly serviceNamespace?: string;
    readonly port?: string;
    readonly createdAt?: string;
  };
  readonly connectionState?: {
    readonly address?: string;
    readonly lastObservedState: string;
    readonly lastConnect?: string;
  };
  readonly latestImageRegistryPoll?: string;
  readonly conditions?: readonly Condition[];
}

/** A CatalogSource as the server returns it. */
export interface CatalogSource extends StoredObject {
  readonly spec: CatalogSourceSpec;
  readonly status?: CatalogSourceStatus;
}

export const CatalogSource: Kind<CatalogSource, unknown, "Namespaced"> = {
  group: "operators.coreos.com",
  version: "v1alpha1",
  kind: "CatalogSource",
  plural: "catalogsources",
  scope: "Namespaced",
};
