/** Errors of calls to an etcd member, with codes. */

/** Why a call to etcd failed. */
export type EtcdErrorCode =
  /** No response: connection refused or reset, no route, TLS error, or the member is stopping. */
  | "Unreachable"
  /** The deadline of the call passed. */
  | "Deadline"
  /** The caller aborted. */
  | "Aborted"
  /** The member has no leader, lost it during the call, or the cluster has no quorum: retry later. */
  | "NoLeader"
  /** Only the leader accepts this call. */
  | "NotLeader"
  /** A learner does not accept this call. */
  | "IsLearner"
  /** The learner is too far behind to be promoted: retry later. */
  | "LearnerNotReady"
  /** The cluster has a learner already. */
  | "TooManyLearners"
  /** The member is a voter already. */
  | "NotLearner"
  | "MemberNotFound"
  /** A member with that id or peer URL exists. */
  | "MemberExists"
  /** etcd rejects the change because too few members are started or connected. */
  | "Unhealthy"
  /** The quota is exceeded: only reads and deletes work until the alarm is disarmed. */
  | "NoSpace"
  /** The corruption alarm is raised. */
  | "Corrupt"
  | "Compacted"
  | "FutureRevision"
  | "LeaseNotFound"
  | "Busy"
  | "Unauthenticated"
  | "Denied"
  | "UserNotFound"
  | "RoleNotFound"
  | "AlreadyExists"
  /** Authentication cannot be enabled: a user root with the role root does not exist. */
  | "NoRoot"
  /** Authentication is off, so there is no login. */
  | "AuthDisabled"
  | "Invalid"
  /** This version of etcd does not support the call. */
  | "Unsupported"
  /** The response violates the protocol. */
  | "Malformed"
  | "Other";

export interface EtcdErrorOptions extends ErrorOptions {
  readonly endpoint: string;
  /** Whether the call may have taken effect. */
  readonly maybeDone: boolean;
}

/** A failed call to etcd. The message says what failed, why, and what to do. */
export class EtcdError extends Error {
  override readonly name = "EtcdError";
  readonly code: EtcdErrorCode;
  /** The endpoint of the member. */
  readonly endpoint: string;
  /** True if the call may have taken effect although no response arrived: a history must treat it as open. */
  readonly maybeDone: boolean;

  constructor(code: EtcdErrorCode, message: string, options: EtcdErrorOptions) {
    super(message, options);
    this.code = code;
    this.endpoint = options.endpoint;
    this.maybeDone = options.maybeDone;
  }
}

/**
 * The error passes by itself: a member is away, starts, or catches up, or another writer was first. All other errors stay until something
 * changes.
 */
export function isPassing({ code }: EtcdError): boolean {
  return PASSING.has(code);
}

const PASSING: ReadonlySet<EtcdErrorCode> = new Set([
  "Unreachable",
  "Deadline",
  "Aborted",
  "NoLeader",
  "NotLeader",
  "IsLearner",
  "LearnerNotReady",
  "TooManyLearners",
  "NotLearner",
  "MemberNotFound",
  "MemberExists",
  "Unhealthy",
  "Compacted",
  "FutureRevision",
  "LeaseNotFound",
  "Busy",
]);
