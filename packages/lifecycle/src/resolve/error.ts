/** The error of a resolution whose input has no meaning. */

/** BadChannel: the order of a channel is unknown. BadRequirement: a requirement cannot be read. BadInstalled: two operators have one name. */
export type ResolveErrorCode = "BadChannel" | "BadRequirement" | "BadInstalled";

/** A resolution that cannot start. The message says which part of the input is wrong. */
export class ResolveError extends Error {
  override readonly name = "ResolveError";
  readonly code: ResolveErrorCode;

  constructor(code: ResolveErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
