/** OperatorGroup: the namespaces that the operators of one namespace watch. */
import type { Condition, Kind, LabelSelectorObject, StoredObject } from "@capstan/model";
import type { ObjectReference } from "./subscription.ts";

export interface OperatorGroupSpec {
  readonly selector?: LabelSelectorObject;
  readonly targetNamespaces?: readonly string[];
  readonly serviceAccountName?: string;
  readonly staticProvidedAPIs?: boolean;
  readonly upgradeStrategy?: "Default" | "TechPreviewUnsafeFailForward";
}

export interface OperatorGroupStatus {
  /** Absent before the first reconcile; `[""]` stands for all namespaces. */
  readonly namespaces?: readonly string[];
  readonly serviceAccountRef?: ObjectReference;
  readonly lastUpdated: string | null;
  readonly conditions?: readonly Condition[];
}

/** An OperatorGroup as the server returns it. */
export interface OperatorGroup extends StoredObject {
  readonly spec?: OperatorGroupSpec;
  readonly status?: OperatorGroupStatus;
}

export const OperatorGroup: Kind<OperatorGroup, unknown, "Namespaced"> = {
  group: "operators.coreos.com",
  version: "v1",
  kind: "OperatorGroup",
  plural: "operatorgroups",
  scope: "Namespaced",
};
