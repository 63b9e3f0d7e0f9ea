/** OLMConfig: the settings of the manager. */
import type { Condition, Kind, StoredObject } from "@capstan/model";

/** An OLMConfig as the server returns it. */
export interface OLMConfig extends StoredObject {
  readonly spec?: {
    readonly features?: { readonly disableCopiedCSVs?: boolean; readonly packageServerSyncInterval?: string };
  };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export const OLMConfig: Kind<OLMConfig, unknown, "Cluster"> = {
  group: "operators.coreos.com",
  version: "v1",
  kind: "OLMConfig",
  plural: "olmconfigs",
  scope: "Cluster",
};
