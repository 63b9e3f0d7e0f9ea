/** What can be wrong with a call to a webhook. */

/** Why a call could not be answered. */
export type WebhookErrorCode =
  /** The body is not the review that belongs here. */
  | "Malformed"
  /** The review is about something that this operator has no hook for. */
  | "Misdirected"
  /** The body is larger than any review can be. */
  | "TooLarge"
  /** Too much is being read already. */
  | "TooBusy"
  /** The user's function took longer than the API server waits. */
  | "TooSlow"
  /** The user's function threw. */
  | "HookFailed";

/** A call that could not be answered. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
  readonly code: WebhookErrorCode;

  constructor(code: WebhookErrorCode, message: string, about: { readonly cause?: unknown } = {}) {
    super(message, about.cause === undefined ? undefined : { cause: about.cause });
    this.code = code;
  }
}
