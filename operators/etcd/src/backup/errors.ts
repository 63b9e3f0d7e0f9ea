/** What can go wrong with backups beside the store and etcd themselves. */

/** Why a backup could not be made, read or used. */
export type BackupErrorCode =
  /** No member could be asked for a snapshot. */
  | "NoMember"
  /** The bytes are not what was written. */
  | "Corrupt"
  /** The end is missing. */
  | "Truncated"
  /** It was encrypted with another key, or with one at all, or without. */
  | "WrongKey"
  /** The Secret holds something else than 32 random bytes. */
  | "BadKey"
  /** A key is configured, and the backup is not encrypted. */
  | "Unencrypted"
  /** The manifest describes a backup of another name, cluster, time or revision than its place in the store says. */
  | "Misplaced"
  /** The backup is of another cluster than the one that is restored. */
  | "OtherCluster"
  /** The newest backup that the operator made is not in the store. */
  | "Missing"
  /** The backup in the store is not the one that the operator recorded. */
  | "Changed"
  /** It was taken from a newer etcd than the one that should read it. */
  | "NewerVersion"
  /** No room is left where the snapshot is kept meanwhile. */
  | "Full"
  /** There is no such backup. */
  | "NotFound"
  /** The store has backups of several clusters. */
  | "Ambiguous"
  /** A scratch member that was restored from it differs. */
  | "Different"
  /** Written by a newer operator. */
  | "Unsupported";

/** A backup that could not be made, read or used. The message says what, why, and what to do. */
export class BackupError extends Error {
  override readonly name = "BackupError";
  readonly code: BackupErrorCode;

  constructor(code: BackupErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
