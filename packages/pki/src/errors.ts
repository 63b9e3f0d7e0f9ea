/** Errors of certificates, requests and tokens. */

/**
 * Why something could not be read, made or trusted.
 *
 * @example
 * const isExpiry = (code: PkiErrorCode) => code === "TokenExpired";
 */
export type PkiErrorCode =
  | "MalformedPem"
  | "MalformedDer"
  | "UnsupportedAlgorithm"
  | "InvalidName"
  | "KeyMismatch"
  | "BadSignature"
  | "MalformedToken"
  | "UnknownKey"
  | "TokenExpired"
  | "TokenNotYetValid";

/**
 * A certificate, request or token could not be read, made or trusted; `code` says why.
 *
 * @example
 * try {
 *   parseCertificate("no PEM");
 * } catch (error) {
 *   if (error instanceof PkiError && error.code === "MalformedPem") console.error(error.message);
 * }
 */
export class PkiError extends Error {
  override readonly name = "PkiError";
  readonly code: PkiErrorCode;

  constructor(code: PkiErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
