/** The errors of the API server, each with its code, reason and message; import as a whole: `apiErrors.notFound(...)`. */
import { formatAll, type FieldError } from "./field-error.ts";
import { quote } from "./go-text.ts";
import { formatGroupKind, formatGroupResource, type GroupKind, type GroupResource } from "./group-version.ts";
import { StatusError, toFailure, type StatusCause, type StatusDetails, type StatusReason } from "./status.ts";

function fail(code: number, reason: StatusReason, message: string, details?: StatusDetails): StatusError {
  return new StatusError(toFailure({ code, reason, message, ...(details === undefined ? {} : { details }) }));
}

function about({ group, resource }: GroupResource, name: string): StatusDetails {
  return { name, group, kind: resource };
}

function named(resource: GroupResource, name: string): string {
  return `${formatGroupResource(resource)} ${quote(name)}`;
}

/** The object does not exist. */
export function notFound(resource: GroupResource, name: string): StatusError {
  return fail(404, "NotFound", `${named(resource, name)} not found`, about(resource, name));
}

/** An object of this name exists. */
export function alreadyExists(resource: GroupResource, name: string): StatusError {
  return fail(409, "AlreadyExists", `${named(resource, name)} already exists`, about(resource, name));
}

/** No free name was found for `generateName`. */
export function generateNameConflict(resource: GroupResource, name: string, retryAfterSeconds: number): StatusError {
  const message = `${named(resource, name)} already exists, the server was not able to generate a unique name for the object`;
  return fail(409, "AlreadyExists", message, { ...about(resource, name), retryAfterSeconds });
}

/** The request is not authenticated. */
export function unauthorized(reason: string): StatusError {
  return fail(401, "Unauthorized", reason === "" ? "not authorized" : reason);
}

/** The user is authenticated, but not authorized. */
export function forbidden(resource: GroupResource, name: string, why: string): StatusError {
  return fail(403, "Forbidden", forbiddenMessage(resource, name, why), about(resource, name));
}

function forbiddenMessage(resource: GroupResource, name: string, why: string): string {
  if (resource.group === "" && resource.resource === "") return `forbidden: ${why}`;
  if (name === "") return `${formatGroupResource(resource)} is forbidden: ${why}`;
  return `${named(resource, name)} is forbidden: ${why}`;
}

/** Another client changed the object first. */
export function conflict(resource: GroupResource, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${named(resource, name)}: ${why}`;
  return fail(409, "Conflict", message, about(resource, name));
}

/** Another manager owns the fields of an apply. */
export function applyConflict(causes: readonly StatusCause[], message: string): StatusError {
  return fail(409, "Conflict", message, { causes });
}

/** The resource is gone for good. */
export function gone(message: string): StatusError {
  return fail(410, "Gone", message);
}

/** The resource version or continue token is too old. */
export function resourceExpired(message: string): StatusError {
  return fail(410, "Expired", message);
}

/** The object has invalid fields. */
export function invalid(kind: GroupKind, name: string, errors: readonly FieldError[]): StatusError {
  const causes = errors.map(({ type, body, field }): StatusCause => ({
    reason: type,
    message: body,
    ...(field ? { field } : {}),
  }));
  const list = errors.length === 0 ? "" : `: ${formatAll(errors)}`;
  const message = `${formatGroupKind(kind)} ${quote(name)} is invalid${list}`;
  return fail(422, "Invalid", message, { name, group: kind.group, kind: kind.kind, causes });
}

/** The request is malformed. */
export function badRequest(reason: string): StatusError {
  return fail(400, "BadRequest", reason);
}

/** Retry later. */
export function tooManyRequests(message: string, retryAfterSeconds: number): StatusError {
  return fail(429, "TooManyRequests", message, { retryAfterSeconds });
}

/** Retry later, without a time. */
export function tooManyRequestsError(message: string): StatusError {
  return fail(429, "TooManyRequests", `Too many requests: ${message}`);
}

/** The server cannot handle the request now. */
export function serviceUnavailable(reason: string): StatusError {
  return fail(503, "ServiceUnavailable", reason);
}

/** The resource does not support the verb. */
export function methodNotSupported(resource: GroupResource, action: string): StatusError {
  const message = `${action} is not supported on resources of kind ${quote(formatGroupResource(resource))}`;
  return fail(405, "MethodNotAllowed", message, about(resource, ""));
}

/** The operation could not be completed in time and may be tried again. */
export function serverTimeout(resource: GroupResource, operation: string, retryAfterSeconds: number): StatusError {
  const message = `The ${operation} operation against ${formatGroupResource(resource)} could not be completed at this time, please try again.`;
  return fail(500, "ServerTimeout", message, { ...about(resource, operation), retryAfterSeconds });
}

/** An internal error of the server. */
export function internalError(message: string): StatusError {
  return fail(500, "InternalError", `Internal error occurred: ${message}`, { causes: [{ message }] });
}

/** The request took too long. */
export function timeout(message: string, retryAfterSeconds: number): StatusError {
  return fail(504, "Timeout", `Timeout: ${message}`, { retryAfterSeconds });
}

/** The body is too big. */
export function requestEntityTooLarge(message: string): StatusError {
  return fail(413, "RequestEntityTooLarge", `Request entity too large: ${message}`);
}

/** The facts about a response that was not a Status: the code, the request and perhaps the body. */
export interface GenericResponse {
  readonly code: number;
  readonly verb: string;
  readonly resource: GroupResource;
  readonly name: string;
  readonly serverMessage: string;
  readonly retryAfterSeconds: number;
  readonly isUnexpected: boolean;
}

/** The error for a response with only a code. */
export function genericServerResponse(response: GenericResponse): StatusError {
  const { code, resource, name, serverMessage, retryAfterSeconds, isUnexpected } = response;
  const { reason, message } = genericReason(response);
  const causes = isUnexpected ? [{ reason: "UnexpectedServerResponse", message: serverMessage }] : [];
  return fail(code, reason, `${message}${requestSuffix(response)}`, {
    ...about(resource, name),
    causes,
    retryAfterSeconds,
  });
}

function requestSuffix({ verb, resource, name }: GenericResponse): string {
  if (resource.group === "" && resource.resource === "") return "";
  const target = `${verb.toLowerCase()} ${formatGroupResource(resource)}`;
  return name === "" ? ` (${target})` : ` (${target} ${name})`;
}

interface Reason {
  readonly reason: StatusReason;
  readonly message: string;
}

const genericReasons: Readonly<Record<number, Reason>> = {
  400: { reason: "BadRequest", message: "the server rejected our request for an unknown reason" },
  401: { reason: "Unauthorized", message: "the server has asked for the client to provide credentials" },
  404: { reason: "NotFound", message: "the server could not find the requested resource" },
  405: { reason: "MethodNotAllowed", message: "the server does not allow this method on the requested resource" },
  409: { reason: "Conflict", message: "the server reported a conflict" },
  422: { reason: "Invalid", message: "the server rejected our request due to an error in our request" },
  429: {
    reason: "TooManyRequests",
    message: "the server has received too many requests and has asked us to try again later",
  },
  503: { reason: "ServiceUnavailable", message: "the server is currently unable to handle the request" },
  504: {
    reason: "Timeout",
    message: "the server was unable to return a response in the time allotted, but may still be processing the request",
  },
};

function genericReason({ code, verb, serverMessage }: GenericResponse): Reason {
  const known = genericReasons[code];
  if (known !== undefined) return code === 409 && verb === "POST" ? { ...known, reason: "AlreadyExists" } : known;
  if (code === 403) return { reason: "Forbidden", message: serverMessage };
  if (code === 415) return { reason: "UnsupportedMediaType", message: serverMessage };
  if (code === 406) return { reason: "NotAcceptable", message: notAcceptableMessage(serverMessage) };
  if (code >= 500) {
    const message = `an error on the server (${quote(serverMessage)}) has prevented the request from succeeding`;
    return { reason: "InternalError", message };
  }
  const message = `the server responded with the status code ${code} but did not return more information`;
  return { reason: "", message };
}

function notAcceptableMessage(serverMessage: string): string {
  const isKnown = serverMessage !== "" && serverMessage !== "unknown";
  return isKnown ? serverMessage : "the server was unable to respond with a content type that the client supports";
}
