/** The errors of scaffolding. */

export type ScaffoldErrorCode =
  | "BadName"
  | "BadFile"
  | "Duplicate"
  | "Missing"
  | "NotPossible"
  | "BadProgram"
  | "BadCrd";

/** A failed scaffolding operation. The message says why and what to do. */
export class ScaffoldError extends Error {
  override readonly name = "ScaffoldError";
  readonly code: ScaffoldErrorCode;

  constructor(code: ScaffoldErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
