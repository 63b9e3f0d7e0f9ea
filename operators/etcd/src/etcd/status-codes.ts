/** Maps gRPC status and etcd's message to error codes. etcd distinguishes many errors only by their text. */
import type { EtcdErrorCode } from "./errors.ts";

/** The error code, and whether the call may have taken effect. */
export interface Verdict {
  readonly code: EtcdErrorCode;
  readonly maybeDone: boolean;
}

const done = (code: EtcdErrorCode): Verdict => ({ code, maybeDone: false });
const open = (code: EtcdErrorCode): Verdict => ({ code, maybeDone: true });

/** The messages of etcd 3.5 to 3.7 (api/v3rpc/rpctypes), without the prefix "etcdserver: ". */
const BY_SENTENCE: ReadonlyMap<string, Verdict> = new Map([
  ["no leader", done("NoLeader")],
  ["leader changed", open("NoLeader")],
  ["request timed out", open("NoLeader")],
  ["request timed out, possibly due to previous leader failure", open("NoLeader")],
  ["request timed out, possibly due to connection lost", open("NoLeader")],
  ["request timed out, waiting for the applied index took too long", open("NoLeader")],
  ["server stopped", open("Unreachable")],
  ["not leader", done("NotLeader")],
  ["bad leader transferee", done("Invalid")],
  ["rpc not supported for learner", done("IsLearner")],
  ["can only promote a learner member which is in sync with leader", done("LearnerNotReady")],
  ["can only promote a learner member", done("NotLearner")],
  ["too many learner members in cluster", done("TooManyLearners")],
  ["member not found", done("MemberNotFound")],
  ["member ID already exist", done("MemberExists")],
  ["Peer URLs already exists", done("MemberExists")],
  ["unhealthy cluster", done("Unhealthy")],
  ["re-configuration failed due to not enough started members", done("Unhealthy")],
  ["mvcc: database space exceeded", done("NoSpace")],
  ["corrupt cluster", done("Corrupt")],
  ["mvcc: required revision has been compacted", done("Compacted")],
  ["mvcc: required revision is a future revision", done("FutureRevision")],
  ["requested lease not found", done("LeaseNotFound")],
  ["too many requests", done("Busy")],
  ["invalid auth token", done("Unauthenticated")],
  ["revision of auth store is old", done("Unauthenticated")],
  ["revision in header is old", done("Unauthenticated")],
  ["authentication failed, invalid user ID or password", done("Unauthenticated")],
  ["user name is empty", done("Unauthenticated")],
  ["permission denied", done("Denied")],
  ["user name not found", done("UserNotFound")],
  ["role name not found", done("RoleNotFound")],
  ["user name already exists", done("AlreadyExists")],
  ["role name already exists", done("AlreadyExists")],
  ["root user does not exist", done("NoRoot")],
  ["root user does not have root role", done("NoRoot")],
  ["authentication is not enabled", done("AuthDisabled")],
  ["not capable", done("Unsupported")],
]);

/** gRPC statuses, for messages that are not in the table. */
const BY_STATUS: ReadonlyMap<number, Verdict> = new Map([
  [1, open("Aborted")],
  [3, done("Invalid")],
  [4, open("Deadline")],
  [7, done("Denied")],
  [8, done("Busy")],
  [9, done("Invalid")],
  [11, done("Invalid")],
  [12, done("Unsupported")],
  [14, open("Unreachable")],
  [15, done("Corrupt")],
  [16, done("Unauthenticated")],
]);

/** Maps status and message. Streams of etcd 3.5 return auth errors with the internal prefix "auth: ". */
export function toVerdict(status: number, sentence: string): Verdict {
  const recordedState = BY_SENTENCE.get(sentence.replace(/^(?:etcdserver|auth): /, ""));
  return recordedState ?? BY_STATUS.get(status) ?? open("Other");
}
