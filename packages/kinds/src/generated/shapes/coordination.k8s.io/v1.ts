import type { KubeList, ObjectMeta, StoredMeta } from "@capstan/model";

export interface Lease {
  readonly apiVersion: "coordination.k8s.io/v1";
  readonly kind: "Lease";
  readonly metadata: StoredMeta;
  readonly spec?: LeaseSpec;
}

export interface LeaseApply {
  readonly apiVersion?: "coordination.k8s.io/v1";
  readonly kind?: "Lease";
  readonly metadata?: ObjectMeta;
  readonly spec?: LeaseSpecApply;
}

export type LeaseList = KubeList<Lease>;

export interface LeaseSpec {
  readonly acquireTime?: string;
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly leaseTransitions?: number;
  readonly preferredHolder?: string;
  readonly renewTime?: string;
  readonly strategy?: string;
}

export interface LeaseSpecApply {
  readonly acquireTime?: string;
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly leaseTransitions?: number;
  readonly preferredHolder?: string;
  readonly renewTime?: string;
  readonly strategy?: string;
}
