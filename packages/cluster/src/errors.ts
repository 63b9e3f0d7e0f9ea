/** The errors of a cluster, by code. */

/** The error codes. */
export type ClusterErrorCode = "NotFound" | "Unsupported" | "InUse";

/** An operation that a cluster cannot perform. */
export class ClusterError extends Error {
  override readonly name = "ClusterError";
  readonly code: ClusterErrorCode;

  constructor(code: ClusterErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
