/** The errors of bundles, by code. */

export type BundleErrorCode =
  | "BadBundle"
  | "BadConfig"
  | "BadFacts"
  | "NotFound"
  | "TooLarge"
  | "Unreadable"
  | "ValidatorFailed";

/** A failed bundle operation. The message says what failed, why, and what to do. */
export class BundleError extends Error {
  override readonly name = "BundleError";
  readonly code: BundleErrorCode;

  constructor(code: BundleErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
