/** Refusals: errors that carry the Status object a client receives. */
import { formatFieldError, formatFieldErrorBody, type FieldError } from "./builtin/field-error.ts";

/** The reasons a Status may give. */
export type StatusReason =
  | "Unauthorized"
  | "Forbidden"
  | "NotFound"
  | "AlreadyExists"
  | "Conflict"
  | "Gone"
  | "Invalid"
  | "ServerTimeout"
  | "Timeout"
  | "TooManyRequests"
  | "BadRequest"
  | "MethodNotAllowed"
  | "NotAcceptable"
  | "RequestEntityTooLarge"
  | "UnsupportedMediaType"
  | "InternalError"
  | "Expired"
  | "ServiceUnavailable"
  | "";

/** One cause in the details of a Status. */
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** The details of a Status. The order of fields is the order on the wire. */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** A Status as it goes over the wire. The order of fields is the order on the wire. */
export interface StatusBody {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: { readonly continue?: string; readonly resourceVersion?: string };
  readonly status: "Failure" | "Success";
  readonly message?: string;
  readonly reason?: StatusReason;
  readonly details?: StatusDetails;
  readonly code: number;
}

/** A refusal with the Status that says why. */
export class StatusError extends Error {
  readonly body: StatusBody;
  /** The reason, by which callers tell refusals apart. */
  readonly code: StatusReason;

  constructor(
    code: number,
    reason: StatusReason,
    fields: { message: string; details?: StatusDetails; continue?: string },
  ) {
    super(fields.message);
    this.name = "StatusError";
    this.code = reason;
    this.body = {
      kind: "Status",
      apiVersion: "v1",
      metadata: fields.continue === undefined ? {} : { continue: fields.continue },
      status: "Failure",
      message: fields.message,
      ...(reason === "" ? {} : { reason }),
      ...(fields.details === undefined ? {} : { details: fields.details }),
      code,
    };
  }
}

/** A resource or kind with its group; `resource` may also hold a kind where kube-apiserver prints one. */
export interface Qualified {
  readonly group: string;
  readonly resource: string;
}

/** `pods`, `deployments.apps`. */
export function formatQualified({ group, resource }: Qualified): string {
  return group === "" ? resource : `${resource}.${group}`;
}

/** Details that name an object, without the fields that would be empty. */
export function detailsOf(what: Qualified, name: string): StatusDetails {
  return {
    ...(name === "" ? {} : { name }),
    ...(what.group === "" ? {} : { group: what.group }),
    ...(what.resource === "" ? {} : { kind: what.resource }),
  };
}

export function notFound(what: Qualified, name: string): StatusError {
  const message = `${formatQualified(what)} ${quote(name)} not found`;
  return new StatusError(404, "NotFound", { message, details: detailsOf(what, name) });
}

export function alreadyExists(what: Qualified, name: string): StatusError {
  const message = `${formatQualified(what)} ${quote(name)} already exists`;
  return new StatusError(409, "AlreadyExists", { message, details: detailsOf(what, name) });
}

export function conflict(what: Qualified, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${formatQualified(what)} ${quote(name)}: ${why}`;
  return new StatusError(409, "Conflict", { message, details: detailsOf(what, name) });
}

export function forbidden(what: Qualified, name: string, why: string): StatusError {
  const subject = name === "" ? formatQualified(what) : `${formatQualified(what)} ${quote(name)}`;
  const message = formatQualified(what) === "" ? `forbidden: ${why}` : `${subject} is forbidden: ${why}`;
  return new StatusError(403, "Forbidden", { message, details: detailsOf(what, name) });
}

export function unauthorized(why = "Unauthorized"): StatusError {
  return new StatusError(401, "Unauthorized", { message: why });
}

export function badRequest(message: string): StatusError {
  return new StatusError(400, "BadRequest", { message });
}

export function methodNotAllowed(
  message = "the server does not allow this method on the requested resource",
): StatusError {
  return new StatusError(405, "MethodNotAllowed", { message, details: {} });
}

/** A verb that a resource does not have although its path exists. */
export function methodNotSupported(what: Qualified, action: string): StatusError {
  const message = `${action} is not supported on resources of kind "${formatQualified(what)}"`;
  return new StatusError(405, "MethodNotAllowed", { message, details: detailsOf(what, "") });
}

export function expired(message: string, nextContinue?: string): StatusError {
  const next = nextContinue === undefined ? {} : { continue: nextContinue };
  return new StatusError(410, "Expired", { message, ...next });
}

export function internalError(message: string): StatusError {
  return new StatusError(500, "InternalError", {
    message: `Internal error occurred: ${message}`,
    details: { causes: [{ message }] },
  });
}

export function serviceUnavailable(message: string): StatusError {
  return new StatusError(503, "ServiceUnavailable", { message });
}

export function requestTooLarge(message: string): StatusError {
  return new StatusError(413, "RequestEntityTooLarge", { message: `Request entity too large: ${message}` });
}

/** An object with fields that are wrong; `kind` stands in `what.resource`. */
export function invalid(what: Qualified, name: string, errors: readonly FieldError[]): StatusError {
  const causes = errors.map((error) => ({
    reason: error.type,
    message: formatFieldErrorBody(error),
    field: error.field,
  }));
  const message = `${formatQualified(what)} ${quote(name)} is invalid${formatAggregate(errors.map(formatFieldError))}`;
  return new StatusError(422, "Invalid", { message, details: { ...detailsOf(what, name), causes } });
}

/** Several messages in one, each once: `: a`, or `: [a, b]`. */
function formatAggregate(messages: readonly string[]): string {
  const distinct = [...new Set(messages)];
  if (distinct.length === 0) return "";
  return distinct.length === 1 ? `: ${distinct[0]}` : `: [${distinct.join(", ")}]`;
}

function quote(text: string): string {
  return JSON.stringify(text);
}
