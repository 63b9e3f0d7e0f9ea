/** What a decision may depend on: the spec, the record in the status, pods, volumes and reports of members. */
import type { Comparison, MemberReport } from "../application.ts";
import type { Maintenance } from "../maintenance/windows.ts";

/** How a pod gets its data. `run`: it has data, and fails without. */
export type Boot = "create" | "clone" | "run";

/** The role that the server has when its container starts. */
export type StartRole = "primary" | "replica";

/** A member in the record. */
export interface RecordedMember {
  readonly name: string;
  /** `Joining`: its replication was never started, so it acknowledged nothing. `Leaving`: may still be the only holder of a write. */
  readonly state: "Joining" | "Joined" | "Leaving";
  /** The run of its server in which it was seen to have all that the primary of this epoch had. */
  readonly syncedRun?: string | undefined;
  /** The live settings that it got, and the run of its server in which it got them. */
  readonly settings?: string | undefined;
  /** The password with which it replicates, while the previous one is still accepted. */
  readonly login?: string | undefined;
}

/** What the status records. Decisions rely on it. */
export interface RecordedState {
  /** The identity of the data, written before the first member exists. */
  readonly lineage?: string | undefined;
  /** The first member was seen with data: from then on no member creates empty data. */
  readonly isCreated: boolean;
  /** Grows with each change of the primary. */
  readonly epoch: number;
  readonly primary?: string | undefined;
  readonly nextSerial: number;
  /** Acknowledgements that the primary is known to wait for since all members were last seen in sync. */
  readonly acknowledgements: number;
  readonly members: readonly RecordedMember[];
  /** `began` is in milliseconds since 1970. */
  readonly failover?:
    | {
        readonly from: string;
        readonly began: number;
        readonly why: string;
        /** The old primary responds, but no follower reaches it. */
        readonly isIsolated?: boolean | undefined;
      }
    | undefined;
  readonly switchover?: { readonly to: string; readonly began: number; readonly why: string } | undefined;
  /** A restore in place that is under way, and what was before it. */
  readonly restore?:
    | {
        readonly uid: string;
        readonly name: string;
        readonly former: readonly RecordedMember[];
        readonly primary: string;
        readonly lineage: string;
      }
    | undefined;
  /** How large volumes became by themselves, and when, in milliseconds since 1970. */
  readonly volumes?: { readonly bytes: number; readonly grewAt: number } | undefined;
  /** The restore that was finished or taken back last. */
  readonly handledRestore?: string | undefined;
  /** The request for a switchover that was handled last. */
  readonly handledRequest?: string | undefined;
  /** A target of a switchover that failed, until the spec changes. */
  readonly failedSwitchover?: { readonly to: string; readonly generation: number; readonly why: string } | undefined;
}

/** How volumes grow by themselves. */
export interface Growth {
  /** Percent in use from which a volume grows. */
  readonly threshold: number;
  /** Percent by which it grows. */
  readonly percent: number;
  readonly maximumBytes: number;
  /** Milliseconds between two growths. */
  readonly everyMs: number;
}

/** The spec, with defaults. */
export interface DesiredState {
  readonly generation: number;
  readonly isPaused: boolean;
  readonly size: number;
  readonly version: string;
  readonly failoverMode: "Safe" | "Available" | "Manual";
  /** Milliseconds without a response after which the primary counts as lost. */
  readonly failoverAfter: number;
  /** Milliseconds after which mode `Available` promotes with a possible loss. */
  readonly availableAfter: number;
  /** A request by the user: the member, and a value that makes repeated requests different. */
  readonly switchover?: { readonly to?: string | undefined; readonly request: string } | undefined;
  readonly volumeBytes: number;
  /** Undefined: volumes grow only with the spec. */
  readonly growth?: Growth | undefined;
  /** When members may be restarted for an update. */
  readonly maintenance: Maintenance;
  /** What the spec asks for and cannot have, each as a sentence. Members run without it. */
  readonly refused: readonly string[];
  /** Identifies the values of the settings that are changed while a member runs; undefined if there are none. */
  readonly liveSettings?: string | undefined;
  /** Identifies the source of the first data; undefined: a new cluster is empty. */
  readonly seed?: string | undefined;
  /** Identifies the present password of replicas while the one before is still accepted. */
  readonly replicationLogin?: string | undefined;
  /** Hash of all that needs a new pod. */
  readonly templateHash: string;
}

/** A pod of a member. */
export interface ObservedPod {
  readonly member: string;
  readonly uid: string;
  /** Identifies one run of the server's container. */
  readonly run?: string | undefined;
  readonly state: "pending" | "running" | "stopping" | "ended";
  readonly isReady: boolean;
  readonly boot: Boot;
  readonly startRole: StartRole;
  /** The label by which Services find it. */
  readonly serves: "primary" | "replica" | "none";
  readonly templateHash: string;
  /** The source of the first data that it loads. */
  readonly seed?: string | undefined;
  /** Why the pod does not start. */
  readonly failure?: string | undefined;
  /** The volume of a member that must have data is empty. */
  readonly hasNoData: boolean;
  readonly isNodeLost: boolean;
}

/** A volume of a member. */
export interface ObservedVolume {
  readonly member: string;
  readonly state: "pending" | "bound" | "lost" | "stopping";
  readonly requested: number;
  /** What the storage system gave. */
  readonly capacity: number;
}

/** The response of a member; `forMs`: how long it has been silent, by a monotonic clock of this process. */
export type MemberStatus<P> =
  | { readonly is: "silent"; readonly why: string; readonly forMs: number }
  | { readonly is: "responding"; readonly report: MemberReport<P> };

/** Everything that a decision depends on. */
export interface Observation<P> {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly desired: DesiredState;
  readonly recorded: RecordedState;
  readonly pods: readonly ObservedPod[];
  readonly volumes: readonly ObservedVolume[];
  readonly statuses: { readonly [member: string]: MemberStatus<P> };
  /** How long the primary has responded while no follower received from it, by a monotonic clock of this process. */
  readonly isolatedForMs: number;
  /** A restore in place whose backup was verified. */
  readonly restoreRequest?: { readonly uid: string; readonly name: string } | undefined;
  /** Why a volume could not grow just now. */
  readonly growthRefused?: string | undefined;
  /** Whether accounts differ from the record, or are to be compared with the server again. */
  readonly accountsDue?: "change" | "check" | undefined;
  /** Objects with names of this cluster that belong to another owner. */
  readonly foreign: readonly string[];
  /** Objects that pods need and that do not exist. */
  readonly missing: readonly string[];
}

/** What the topology says about positions and acknowledgements. */
export interface Rules<P> {
  readonly compare: (one: P, other: P) => Comparison;
  readonly acknowledgements: (size: number) => number;
}
