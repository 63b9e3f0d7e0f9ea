/** The error of this package. */

/** Why metering fails: the caller maps each to an exit code or a status. */
export type MeterErrorCode =
  | "BadBook"
  | "BadInput"
  | "BadSql"
  | "Limit"
  | "Locked"
  | "MissingEngine"
  | "NotReady"
  | "Newer"
  | "Corrupt"
  | "Disk"
  | "Unreachable"
  | "Usage";

/** Metering fails: the message says what, why, and what to do. */
export class MeterError extends Error {
  override readonly name = "MeterError";
  readonly code: MeterErrorCode;

  constructor(code: MeterErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
