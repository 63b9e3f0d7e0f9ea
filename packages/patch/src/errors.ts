/** What can go wrong when a value is patched. */

/** What kind of answer the API server gives: a bad request, content that cannot be processed, too large, a conflict, or an inner failure. */
export type PatchErrorCode = "BadRequest" | "Unprocessable" | "TooLarge" | "Conflict" | "Internal";

/** A patch could not be read or does not fit the value; the message is the sentence that kube-apiserver gives. */
export class PatchError extends Error {
  override readonly name = "PatchError";
  readonly code: PatchErrorCode;

  constructor(code: PatchErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Runs a step; when it fails, says what was being done before why it failed. */
export function explain<T>(doing: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    throw new PatchError(error.code, `${doing}: ${error.message}`, { cause: error });
  }
}
