/** What can be wrong with what one asks of a project. */

export type ScaffoldErrorCode =
  | "BadName"
  | "BadFile"
  | "Duplicate"
  | "Missing"
  | "NotPossible"
  | "BadProgram"
  | "BadCrd";

/** Something that cannot be made. The message says why and what to do. */
export class ScaffoldError extends Error {
  override readonly name = "ScaffoldError";
  readonly code: ScaffoldErrorCode;

  constructor(code: ScaffoldErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
