/** The closed list of error codes. */

/** Codes from the `reason` of a Status. */
const statusCodes = [
  "BadRequest",
  "Unauthorized",
  "Forbidden",
  "NotFound",
  "AlreadyExists",
  "Conflict",
  "Gone",
  "Expired",
  "Invalid",
  "Timeout",
  "ServerTimeout",
  "TooManyRequests",
  "MethodNotAllowed",
  "NotAcceptable",
  "RequestEntityTooLarge",
  "UnsupportedMediaType",
  "InternalError",
  "ServiceUnavailable",
] as const;

/** Codes from the client. */
const clientCodes = [
  /** The server does not know the kind: its CRD is not installed or the version is not served. */
  "UnknownKind",
  /** The connection failed. */
  "Unreachable",
  /** The server's or the client's certificate was rejected. */
  "TlsFailed",
  /** The connection broke before the response was complete. */
  "ConnectionLost",
  /** The caller's time limit passed. */
  "DeadlineExceeded",
  /** Credentials are unavailable: a plugin failed or a file is missing. */
  "CredentialsFailed",
  /** The kubeconfig is invalid; no client was created. */
  "InvalidConfig",
  /** The response does not come from a Kubernetes API server. */
  "BadAnswer",
  /** The server is too old for the request. */
  "WrongVersion",
  /** The transport does not support this. */
  "NotSupported",
] as const;

/**
 * Why a request failed. Programs switch on this, never on the message.
 *
 * @example
 * const passing: readonly ApiErrorCode[] = ["Conflict", "TooManyRequests"];
 */
export type ApiErrorCode = (typeof statusCodes)[number] | (typeof clientCodes)[number];

const known: ReadonlySet<string> = new Set<string>(statusCodes);

/** The code of a Status: its reason if known, otherwise derived from the HTTP status. */
export function toErrorCode(reason: string | undefined, status: number): ApiErrorCode {
  return isStatusCode(reason) ? reason : fromHttpStatus(status);
}

function isStatusCode(reason: string | undefined): reason is (typeof statusCodes)[number] {
  return reason !== undefined && known.has(reason);
}

const byHttpStatus: Readonly<Record<number, ApiErrorCode>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  406: "NotAcceptable",
  409: "Conflict",
  410: "Gone",
  413: "RequestEntityTooLarge",
  415: "UnsupportedMediaType",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

function fromHttpStatus(status: number): ApiErrorCode {
  return byHttpStatus[status] ?? (status >= 500 ? "InternalError" : "BadRequest");
}
