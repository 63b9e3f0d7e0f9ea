/** What can go wrong with images, with codes to tell one from the other. */

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

/** An operation on an image that could not be done. The message says what, why, and what to do. */
export class OciError extends Error {
  override readonly name = "OciError";
  readonly code: OciErrorCode;
  /** What a registry answered, where it was asked. */
  readonly status: number | undefined;

  constructor(code: OciErrorCode, message: string, options?: ErrorOptions & { readonly status?: number }) {
    super(message, options);
    this.code = code;
    this.status = options?.status;
  }
}
