/** Converts error responses into errors. The body is used only if it is a Status. */
import { decode } from "../transport/body.ts";
import type { ResponseHeaders, TransportResponse } from "../transport/transport.ts";
import { ApiError, ForbiddenError, sentence } from "./api-error.ts";
import type { Status } from "@capstan/model";
import { describeAttempt } from "./attempt.ts";
import type { Attempt } from "./attempt.ts";
import { toErrorCode } from "./code.ts";
import type { ApiErrorCode } from "./code.ts";

/** The parts of a response that an error needs. */
export interface ErrorResponse {
  readonly httpStatus: number;
  readonly attempt: Attempt;
  readonly status?: Status | undefined;
  /** The body if it is not a Status, truncated. */
  readonly text?: string | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** Reads the body of an error response. */
export async function errorOf(response: TransportResponse, attempt: Attempt): Promise<ApiError> {
  const body = decode(await response.body.bytes());
  const status = statusIn(body);
  const retryAfterMs = retryAfterOf(response.headers, status);
  const text = status === undefined ? body.slice(0, 200).trim() : undefined;
  return toApiError({ httpStatus: response.status, attempt, status, text, retryAfterMs });
}

/** The error for an error response, also for ERROR events of a watch, which carry a Status without an HTTP status. */
export function toApiError(errorResponse: ErrorResponse): ApiError {
  const { attempt, status, httpStatus, retryAfterMs } = errorResponse;
  const base = { status: httpStatus, attempt, statusObject: status, retryAfterMs };
  const code = codeOf(errorResponse);
  const why = status?.message ?? whyOf(errorResponse);
  if (code === "Forbidden") return new ForbiddenError({ ...base, attempt, why });
  const advice = adviceFor(code, attempt);
  const message = `Cannot ${describeAttempt(attempt)}: ${sentence(why)}${advice === "" ? "" : ` ${advice}`}`;
  return new ApiError({ ...base, code, message });
}

function codeOf({ status, httpStatus, attempt }: ErrorResponse): ApiErrorCode {
  const code = toErrorCode(status?.reason, httpStatus);
  // Every API server has `/version` and `/api`; these requests name no resource.
  if (httpStatus === 404 && attempt.plural === "") return "BadAnswer";
  // Kubernetes names the missing object; without a name, the path is unknown.
  return code === "NotFound" && status?.details?.name === undefined ? "UnknownKind" : code;
}

function whyOf({ httpStatus, text }: ErrorResponse): string {
  const said = text === undefined || text === "" ? "" : ` (${text})`;
  return `the server answered ${httpStatus}${said}`;
}

function adviceFor(code: ApiErrorCode, attempt: Attempt): string {
  const { group, version, plural } = attempt;
  switch (code) {
    case "UnknownKind": {
      const crd = group === "" ? "" : ` Install the CustomResourceDefinition ${plural}.${group}, or`;
      return `The server does not serve ${plural} in ${group === "" ? version : `${group}/${version}`}.${crd === "" ? " Check" : `${crd} check`} which versions it serves.`;
    }
    case "BadAnswer":
      return "Check that the address is that of a Kubernetes API server.";
    case "Unauthorized":
      return "The credentials are missing, expired or not accepted: log in again or renew the token or certificate.";
    case "Conflict":
      return "Someone else changed the object: read it again and repeat the change on what is there now.";
    case "AlreadyExists":
      return "Choose another name, or update the object that is there.";
    case "Expired":
    case "Gone":
      return "The resource version is too old: list again and watch from there.";
    case "TooManyRequests":
    case "ServiceUnavailable":
    case "ServerTimeout":
      return "Try again later.";
    case "RequestEntityTooLarge":
      return "Send a smaller object.";
    default:
      return "";
  }
}

/** The Status in a body, if any. */
export function statusIn(body: string): Status | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isStatus(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a value is a Status. */
export function isStatus(value: unknown): value is Status {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "Status";
}

/** The requested delay: the Retry-After header in seconds, else the detail of the Status. */
export function retryAfterOf(headers: ResponseHeaders, status: Status | undefined): number | undefined {
  const header = headers["retry-after"];
  const seconds = typeof header === "string" && /^\d+$/u.test(header) ? Number(header) : undefined;
  const said = seconds ?? status?.details?.retryAfterSeconds;
  return said === undefined || said === 0 ? undefined : said * 1000;
}
