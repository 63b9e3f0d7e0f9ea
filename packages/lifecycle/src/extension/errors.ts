/** Errors of the installation of a ClusterExtension. */

/** Why it fails. `InvalidConfiguration` and `Blocked` stay until the spec changes; the others are tried again. */
export type ExtensionErrorCode = "InvalidConfiguration" | "Blocked" | "InvalidBundle" | "Preflight" | "Apply";

/** A ClusterExtension cannot be installed. The message is that of its condition. */
export class ExtensionError extends Error {
  override readonly name = "ExtensionError";
  readonly code: ExtensionErrorCode;

  constructor(code: ExtensionErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
