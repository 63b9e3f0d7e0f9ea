/**
 * The observation of a cluster whose application elects its leader and keeps its own list of members, and the actions on it: two closed
 * unions shared by observing, deciding and acting.
 */

/**
 * A version on the way to another one, or the release that is missing on the way.
 *
 * @example
 * const next: NextVersion = { go: "1.3.0" };
 */
export type NextVersion = { readonly go: string } | { readonly missing: string };

/**
 * What the decisions know of an application. All functions are pure.
 *
 * @example
 * const sentence = ({ name, kinds }: QuorumApplication) => `${name} is run by ${kinds.cluster}`;
 */
export interface QuorumApplication {
  /** Such as `etcd`, for messages. */
  readonly name: string;
  /** The kinds that a user creates, for messages. */
  readonly kinds: { readonly cluster: string; readonly restore: string; readonly operation: string };
  readonly versions: {
    /** Negative if the first is older. */
    readonly compare: (one: string, other: string) => number;
    /** The next version that all members can go to, of the known newest releases of each series. */
    readonly next: (from: string, to: string, newest: DesiredState["patches"]) => NextVersion;
    /** Whether members of this version cannot read data that a cluster of another version wrote. */
    readonly isTooOldFor: (version: string, clusterVersion: string) => boolean;
    /** Whether a version reads log entries that another one wrote; undefined: an unknown one. */
    readonly readsLogOf: (version: string, writer: string | undefined) => boolean;
  };
  /** What a user does if the data is larger than its new limit, for the message. */
  readonly quotaAdvice: string;
}

/**
 * How the process of a member starts.
 *
 * @example
 * const boot: Boot = "join";
 */
export type Boot =
  /** Bootstraps a new cluster of one member. Used only if no cluster ever existed. */
  | "seed"
  /** Like `seed`, after the data of a backup was restored into the volume. */
  | "seed-backup"
  /** Joins as the member that was just added. */
  | "join"
  /** Continues with its data, and fails without any: a member that lost its data must not vote. */
  | "live"
  /** Continues with its data as the only member whatever the others are: the other members are lost. */
  | "survive";

/**
 * A pod of a member, as observed.
 *
 * @example
 * const isDown = ({ isReady }: ObservedPod) => !isReady;
 */
export interface ObservedPod {
  readonly member: string;
  readonly uid: string;
  readonly boot: Boot;
  /** The pod has bootstrap flags in annotations, which can be cleared while it runs. */
  readonly hasBootstrapFlags: boolean;
  /**
   * Whether the member compares its data with the others before it serves, and fails to start on a difference. `fixed`: on, and cannot be
   * switched off, because an older operator created the pod.
   */
  readonly initialCheck: "on" | "off" | "fixed";
  /** Hash of the template that the pod was created from. The pod is recreated if another hash is desired. */
  readonly templateHash: string;
  readonly version: string;
  /** Number of entries between snapshots of the log, if it is set. */
  readonly snapshotCount?: number;
  readonly state: "pending" | "running" | "stopping" | "ended";
  /** Readiness by the kubelet, which needs a leader. It is true also if the operator cannot reach the member. */
  readonly isReady: boolean;
  /** Milliseconds since 1970, by the operator's clock: since when the pod is observed not ready. Now, if it is ready. */
  readonly since: number;
  /** The kubelet reports that the container does not run. */
  readonly isContainerDown: boolean;
  readonly restarts: number;
  /** Why the pod does not start, as the kubelet reports it. */
  readonly startFailure?: string;
  /** Why the backup that the pod should restore is unusable: an error of the backup, not of the connection. */
  readonly backupFailure?: string;
  /** The name of the backup that the pod restored. */
  readonly restoredBackup?: string;
  readonly node?: string;
  /** The node has not reported for a while. */
  readonly isNodeLost: boolean;
}

/**
 * A volume of a member, as observed.
 *
 * @example
 * const isFull = ({ requested, capacity }: ObservedVolume) => requested > capacity;
 */
export interface ObservedVolume {
  readonly member: string;
  readonly state: "pending" | "bound" | "lost" | "stopping";
  /** Requested bytes and actual bytes. */
  readonly requested: number;
  readonly capacity: number;
}

/**
 * The response of a member.
 *
 * @example
 * const isLearner = (status: MemberStatus) => status.is === "talking" && status.isLearner;
 */
export type MemberStatus =
  | {
      readonly is: "silent";
      readonly why: string;
      /** The member responds, but denies the operator access: authentication is on. */
      readonly isLockedOut?: true;
    }
  | {
      readonly is: "talking";
      readonly id: string;
      readonly clusterId: string;
      readonly version: string;
      readonly isLearner: boolean;
      readonly leader?: string;
      readonly revision: number;
      readonly raftIndex: number;
      readonly raftTerm: number;
      readonly applied: number;
      readonly dbBytes: number;
      readonly dbBytesInUse: number;
      readonly quota?: number;
      readonly isCorrupt: boolean;
      readonly isFull: boolean;
    };

/**
 * A member in the list of the application. Its name is known before the member starts.
 *
 * @example
 * const listed: ListedMember = { member: "db-0", id: "1", isStarted: true, isLearner: false };
 */
export interface ListedMember {
  readonly member: string;
  readonly id: string;
  readonly isStarted: boolean;
  readonly isLearner: boolean;
}

/**
 * The membership as the application reports it. `quorum`: a linearizable list succeeded, so there is a quorum now.
 *
 * @example
 * const unknown: Membership = { by: "memory", members: [] };
 */
export type Membership =
  | { readonly by: "quorum"; readonly clusterId: string; readonly members: readonly ListedMember[] }
  /** No member returned a linearizable list: this is the list in the status. */
  | { readonly by: "memory"; readonly members: readonly ListedMember[] };

/**
 * An update to another version, as recorded in the status.
 *
 * @example
 * const hasFailed = ({ failed }: RecordedUpdate) => failed !== undefined;
 */
export interface RecordedUpdate {
  readonly from: string;
  readonly to: string;
  readonly member?: string;
  readonly began: number;
  /** The index of the log that the members must reach before the first one is updated. */
  readonly floor?: number;
  /** The name of the safeguard snapshot. */
  readonly snapshot?: string;
  readonly failed?: string;
  readonly failedGeneration?: number;
}

/**
 * A recovery from quorum loss, as recorded in the status.
 *
 * @example
 * const done: RecordedRecovery = { phase: "Done" };
 */
export interface RecordedRecovery {
  readonly phase: "Stopping" | "Seeding" | "Rejoining" | "Returning" | "Done" | "Refused";
  readonly source?: "Member" | "Backup";
  readonly member?: string;
  /** The uid of the restore that requested it. */
  readonly restore?: string;
  /** The name of the backup that it restores. */
  readonly backup?: string;
  /** Newer backups that were skipped because no member could start with them. */
  readonly skipped?: readonly SkippedBackup[];
}

/**
 * A backup that no member could start with.
 *
 * @example
 * const skipped: SkippedBackup = { backup: "default/db/1", why: "it is truncated" };
 */
export interface SkippedBackup {
  readonly backup: string;
  readonly why: string;
}

/**
 * State that the operator recorded in the status and relies on.
 *
 * @example
 * const isBorn = ({ clusterId }: RecordedState) => clusterId !== undefined;
 */
export interface RecordedState {
  /** Set when the cluster was first observed running. From then on no member may bootstrap another cluster of its name. */
  readonly clusterId?: string;
  readonly clusterVersion?: string;
  readonly serial: number;
  /** The last version of each member's pod. */
  readonly versions: { readonly [member: string]: string };
  readonly update?: RecordedUpdate;
  readonly recovery?: RecordedRecovery;
  /** Why and when the API server rejected an expansion of volumes. */
  readonly growthRejected?: { readonly why: string; readonly at: number };
  /** The pod template that the API server rejected, why, and when. */
  readonly templateRejected?: { readonly print: string; readonly why: string; readonly at: number };
  /** The template with which members did not become ready, and why. */
  readonly templateFailed?: { readonly form: string; readonly why: string };
}

/**
 * The desired state from the spec, with defaults.
 *
 * @example
 * const isHibernated = ({ size }: DesiredState) => size === 0;
 */
export interface DesiredState {
  readonly size: number;
  readonly version: string;
  readonly generation: number;
  readonly isPaused: boolean;
  /** Size of each volume in bytes. */
  readonly volumeBytes: number;
  /** Size limit of a database in bytes. */
  readonly quota: number;
  /** The newest known release of each series, for intermediate updates. */
  readonly patches: { readonly [series: number]: string };
  /** Number of entries after which a member writes a snapshot of its log and truncates it. */
  readonly snapshotCount: number;
  readonly updateDeadline: number;
  readonly rollsBackUpdates: boolean;
  /** Whether the spec names a store for backups. */
  readonly hasStore: boolean;
  /** Whether a backup is made before an update. `storeless`: one is requested, but the spec has no store. */
  readonly safeguard: "backup" | "storeless" | "unwanted";
  readonly recoversQuorum: boolean;
  readonly recoversFromBackup: boolean;
  readonly replaceAfter: number;
  readonly bootstrapsFromBackup: boolean;
  /** Members that an operation asks to replace. */
  readonly replace: readonly string[];
  /** Members that may be replaced although data cannot be compared: the user confirmed that the others have the right data. */
  readonly overridden?: readonly string[];
  /** Digest of the parts of the spec that determine pods. */
  readonly templateDigest: string;
  /** The template hash that a member's pod must have with a version. */
  readonly templateHashFor: (version: string) => string;
}

/**
 * The newest pod template with which all members were healthy, if known.
 *
 * @example
 * const hashOf = ({ templateHashFor }: LastGoodTemplate) => templateHashFor("1.3.0");
 */
export type LastGoodTemplate = Pick<DesiredState, "templateDigest" | "templateHashFor">;

/**
 * The state of a safeguard snapshot.
 *
 * @example
 * const made: SnapshotState = { is: "made", backup: "default/db/1" };
 */
export type SnapshotState =
  | { readonly is: "making" }
  /** The backup is retried automatically. */
  | { readonly is: "failing"; readonly why: string }
  | { readonly is: "made"; readonly backup: string };

/**
 * Everything that a decision may depend on.
 *
 * @example
 * const podCount = ({ pods }: QuorumObservation) => pods.length;
 */
export interface Observation {
  readonly application: QuorumApplication;
  readonly name: string;
  readonly now: number;
  readonly desired: DesiredState;
  readonly recordedState: RecordedState;
  readonly pods: readonly ObservedPod[];
  readonly volumes: readonly ObservedVolume[];
  readonly memberStatuses: { readonly [member: string]: MemberStatus };
  readonly membership: Membership;
  /** Why the reported member list was rejected as impossible. */
  readonly rejectedMemberList?: string;
  /** Objects with names of this cluster that have another owner. */
  readonly foreign: readonly string[];
  /**
   * Members that run with certificates of another authority than the spec asks for now. Members of the two authorities do not trust each
   * other.
   */
  readonly otherAuthority: readonly string[];
  /** Objects that pods need and that do not exist: certificates, Secrets named in the spec. */
  readonly missing: readonly string[];
  /** Members with hashes that differ from the majority at the same revision. */
  readonly differing: readonly string[];
  /** With quorum: why data has to be compared before a member is added or removed, which members could not be compared, and since when. */
  readonly uncompared?: {
    readonly reasons: readonly string[];
    readonly members: readonly string[];
    /** The members among them that returned a hash of another version or compaction. */
    readonly unlike?: readonly string[];
    readonly since: number;
  };
  /** Without quorum: responding members with data that could not be compared with the others. */
  readonly withoutHash?: readonly string[];
  /** Since when they could not be compared. */
  readonly withoutHashSince?: number;
  /** When the update reached its present member, by a monotonic clock. */
  readonly updatingSince?: number;
  /** Corruption alarms of members that no longer exist. They stop all members until they are disarmed. */
  readonly staleAlarms: readonly string[];
  /** The last good template, if recorded. */
  readonly lastGood?: LastGoodTemplate;
  /** A restore with the confirmation `overwrite`: replaces all data by a backup. */
  readonly restore?: { readonly uid: string; readonly name: string };
  /** The restore that requested the last recovery was deleted. */
  readonly isRestoreDeleted: boolean;
  /** Safeguard snapshots and backups of lone learners, by the name in `take-snapshot`. */
  readonly snapshots: { readonly [name: string]: SnapshotState };
  /** The newest backup that can be restored, without those that the present recovery has tried. */
  readonly newestBackup?: string;
  /**
   * Its revision, if the backup is of this cluster and newer than its last single-member recovery. Revisions of other backups cannot be
   * compared with those of members.
   */
  readonly newestRevision?: number;
  /** The backup presumably contains everything that a member with a lower revision has: no later backup has a lower revision. */
  readonly isNewestComplete?: boolean;
  /** Number of backups of an earlier cluster with the same name. They are not used automatically. */
  readonly backupsOfEarlierCluster?: number;
}

/**
 * One step of the operator.
 *
 * @example
 * const rest: QuorumAction = { do: "rest" };
 */
export type Action =
  /** The cluster is as desired. */
  | { readonly do: "rest" }
  /** Nothing can be done now; requeue soon. */
  | { readonly do: "wait"; readonly for: string }
  /** Nothing can be done until the user changes something. */
  | { readonly do: "refuse"; readonly reason: RefusalReason; readonly why: string }
  | { readonly do: "create-volume"; readonly member: string }
  /** Creates the pod of a member; with the last good template if the desired one was rejected or has failed. */
  | {
      readonly do: "create-pod";
      readonly member: string;
      readonly boot: Boot;
      readonly version: string;
      readonly form?: "last good";
    }
  /** Deletes the pod of a member. A later step recreates it or removes the member. */
  | {
      readonly do: "delete-pod";
      readonly member: string;
      readonly why: string;
      /**
       * The member serves, and its pod will be recreated with this version. The pod is deleted only if the API server accepts the new
       * one.
       */
      readonly next?: string;
    }
  /** Clears the bootstrap flags of a member: from now on it continues with its data, or fails. */
  | { readonly do: "wean"; readonly member: string }
  /** Lets a member start although its data may differ from the others. Its hash is needed to find the majority. */
  | { readonly do: "excuse"; readonly member: string; readonly why: string }
  | { readonly do: "delete-volume"; readonly member: string; readonly why: string }
  | { readonly do: "grow-volume"; readonly member: string }
  | { readonly do: "add-learner"; readonly member: string }
  | { readonly do: "promote"; readonly member: string; readonly id: string }
  | { readonly do: "move-leader"; readonly from: string; readonly to: string; readonly why: string }
  | { readonly do: "remove-member"; readonly member: string; readonly id: string; readonly why: string }
  /** Writes entries until the members have truncated log entries that the next version cannot read. */
  | { readonly do: "advance-log"; readonly upTo: number }
  /** Disarms the alarm of a member that no longer exists. */
  | { readonly do: "disarm"; readonly id: string }
  /** Creates a backup, with the purpose as a label and as a sentence. */
  | {
      readonly do: "take-snapshot";
      readonly name: string;
      readonly reason: "SnapshotBeforeUpdate" | "LearnerSaved";
      readonly label: string;
      readonly why: string;
    }
  /** Records that an update begins, which member is next, that it is complete, or that it failed. */
  | { readonly do: "note-update"; readonly update: RecordedUpdate | undefined; readonly note: string }
  /** Records that a member did not become ready with the template of the spec. All members continue with the last good template. */
  | { readonly do: "note-form"; readonly why: string }
  /** Records the phase of a recovery. */
  | { readonly do: "note-recovery"; readonly recovery: NewRecovery };

/**
 * Why the operator does not act.
 *
 * @example
 * const isLost = (reason: RefusalReason) => reason === "QuorumLost";
 */
export type RefusalReason =
  | "Paused"
  | "NameTaken"
  | "NameInvalid"
  | "TrustRefused"
  | "QuorumLost"
  | "DataDiffers"
  | "DataUncompared"
  | "VolumesLeaving"
  | "DowngradeRefused"
  | "QuotaTooSmall"
  | "VersionUnknown";

/**
 * A recovery to record in the status.
 *
 * @example
 * const reasonOf = ({ reason }: NewRecovery) => reason;
 */
export interface NewRecovery extends RecordedRecovery {
  readonly revision?: number;
  readonly mayBeLost?: string;
  readonly reason: string;
}

/** The decision: a pure, total function that returns one step. */
export type Decide = (seen: Observation) => Action;
