/** Errors of the installation of an operator. */

/** Why an installation fails. */
export type InstallErrorCode = "Conversion" | "OperatorGroup" | "ApiServiceConflict";

/** The installation of an operator fails. The message is that of the status. */
export class InstallError extends Error {
  override readonly name = "InstallError";
  readonly code: InstallErrorCode;

  constructor(code: InstallErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
