/** ClusterExtensionRevision: the objects of one version of a ClusterExtension, in the phases of their roll-out. */
import type { Condition, Kind, StoredObject } from "@capstan/model";
import type { CollisionProtection } from "../extension/collision.ts";
import type { Assertion } from "../extension/probes.ts";
import type { Manifest } from "../csv/permissions.ts";
import type { LabelSelector } from "./cluster-extension.ts";

/** Where an object is kept that is not in the revision itself. */
export interface ObjectReference {
  readonly name: string;
  readonly namespace: string;
  readonly key: string;
}

/** An object of a phase. */
export interface RevisionObject {
  readonly object?: Manifest;
  readonly ref?: ObjectReference;
  readonly collisionProtection?: CollisionProtection;
}

/** Objects that are applied together. */
export interface RevisionPhase {
  readonly name: string;
  readonly objects: readonly RevisionObject[];
  readonly collisionProtection?: CollisionProtection;
}

/** What the selected objects have to show before the next phase starts. */
export interface ProgressionProbe {
  readonly selector:
    | { readonly type: "GroupKind"; readonly groupKind: { readonly group: string; readonly kind: string } }
    | { readonly type: "Label"; readonly label: LabelSelector };
  readonly assertions: readonly Assertion[];
}

export interface RevisionSpec {
  readonly lifecycleState: "Active" | "Archived";
  readonly revision: number;
  readonly phases?: readonly RevisionPhase[];
  readonly progressDeadlineMinutes?: number;
  readonly progressionProbes?: readonly ProgressionProbe[];
  readonly collisionProtection: CollisionProtection;
}

export interface RevisionStatus {
  readonly conditions?: readonly Condition[];
  readonly observedPhases?: readonly { readonly name: string; readonly digest: string }[];
}

/** A ClusterExtensionRevision as the server returns it. */
export interface ClusterExtensionRevision extends StoredObject {
  readonly spec: RevisionSpec;
  readonly status?: RevisionStatus;
}

export const ClusterExtensionRevision: Kind<ClusterExtensionRevision, unknown, "Cluster"> = {
  group: "olm.operatorframework.io",
  version: "v1",
  kind: "ClusterExtensionRevision",
  plural: "clusterextensionrevisions",
  scope: "Cluster",
};
