/** The Lease for the leader election of an operator. */
import type { StoredObject } from "@capstan/model";
import type { AnyKind } from "../api.ts";

/** The kind Lease. */
export const Lease: AnyKind = {
  group: "coordination.k8s.io",
  version: "v1",
  kind: "Lease",
  plural: "leases",
  scope: "Namespaced",
};

export interface LeaseSpec {
  readonly holderIdentity?: string | null;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

/** A Lease as stored. */
export interface LeaseObject extends StoredObject {
  readonly spec?: LeaseSpec;
}

/** A time in the format MicroTime: RFC 3339 with microseconds. */
export function microTime(wall: number): string {
  return new Date(wall).toISOString().replace("Z", "000Z");
}
