/** What can go wrong with bundles, with codes to tell one from the other. */

export type BundleErrorCode =
  | "BadBundle"
  | "BadConfig"
  | "BadFacts"
  | "NotFound"
  | "TooLarge"
  | "Unreadable"
  | "ValidatorFailed";

/** An operation on a bundle that could not be done. The message says what, why, and what to do. */
export class BundleError extends Error {
  override readonly name = "BundleError";
  readonly code: BundleErrorCode;

  constructor(code: BundleErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
