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

/** Runs a step over a value of unknown depth; one that is nested too deeply to be walked is refused like any other. */
export function refuseTooDeep<T>(step: () => T): T {
  try {
    return step();
  } catch (error) {
    // The engine has no other name for it than this one.
    if (!(error instanceof RangeError)) throw error;
    throw new PatchError("Unprocessable", "could not patch: the value is nested too deeply; make it flatter", {
      cause: error,
    });
  }
}
