/** What is seen of a cluster, and what can be done about it: the two closed vocabularies between observe, decide and act. */

/** How a member's process begins. */
export type Boot =
  /** Makes a new cluster of one. Only ever used when there has been no cluster. */
  | "seed"
  /** As seed, with the data of a backup put into the volume before. */
  | "seed-backup"
  /** Joins as the member that was just added. */
  | "join"
  /** Goes on with the data that it has, and fails when there is none: a member that lost its memory must not vote. */
  | "live"
  /** Goes on alone with the data that it has: the others are gone for good. */
  | "survive";

/** A pod of ours, as the cluster tells it. */
export interface ObservedPod {
  readonly member: string;
  readonly uid: string;
  readonly boot: Boot;
  /** It was told how to begin with nothing, in a way that can be taken back while it runs. */
  readonly hasBootstrapFlags: boolean;
  /**
   * Whether it compares its data with that of the others before it serves, and does not start where anybody differs: `fixed`, if it does
   * and cannot be told otherwise, having been made by an operator of before.
   */
  readonly initialCheck: "on" | "off" | "fixed";
  /** The fingerprint of what it was made from; another fingerprint is wanted: it has to be made anew. */
  readonly templateHash: string;
  readonly version: string;
  /** After so many entries it writes its state down, if its flags say so. */
  readonly snapshotCount?: number;
  readonly state: "pending" | "running" | "stopping" | "ended";
  /** The kubelet says that it serves, which needs a leader: true also when the operator itself is cut off. */
  readonly isReady: boolean;
  /** Milliseconds since 1970, by the operator's own clock: since when the operator sees that it is not ready; now, if it is. */
  readonly since: number;
  /** The kubelet says that its container does not run now. */
  readonly isContainerDown: boolean;
  readonly restarts: number;
  /** Why it does not start, in the kubelet's words. */
  readonly startFailure?: string;
  /** What is wrong with the backup that it is to begin with: the backup itself, not the way to it. */
  readonly backupFailure?: string;
  /** The backup that it has begun with, by its name in the store. */
  readonly restoredBackup?: string;
  readonly node?: string;
  /** Nobody has heard of its node for a while. */
  readonly isNodeLost: boolean;
}

/** A volume of ours. */
export interface ObservedVolume {
  readonly member: string;
  readonly state: "pending" | "bound" | "lost" | "stopping";
  /** Bytes that were asked for, bytes that it has. */
  readonly requested: number;
  readonly capacity: number;
}

/** What a member itself answered. */
export type MemberStatus =
  | {
      readonly is: "silent";
      readonly why: string;
      /** It was heard, and says that the operator is nobody to it: authentication is on. */
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

/** A member as etcd lists it; its name comes from its peer address, which it has before it starts. */
export interface ListedMember {
  readonly member: string;
  readonly id: string;
  readonly isStarted: boolean;
  readonly isLearner: boolean;
}

/** What etcd says about itself. `quorum`: a linearizable list was answered, so there is a quorum right now. */
export type Membership =
  | { readonly by: "quorum"; readonly clusterId: string; readonly members: readonly ListedMember[] }
  /** Nobody could answer for all: this is what the status remembers. */
  | { readonly by: "memory"; readonly members: readonly ListedMember[] };

/** An update of members to another version, as the status remembers it. */
export interface RecordedUpdate {
  readonly from: string;
  readonly to: string;
  readonly member?: string;
  readonly began: number;
  /** How far the members' log must have come before the first may be updated. */
  readonly floor?: number;
  /** The backup that was made before it, by its name in the store. */
  readonly snapshot?: string;
  readonly failed?: string;
  readonly failedGeneration?: number;
}

/** A recovery from a lost quorum, as the status remembers it. */
export interface RecordedRecovery {
  readonly phase: "Stopping" | "Seeding" | "Rejoining" | "Returning" | "Done" | "Refused";
  readonly source?: "Member" | "Backup";
  readonly member?: string;
  /** The uid of the EtcdRestore that asked for it. */
  readonly restore?: string;
  /** The backup that it keeps to, by its name in the store. */
  readonly backup?: string;
  /** Newer backups that were given up because nobody could begin with them. */
  readonly skipped?: readonly SkippedBackup[];
}

/** A backup that nobody could begin with. */
export interface SkippedBackup {
  readonly backup: string;
  readonly why: string;
}

/** What the operator wrote down earlier and relies on. */
export interface RecordedState {
  /** Set when the cluster has been seen alive: from then on nobody may seed another of its name. */
  readonly clusterId?: string;
  readonly clusterVersion?: string;
  readonly serial: number;
  /** The version that each member's pod had last. */
  readonly versions: { readonly [member: string]: string };
  readonly update?: RecordedUpdate;
  readonly recovery?: RecordedRecovery;
  /** Volumes were to grow and the cluster did not let them: why, and when that was. */
  readonly growthRejected?: { readonly why: string; readonly at: number };
  /** A pod as the spec has it was to be made and the API server did not let it be: which, why, and when that was. */
  readonly templateRejected?: { readonly print: string; readonly why: string; readonly at: number };
  /** Members did not come back in the form that the spec had then: which, and who it was. */
  readonly templateFailed?: { readonly form: string; readonly why: string };
}

/** What the spec asks for, resolved. */
export interface DesiredState {
  readonly size: number;
  readonly version: string;
  readonly generation: number;
  readonly isPaused: boolean;
  /** Bytes of each volume. */
  readonly volumeBytes: number;
  /** Bytes that a database may have. */
  readonly quota: number;
  /** The newest patch of each minor version that is known, for steps in between. */
  readonly patches: { readonly [minor: number]: string };
  /** After so many entries a member writes its state down and forgets the log before. */
  readonly snapshotCount: number;
  readonly updateDeadline: number;
  readonly rollsBackUpdates: boolean;
  /** Whether the spec says where backups go. */
  readonly hasStore: boolean;
  /** Whether a backup is made before an update: `storeless` when one is wanted and there is nowhere to put it. */
  readonly safeguard: "backup" | "storeless" | "unwanted";
  readonly recoversQuorum: boolean;
  readonly recoversFromBackup: boolean;
  readonly replaceAfter: number;
  readonly bootstrapsFromBackup: boolean;
  /** Members that an operation asks to replace. */
  readonly replace: readonly string[];
  /** Those of them that may go although data cannot be compared: somebody has said that the others have what is right. */
  readonly overridden?: readonly string[];
  /** The parts of the spec that decide what pods look like, as one word. */
  readonly templateDigest: string;
  /** The fingerprint that a member's pod must have with a version. */
  readonly templateHashFor: (version: string) => string;
}

/** The form in which all members were well, as far as it is known. */
export type LastGoodTemplate = Pick<DesiredState, "templateDigest" | "templateHashFor">;

/** How far a backup is that is made before an update. */
export type SnapshotState =
  | { readonly is: "making" }
  /** It is tried again by itself. */
  | { readonly is: "failing"; readonly why: string }
  | { readonly is: "made"; readonly backup: string };

/** Everything that a decision may depend on. */
export interface Observation {
  readonly name: string;
  readonly now: number;
  readonly desired: DesiredState;
  readonly recordedState: RecordedState;
  readonly pods: readonly ObservedPod[];
  readonly volumes: readonly ObservedVolume[];
  readonly memberStatuses: { readonly [member: string]: MemberStatus };
  readonly membership: Membership;
  /** Somebody told a list of members in the cluster's name that cannot be true: why. */
  readonly rejectedMemberList?: string;
  /** Objects with our names that belong to somebody else. */
  readonly foreign: readonly string[];
  /** Members whose certificates come from elsewhere than the spec says now: those of the one authority do not know the other. */
  readonly otherAuthority: readonly string[];
  /** What must exist before pods can, and does not: certificates, Secrets that the spec names. */
  readonly missing: readonly string[];
  /** Hashes of all members were compared at the same revision: who differs from the majority. */
  readonly differing: readonly string[];
  /** With quorum: why data has to be compared before anybody is given up or let in, who could not be, and since when. */
  readonly uncompared?: {
    readonly reasons: readonly string[];
    readonly members: readonly string[];
    /** Those of them that gave a hash, of another version or compaction than others. */
    readonly unlike?: readonly string[];
    readonly since: number;
  };
  /** Without quorum: members that answer and whose data could not be compared with that of the others. */
  readonly withoutHash?: readonly string[];
  /** Since when it has been so. */
  readonly withoutHashSince?: number;
  /** Since when the update under way has been where it is, by clocks that only run. */
  readonly updatingSince?: number;
  /** Corruption alarms of members that are gone: they stop everybody until they are disarmed. */
  readonly staleAlarms: readonly string[];
  /** The form in which all members were well, if it is written down. */
  readonly lastGood?: LastGoodTemplate;
  /** Somebody asked, with the confirmation that it takes, to put a backup in the place of all data. */
  readonly restore?: { readonly uid: string; readonly name: string };
  /** The EtcdRestore that asked for the last recovery is gone. */
  readonly isRestoreDeleted: boolean;
  /** Backups that were asked for before updates and of learners that are left alone, by the name that `take-snapshot` gave them. */
  readonly snapshots: { readonly [name: string]: SnapshotState };
  /** The name of the newest backup that could be restored, other than those that a recovery under way has tried. */
  readonly newestBackup?: string;
  /** Its revision, if it is one of this very cluster since a member last went on alone: others cannot be compared with what members have. */
  readonly newestRevision?: number;
  /** Nothing speaks against its holding all that a member with a lower revision has: no backup that was made later has less. */
  readonly isNewestComplete?: boolean;
  /** How many backups there are of an earlier cluster that had the same name: they are nobody's loss here. */
  readonly backupsOfEarlierCluster?: number;
}

/** What can be done: one step. */
export type Action =
  /** All is as it should be. */
  | { readonly do: "rest" }
  /** Nothing can be done now; look again soon. */
  | { readonly do: "wait"; readonly for: string }
  /** Nothing can be done until somebody changes something. */
  | { readonly do: "refuse"; readonly reason: RefusalReason; readonly why: string }
  /** Makes the volume of a member. */
  | { readonly do: "create-volume"; readonly member: string }
  /** Makes the pod of a member; in the form that all had when all was well, where the one that is wanted is refused or has failed. */
  | {
      readonly do: "create-pod";
      readonly member: string;
      readonly boot: Boot;
      readonly version: string;
      readonly form?: "last good";
    }
  /** Ends the pod of a member, which is made anew later or not at all. */
  | {
      readonly do: "delete-pod";
      readonly member: string;
      readonly why: string;
      /** It serves, and is made anew with this version: only if the API server would take the new one. */
      readonly next?: string;
    }
  /** Takes back what a member was told for its beginning: from now on it goes on with its data, or fails. */
  | { readonly do: "wean"; readonly member: string }
  /** Lets a member start although its data may differ from that of others: to know who is right, it has to be heard. */
  | { readonly do: "excuse"; readonly member: string; readonly why: string }
  | { readonly do: "delete-volume"; readonly member: string; readonly why: string }
  | { readonly do: "grow-volume"; readonly member: string }
  | { readonly do: "add-learner"; readonly member: string }
  | { readonly do: "promote"; readonly member: string; readonly id: string }
  | { readonly do: "move-leader"; readonly from: string; readonly to: string; readonly why: string }
  | { readonly do: "remove-member"; readonly member: string; readonly id: string; readonly why: string }
  /** Lets the members' log grow until they have forgotten what the next version cannot read. */
  | { readonly do: "advance-log"; readonly upTo: number }
  /** Puts an end to the alarm of a member that is gone. */
  | { readonly do: "disarm"; readonly id: string }
  /** Asks for a backup: for what, in one word and in a sentence. */
  | {
      readonly do: "take-snapshot";
      readonly name: string;
      readonly reason: "SnapshotBeforeUpdate" | "LearnerSaved";
      readonly label: string;
      readonly why: string;
    }
  /** Notes that members are to be updated, whose turn it is, that it is over, or that it failed. */
  | { readonly do: "note-update"; readonly update: RecordedUpdate | undefined; readonly note: string }
  /** Notes that a member did not come back in the form that the spec has: all go on in the last good one. */
  | { readonly do: "note-form"; readonly why: string }
  /** Notes how far a recovery is. */
  | { readonly do: "note-recovery"; readonly recovery: NewRecovery };

/** Why the operator does not act. */
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

/** A recovery to be written down. */
export interface NewRecovery extends RecordedRecovery {
  readonly revision?: number;
  readonly mayBeLost?: string;
  readonly reason: string;
}

/** The heart of the operator: pure, total, one step. */
export type Decide = (seen: Observation) => Action;
