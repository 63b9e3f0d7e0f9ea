/** Classifies a failed request, whichever stage made it. */
import { ApiError } from "@capstan/client";
import type { ApiErrorCode } from "@capstan/client";
import { plainJson } from "./report/plain-json.ts";
import type { Failure } from "./queue/backoff.ts";

/** The upper bound for Retry-After, in milliseconds: a maintenance page may ask for a day. */
const LONGEST_WAIT = 5 * 60_000;

/** The Retry-After of the server in milliseconds, up to the bound. */
export function retryAfterOf(error: unknown): number | undefined {
  const asked = error instanceof ApiError ? error.retryAfterMs : undefined;
  return asked === undefined ? undefined : Math.min(asked, LONGEST_WAIT);
}

/** The backoff curve for an error code; codes that are not listed are errors of the server or the network. */
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

/** The backoff curve for a failure. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof ApiError)) return "error";
  return isOfNamesake(error) ? "conflict" : (failures[error.code] ?? "unavailable");
}

/** Our writes carry the uid of their object: the server rejects them as invalid if another object has taken the name. */
function isOfNamesake({ code, causes }: ApiError): boolean {
  return code === "Invalid" && causes.some(({ field }) => field === "metadata.uid");
}

const noMessage = "The reconciler threw a value that is not an Error and has no message: throw errors.";

/** The message of any thrown value; there is always one. */
export function messageOf(error: unknown): string {
  try {
    if (error instanceof Error) return String(error.message);
    if (typeof error !== "object" || error === null) return String(error);
    if ("message" in error && typeof error.message === "string") return error.message;
    if (Object.keys(error).length === 0) return noMessage;
    return plainJson(error);
  } catch {
    return noMessage;
  }
}
