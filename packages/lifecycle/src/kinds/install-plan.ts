/** InstallPlan: the steps that install or upgrade operators of one namespace. */
import type { Kind, StoredObject } from "@capstan/model";
import type { ObjectReference } from "./subscription.ts";

/** The phases of an InstallPlan. */
export type InstallPlanPhase = "" | "Planning" | "RequiresApproval" | "Installing" | "Complete" | "Failed";

/** The statuses of a step. */
export type StepStatus =
  | "Unknown"
  | "NotPresent"
  | "Present"
  | "Created"
  | "NotCreated"
  | "WaitingForApi"
  | "UnsupportedResource";

export interface StepResource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly name: string;
  readonly manifest?: string;
  readonly sourceName: string;
  readonly sourceNamespace: string;
}

/** One object to create or update. */
export interface Step {
  readonly resolving: string;
  readonly resource: StepResource;
  readonly status: StepStatus;
}

export interface InstallPlanCondition {
  readonly type: "Resolved" | "Installed";
  readonly status: "True" | "False" | "Unknown";
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly lastUpdateTime?: string;
}

export interface BundleLookupCondition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly lastUpdateTime?: string;
}

/** A bundle image, and how far its unpacking is. */
export interface BundleLookup {
  readonly path: string;
  readonly identifier: string;
  readonly replaces: string;
  readonly catalogSourceRef: ObjectReference;
  readonly properties?: string;
  readonly conditions?: readonly BundleLookupCondition[];
}

export interface InstallPlanStatus {
  readonly phase: InstallPlanPhase;
  readonly plan?: readonly Step[];
  readonly catalogSources: readonly string[];
  readonly bundleLookups?: readonly BundleLookup[];
  readonly conditions?: readonly InstallPlanCondition[];
  readonly attenuatedServiceAccountRef?: ObjectReference;
  readonly startTime?: string;
  readonly message?: string;
}

/** An InstallPlan as the server returns it. */
export interface InstallPlan extends StoredObject {
  readonly spec: {
    readonly approval: "Automatic" | "Manual";
    readonly approved: boolean;
    readonly clusterServiceVersionNames: readonly string[];
    readonly generation?: number;
  };
  readonly status?: InstallPlanStatus;
}

export const InstallPlan: Kind<InstallPlan, unknown, "Namespaced"> = {
  group: "operators.coreos.com",
  version: "v1alpha1",
  kind: "InstallPlan",
  plural: "installplans",
  scope: "Namespaced",
};
