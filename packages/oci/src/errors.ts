/** Errors of images, with a code each. */

export type OciErrorCode =
  | "BadReference"
  | "BadDigest"
  | "BadArchive"
  | "BadImage"
  | "NotFound"
  | "Unauthorized"
  | "Refused"
  | "Unreachable"
  | "UnsafeLayer"
  | "TooLarge"
  | "NoPlatform"
  | "BadProgram";

/** A failed operation on an image. The message says what failed, why, and what to do. */
export class OciError extends Error {
  override readonly name = "OciError";
  readonly code: OciErrorCode;
  /** The HTTP status of a registry's response, if any. */
  readonly status: number | undefined;

  constructor(code: OciErrorCode, message: string, options?: ErrorOptions & { readonly status?: number }) {
    super(message, options);
    this.code = code;
    this.status = options?.status;
  }
}
