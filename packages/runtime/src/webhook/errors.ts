/** Errors of webhook calls. */

/** Why a call failed. */
export type WebhookErrorCode =
  /** The body is not the expected review. */
  | "Malformed"
  /** The review is for a resource without a webhook in this operator. */
  | "Misdirected"
  /** The body is larger than any review can be. */
  | "TooLarge"
  /** Too many bytes are being read already. */
  | "TooBusy"
  /** The user's function took longer than the API server's timeout. */
  | "TooSlow"
  /** The user's function threw. */
  | "HookFailed";

/** A failed call. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
  readonly code: WebhookErrorCode;

  constructor(code: WebhookErrorCode, message: string, about: { readonly cause?: unknown } = {}) {
    super(message, about.cause === undefined ? undefined : { cause: about.cause });
    this.code = code;
  }
}
