/** What a failed request means to the runtime, whichever stage made it. */
import { ApiError } from "@capstan/client";
import type { ApiErrorCode } from "@capstan/client";
import { plainJson } from "./plain-json.ts";
import type { Failure } from "./queue/backoff.ts";

/** Whoever asks for more, as a page of maintenance may for a day, is asked again after this: in milliseconds. */
const LONGEST_WAIT = 5 * 60_000;

/** How long the server asked to wait, in milliseconds, as far as one should. */
export function retryAfterOf(error: unknown): number | undefined {
  const asked = error instanceof ApiError ? error.retryAfterMs : undefined;
  return asked === undefined ? undefined : Math.min(asked, LONGEST_WAIT);
}

/** Which curve of waiting a failure belongs to, by the error's code; what is not listed comes from the server or the network. */
const failures: { readonly [code in ApiErrorCode]?: Failure } = {
  Conflict: "conflict",
  AlreadyExists: "conflict",
  TooManyRequests: "throttled",
  Invalid: "rejected",
  BadRequest: "rejected",
  Forbidden: "rejected",
  Unauthorized: "rejected",
  UnknownKind: "rejected",
  RequestEntityTooLarge: "rejected",
  UnsupportedMediaType: "rejected",
  MethodNotAllowed: "rejected",
  NotAcceptable: "rejected",
  NotFound: "error",
  Gone: "error",
  Expired: "error",
};

/** Which curve of waiting a failure belongs to. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof ApiError)) return "error";
  return isOfNamesake(error) ? "conflict" : (failures[error.code] ?? "unavailable");
}

/** Our writes name the uid of the object that they mean: the server calls them invalid when another has taken its name. */
function isOfNamesake({ code, causes }: ApiError): boolean {
  return code === "Invalid" && causes.some(({ field }) => field === "metadata.uid");
}

const SPEECHLESS = "Something was thrown that says nothing: throw errors.";

/** The sentence of anything that was thrown; there is always one. */
export function messageOf(error: unknown): string {
  try {
    if (error instanceof Error) return String(error.message);
    if (typeof error !== "object" || error === null) return String(error);
    if ("message" in error && typeof error.message === "string") return error.message;
    if (Object.keys(error).length === 0) return SPEECHLESS;
    return plainJson(error);
  } catch {
    return SPEECHLESS;
  }
}
