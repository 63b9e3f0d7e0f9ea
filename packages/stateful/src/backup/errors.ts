/** Errors of backups, except those of the store and of the application. */

/**
 * Why a backup could not be made, read or used.
 *
 * @example
 * const isForged = (code: BackupErrorCode) => code === "Corrupt" || code === "Changed";
 */
export type BackupErrorCode =
  /** No member could provide a copy. */
  | "NoMember"
  /** The content differs from what was written. */
  | "Corrupt"
  /** The end is missing. */
  | "Truncated"
  /** The backup is encrypted with another key, or encrypted although no key is configured. */
  | "WrongKey"
  /** The Secret holds something else than 32 random bytes. */
  | "BadKey"
  /** A key is configured, and the backup is not encrypted. */
  | "Unencrypted"
  /** Name, cluster, time or position in the manifest do not match its name in the store. */
  | "Misplaced"
  /** The backup is of another cluster than the restored one. */
  | "OtherCluster"
  /** The newest backup that the operator made is not in the store. */
  | "Missing"
  /** The backup in the store is not the one that the operator recorded. */
  | "Changed"
  /** The backup is from a newer release than the one that would read it. */
  | "NewerVersion"
  /** The scratch volume is full. */
  | "Full"
  /** The backup does not exist. */
  | "NotFound"
  /** The store has backups of several clusters. */
  | "Ambiguous"
  /** A member restored from the backup in a trial differs from the manifest. */
  | "Different"
  /** Written by a newer operator. */
  | "Unsupported";

/**
 * A backup that could not be made, read or used. The message says what, why, and what to do.
 *
 * @example
 * const isTruncated = (error: unknown) => error instanceof BackupError && error.code === "Truncated";
 */
export class BackupError extends Error {
  override readonly name = "BackupError";
  readonly code: BackupErrorCode;

  constructor(code: BackupErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
