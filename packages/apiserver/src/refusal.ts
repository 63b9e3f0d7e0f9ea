/** Converts errors to responses for the client. */
import { StatusError, toFailure } from "@capstan/model";
import type { Call } from "./call.ts";
import type { ServerParts } from "./parts.ts";

/** An error that is not a StatusError is a bug. It is reported, and the client gets its message, as from kube-apiserver. */
export function toRefusal(error: unknown, { report }: Pick<ServerParts, "report">, call: Call): StatusError {
  if (error instanceof StatusError) return error;
  if (isTooDeep(error))
    return new StatusError(toFailure({ code: 413, reason: "RequestEntityTooLarge", message: tooDeep }));
  report(error, call);
  const message = error instanceof Error ? error.message : String(error);
  return new StatusError(
    toFailure({
      code: 500,
      reason: "InternalError",
      message: `Internal error occurred: ${message}`,
      details: { causes: [{ message }] },
    }),
  );
}

/** kube-apiserver accepts 10,000 levels in custom objects; the stack of this server ends before. */
const tooDeep = "the request nests deeper than this server can follow";

function isTooDeep(error: unknown): boolean {
  return error instanceof RangeError && error.message === "Maximum call stack size exceeded";
}
