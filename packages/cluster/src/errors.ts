/** What can go wrong with a cluster, told apart by code. */

/** Why something could not be done with a cluster. */
export type ClusterErrorCode = "NotFound" | "Unsupported" | "InUse";

/** Something that a cluster could not do. */
export class ClusterError extends Error {
  override readonly name = "ClusterError";
  readonly code: ClusterErrorCode;

  constructor(code: ClusterErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
