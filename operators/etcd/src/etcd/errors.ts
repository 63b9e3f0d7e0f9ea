/** What can go wrong between us and an etcd member, with codes to tell one from the other. */

/** Why a call to etcd failed. */
export type EtcdErrorCode =
  /** Nobody answered: refused, reset, no route, TLS trouble, or the member is stopping. */
  | "Unreachable"
  /** The deadline of the call passed. */
  | "Deadline"
  /** The caller gave up. */
  | "Aborted"
  /** The member has no leader, lost it during the call, or the cluster has no quorum: try again later. */
  | "NoLeader"
  /** Only the leader may be asked this. */
  | "NotLeader"
  /** A learner cannot answer this. */
  | "IsLearner"
  /** The learner is too far behind to be promoted: try again later. */
  | "LearnerNotReady"
  /** There is a learner already. */
  | "TooManyLearners"
  /** The member is a voter already. */
  | "NotLearner"
  | "MemberNotFound"
  /** A member with that id or that peer address exists. */
  | "MemberExists"
  /** etcd refuses the change because too few members are started or connected. */
  | "Unhealthy"
  /** The quota is used up: only reads and deletes work until the alarm is disarmed. */
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
  /** Authentication cannot be switched on: there is no user root with the role root. */
  | "NoRoot"
  /** Authentication is off, so there is nothing to log in to. */
  | "AuthDisabled"
  | "Invalid"
  /** This version of etcd does not know the call. */
  | "Unsupported"
  /** The answer was not what the protocol says. */
  | "Malformed"
  | "Other";

/** What an error needs to say beside its message. */
export interface EtcdErrorOptions extends ErrorOptions {
  readonly endpoint: string;
  /** Whether the call may have taken effect all the same. */
  readonly maybeDone: boolean;
}

/** A call to etcd that did not succeed. The message says what, why, and what to do. */
export class EtcdError extends Error {
  override readonly name = "EtcdError";
  readonly code: EtcdErrorCode;
  /** The member that was asked. */
  readonly endpoint: string;
  /** True when the call may have taken effect although no answer came: whoever keeps a history must treat it as open. */
  readonly maybeDone: boolean;

  constructor(code: EtcdErrorCode, message: string, options: EtcdErrorOptions) {
    super(message, options);
    this.code = code;
    this.endpoint = options.endpoint;
    this.maybeDone = options.maybeDone;
  }
}

/** Over by itself: somebody is away, starts, catches up, or was quicker. Everything else stays until somebody changes something. */
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
