/** What went wrong, as the client is told. */
import { StatusError, toFailure } from "@capstan/model";
import type { Call } from "./call.ts";
import type { ServerParts } from "./parts.ts";

/** What is no refusal is our bug: it is reported, and the client is told its message, as by the real server. */
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

/** The real server follows 10,000 levels of custom objects; the stack of this one ends before. */
const tooDeep = "the request nests deeper than this server can follow";

function isTooDeep(error: unknown): boolean {
  return error instanceof RangeError && error.message === "Maximum call stack size exceeded";
}
