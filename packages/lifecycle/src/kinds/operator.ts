/** Operator: the components of one installed package, in one object. */
import type { Kind, LabelSelectorObject, StoredObject } from "@capstan/model";
import type { ObjectReference } from "./subscription.ts";

/** A component with its conditions. */
export interface ComponentReference extends ObjectReference {
  readonly conditions?: readonly object[];
}

/** An Operator as the server returns it. */
export interface Operator extends StoredObject {
  readonly status?: {
    readonly components?: {
      readonly labelSelector: LabelSelectorObject;
      readonly refs?: readonly ComponentReference[];
    };
  };
}

export const Operator: Kind<Operator, unknown, "Cluster"> = {
  group: "operators.coreos.com",
  version: "v1",
  kind: "Operator",
  plural: "operators",
  scope: "Cluster",
};
