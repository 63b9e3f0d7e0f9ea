/** The types of a cluster's custom resource. */
import type { Kind, StoredObject } from "@capstan/model";
import type { Condition, Resource } from "@capstan/schema";
import type { AccountRecord, AccountsSpec } from "../accounts/resource.ts";
import type { BackupForm } from "../backup/resource.ts";
import type { WindowSpec } from "../maintenance/windows.ts";
import type { SeedSource } from "../backup/seed.ts";

/** An amount of memory, processors or storage. */
export type Amount = string | number;

/**
 * The spec that every application has.
 *
 * @example
 * const isAsleep = ({ size }: ClusterSpec) => size === 0;
 */
export interface ClusterSpec extends Partial<AccountsSpec> {
  readonly size: number;
  readonly version: string;
  readonly image: string;
  readonly resources: {
    readonly requests?: { readonly [name: string]: Amount };
    readonly limits?: { readonly [name: string]: Amount };
  };
  readonly storage: {
    readonly size: Amount;
    readonly className?: string;
    readonly onDelete: "Retain" | "Delete";
    readonly growth?: { readonly at: number; readonly by: number; readonly maximum: Amount; readonly every: string };
  };
  readonly maintenance?: { readonly windows: readonly WindowSpec[] };
  readonly settings: { readonly [name: string]: string };
  readonly failover: {
    readonly mode: "Safe" | "Available" | "Manual";
    readonly after: string;
    readonly availableAfter: string;
  };
  readonly switchover?: { readonly to?: string; readonly request: string };
  readonly bootstrap?: { readonly from: SeedSource };
  readonly backup?: BackupForm & { readonly schedule: string };
  /** Undefined if the application has no TLS. */
  readonly tls?: TlsSpec;
  readonly paused: boolean;
}

/**
 * How connections are encrypted.
 *
 * @example
 * const isEncrypted = ({ mode }: TlsSpec) => mode !== "Off";
 */
export interface TlsSpec {
  readonly mode: "Managed" | "Provided" | "Off";
  readonly secret?: string;
  readonly validity: string;
  readonly authorityValidity: string;
  readonly overlap: string;
  readonly names: readonly string[];
  readonly rotation?: string;
}

/** A member in the status. */
export interface MemberEntry {
  readonly name: string;
  readonly state: "Joining" | "Joined" | "Leaving";
  readonly role?: "Primary" | "Replica" | "None";
  readonly health?: "Healthy" | "Starting" | "Unreachable" | "Failed";
  readonly version?: string;
  readonly syncedRun?: string;
  readonly settings?: string;
  readonly login?: string;
}

/**
 * The status: reports for people, and the record that decisions rely on.
 *
 * @example
 * const lossOf = ({ lastFailover }: ClusterStatus) => lastFailover?.mayBeLost;
 */
export interface ClusterStatus {
  readonly size?: number;
  readonly ready?: number;
  readonly selector?: string;
  readonly primary?: string;
  readonly version?: string;
  readonly lineage?: string;
  readonly created?: boolean;
  readonly epoch?: number;
  readonly nextSerial?: number;
  readonly acknowledgements?: number;
  readonly members?: readonly MemberEntry[];
  readonly failover?: {
    readonly from: string;
    readonly began: string;
    readonly why: string;
    readonly isolated?: boolean;
  };
  readonly lastFailover?: {
    readonly from: string;
    readonly to: string;
    readonly at: string;
    readonly mayBeLost?: string;
  };
  readonly switchover?: { readonly to: string; readonly began: string; readonly why: string };
  readonly restore?: {
    readonly uid: string;
    readonly name: string;
    readonly former: readonly MemberEntry[];
    readonly primary: string;
    readonly lineage: string;
  };
  readonly accounts?: AccountRecord;
  readonly volumes?: { readonly size: Amount; readonly grewAt: string; readonly why: string };
  readonly lastRestore?: { readonly uid: string; readonly name: string; readonly at: string };
  readonly handledRestore?: string;
  readonly handledRequest?: string;
  readonly failedSwitchover?: { readonly to: string; readonly generation: number; readonly why: string };
}

/** The conditions of every cluster. */
export type ClusterCondition = "Available" | "Progressing" | "Degraded" | "Durable" | "TLSReady" | "AccountsReady";

/**
 * A cluster object.
 *
 * @example
 * const primaryOf = ({ status }: ClusterObject) => status?.primary;
 */
export interface ClusterObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: StoredObject["metadata"];
  readonly spec: ClusterSpec;
  readonly status?: ClusterStatus & {
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition<ClusterCondition>[];
  };
}

/**
 * The kind of a cluster.
 *
 * @example
 * const crdOf = (kind: ClusterKind) => kind.toCrd();
 */
export type ClusterKind = Omit<Resource<unknown, unknown, ClusterCondition>, "~types"> & Kind<ClusterObject>;
