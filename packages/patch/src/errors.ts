/** Errors of patches. */

/** The kind of response of the API server: a bad request, an unprocessable entity, too large, a conflict, or an internal error. */
export type PatchErrorCode = "BadRequest" | "Unprocessable" | "TooLarge" | "Conflict" | "Internal";

/** A patch could not be read or does not fit the value; the message is that of kube-apiserver. */
export class PatchError extends Error {
  override readonly name = "PatchError";
  readonly code: PatchErrorCode;

  constructor(code: PatchErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Runs a step; prefixes the message of its error with a description of the step. */
export function explain<T>(doing: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    throw new PatchError(error.code, `${doing}: ${error.message}`, { cause: error });
  }
}

/** Runs a step over a value of unknown depth; one that is nested too deeply for the stack is rejected like any other. */
export function refuseTooDeep<T>(step: () => T): T {
  try {
    return step();
  } catch (error) {
    // The engine has no other name for a stack overflow than this one.
    if (!(error instanceof RangeError)) throw error;
    throw new PatchError("Unprocessable", "could not patch: the value is nested too deeply; make it flatter", {
      cause: error,
    });
  }
}
