/** OperatorCondition: what an operator reports about itself, such as whether it may be upgraded. */
import type { Condition, Kind, StoredObject } from "@capstan/model";

/** An OperatorCondition as the server returns it. */
export interface OperatorCondition extends StoredObject {
  readonly spec?: {
    readonly serviceAccounts?: readonly string[];
    readonly deployments?: readonly string[];
    readonly overrides?: readonly Condition[];
    readonly conditions?: readonly Condition[];
  };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export const OperatorCondition: Kind<OperatorCondition, unknown, "Namespaced"> = {
  group: "operators.coreos.com",
  version: "v2",
  kind: "OperatorCondition",
  plural: "operatorconditions",
  scope: "Namespaced",
};
